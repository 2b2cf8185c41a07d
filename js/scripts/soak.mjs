// `npm run soak`: what `npm test` shows of runs that must survive, at length. Runs on Node 20.
//
// - `--runs N` (2000 unless said): so many runs and their readers, on Workers with state on disk that are killed
//   `--kills K` (20) times. `--width W` threads at a time (230).
// - `--short-runs N`: instead so many short runs in one object, and how its memory goes.
// - `--seed S`: the choices of an earlier soak once more.

import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { environment, inside, node } from "./lib/paths.mjs";
import { main, onEnd } from "./lib/run.mjs";
import { npmPackages, rust } from "./lib/setup.mjs";

let soak;
onEnd((signal) => (soak ? soak.kill("SIGTERM") : process.exit(signal === "SIGINT" ? 130 : 143)));

await main(async () => {
  await rust();
  await npmPackages();
  await build({ enforce: false });
});

soak = spawn(node, [inside("js/scripts/soak-run.mjs"), ...process.argv.slice(2)], { stdio: "inherit", env: environment() });
soak.on("close", (code) => process.exit(code ?? 1));
