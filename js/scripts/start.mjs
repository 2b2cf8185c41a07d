// `npm start`: sets up, builds, and serves the Worker on this machine. Runs on Node 20.

import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { environment, inside, node } from "./lib/paths.mjs";
import { main } from "./lib/run.mjs";

await main(build);

const server = spawn(node, [inside("js/scripts/dev.mjs")], { stdio: "inherit", env: environment() });
// A terminal sends Ctrl-C to both; a supervisor sends SIGTERM to this process alone.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.kill("SIGTERM"));
server.on("close", (code) => process.exit(code ?? 1));
