// `npm run bench`: a turn through the package beside other ways to do the same, in one process, after what they give was
// found to be the same. Builds the npm package first. Prints ratios; one that is missed is said, and fails nothing.
// Runs on Node 20.

import { spawn } from "node:child_process";
import { environment, inside, node } from "../scripts/lib/paths.mjs";
import { main, onEnd } from "../scripts/lib/run.mjs";
import { buildPackage } from "../scripts/package.mjs";

let bench;
onEnd((signal) => (bench ? bench.kill("SIGTERM") : process.exit(signal === "SIGINT" ? 130 : 143)));
await main(buildPackage);

bench = spawn(node, ["--expose-gc", inside("js/bench/respond/run.mjs"), ...process.argv.slice(2)], { stdio: "inherit", env: environment() });
bench.on("close", (code) => process.exit(code ?? 1));
