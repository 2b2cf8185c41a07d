// `npm run bench:filter`: the output filter beside other ways to do the same, in one process, with the same rules.
// Builds the npm package first. Fails if an output is wrong; a ratio that is missed is only said. Runs on Node 20.

import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { environment, inside, node } from "../scripts/lib/paths.mjs";
import { main, onEnd, run, step } from "../scripts/lib/run.mjs";
import { buildPackage } from "../scripts/package.mjs";

let bench;
onEnd((signal) => (bench ? bench.kill("SIGTERM") : process.exit(signal === "SIGINT" ? 130 : 143)));

const CRATE = inside("js/bench/size");
const TARGET = inside("target/size");

/** A module without the filter, one with its engine and rules, one with all of it, small or quick: their paths. */
const sizes = (profile) =>
  step(`modules to weigh (${profile})`, async () => {
    const files = [];
    for (const features of ["", "rules", "filter"]) {
      const args = ["build", "--profile", profile, "--target", "wasm32-unknown-unknown", "--target-dir", TARGET, "--features", features];
      await run("cargo", args, { log: "sizes", cwd: CRATE });
      files.push(join(TARGET, `${profile}-${features || "nothing"}.wasm`));
      copyFileSync(join(TARGET, "wasm32-unknown-unknown", profile, "size.wasm"), files.at(-1));
    }
    return files;
  });

await main(async () => {
  await buildPackage();
  process.env.BENCH_SIZES = JSON.stringify({ release: await sizes("release"), npm: await sizes("npm") });
});

bench = spawn(node, [inside("js/bench/filter/run.mjs"), ...process.argv.slice(2)], { stdio: "inherit", env: environment() });
bench.on("close", (code) => process.exit(code ?? 1));
