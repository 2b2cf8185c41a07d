// `npm start`: sets up, builds, and serves the Worker on this machine. Runs on Node 20.

import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { environment, inside, node } from "./lib/paths.mjs";
import { main, onEnd } from "./lib/run.mjs";

let server;
onEnd((signal) => (server ? server.kill("SIGTERM") : process.exit(signal === "SIGINT" ? 130 : 143)));
// Another compiler than the one it is tested with may build it larger: that keeps nobody from trying it.
await main(() => build({ enforce: false }));

server = spawn(node, [inside("js/scripts/dev.mjs")], { stdio: "inherit", env: environment() });
server.on("close", (code) => process.exit(code ?? 1));
