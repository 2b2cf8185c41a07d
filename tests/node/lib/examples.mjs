// The examples, each in a folder of its own with the packed package installed, started as its package.json says.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { environment, inside } from "../../../js/scripts/lib/paths.mjs";
import { eventually } from "./http.mjs";
import { output, packed, TOOLS } from "./package.mjs";
import { freePort } from "./ports.mjs";

const ROOTS = [TOOLS, inside("node_modules")];
const QUIET = { WRANGLER_SEND_METRICS: "false", NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: undefined, NO_COLOR: "1" };

/** What is installed of that name and version for these tests. */
function installed(name, version) {
  const found = ROOTS.map((root) => join(root, name)).find((path) => existsSync(path) && versionOf(path) === version);
  assert.ok(found, `${name} ${version} is not what is installed for the tests`);
  return found;
}

const versionOf = (path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).version;

/** An example in an empty folder. What it depends on besides is of exactly the versions that it names. */
export async function example(name, { within = tmpdir() } = {}) {
  const source = inside("examples", name);
  const folder = mkdtempSync(join(within, `lastword-${name}-`));
  cpSync(source, folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const { lastword, ...others } = { ...manifest.dependencies, ...manifest.devDependencies };
  assert.equal(lastword, `^${versionOf(inside("js"))}`);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies: undefined, devDependencies: undefined }));
  await output("npm", ["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", packed], { cwd: folder });
  for (const [other, version] of Object.entries(others)) {
    mkdirSync(dirname(join(folder, "node_modules", other)), { recursive: true });
    symlinkSync(installed(other, version), join(folder, "node_modules", other));
  }
  return new Example(name, folder, manifest.scripts);
}

class Example {
  #servers = [];

  constructor(name, folder, scripts) {
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    for (const [script, command] of Object.entries(scripts)) {
      const ways = [command, `npm run ${script}`, `npm ${script}`, `npx ${command}`];
      assert.ok(ways.some((way) => readme.includes(way)), `examples/${name}/README.md says nothing of ${script}`);
    }
    Object.assign(this, { name, folder, scripts });
  }

  /** A script's command, on that port where it is told one. */
  #command(script, port) {
    const [program, ...args] = this.scripts[script].split(" ");
    const at = args.indexOf("--port");
    if (at >= 0) args[at + 1] = String(port);
    else if (program === "wrangler" && script === "start") args.push("--port", String(port));
    const programs = [...ROOTS.map((root) => join(root, ".bin", program))];
    const path = program === "node" ? process.execPath : programs.find(existsSync);
    assert.ok(path, `${program} is not installed for the tests`);
    return [path, args];
  }

  async build() {
    const [program, args] = this.#command("build");
    await output(program, args, { cwd: this.folder, env: QUIET });
  }

  /** Starts it: `origin`, all that it has `said()`, and `stop()`. */
  async start(env = {}) {
    const port = await freePort();
    const [program, args] = this.#command("start", port);
    // A group of its own, so that what it starts ends with it.
    const options = { cwd: this.folder, env: environment({ ...QUIET, PORT: String(port), ...env }), stdio: ["ignore", "pipe", "pipe"], detached: true };
    const child = spawn(program, args, options);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    const ended = new Promise((done) => child.on("close", done));
    const stop = async () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
      await ended;
    };
    this.#servers.push(stop);
    const origin = `http://127.0.0.1:${port}`;
    await eventually(async () => (await fetch(origin).catch(() => undefined)) !== undefined, () => `${this.name} to answer: ${said}`, 60_000);
    return { origin, said: () => said, stop };
  }

  /** Ends what it has started, and clears its folder away. */
  async leave() {
    for (const stop of this.#servers) await stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
