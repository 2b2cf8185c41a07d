// Somebody who has an empty folder, the packed package and a page of the documentation, and does what the page says.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { inside } from "../../../../js/scripts/lib/paths.mjs";
import { eventually } from "../http.mjs";
import { tool, TOOLS } from "../package.mjs";
import { freePort } from "../ports.mjs";
import { Page } from "./page.mjs";

/** The ports that the pages name: of what is served, of a model on this machine, and of a Redis. */
const PORTS = { served: 3000, model: 11434, redis: 6379 };

const RUNTIMES = { node: process.execPath, bun: tool("bun"), deno: tool("deno") };

/** What keeps programs from asking, counting, looking for news, going elsewhere, and taking this for a run of tests. */
const QUIET = {
  CI: "1",
  NO_COLOR: "1",
  NO_PROXY: "127.0.0.1",
  no_proxy: "127.0.0.1",
  NODE_ENV: undefined,
  NODE_TEST_CONTEXT: undefined,
  npm_config_update_notifier: "false",
  DENO_NO_UPDATE_CHECK: "1",
  WRANGLER_SEND_METRICS: "false",
  NEXT_TELEMETRY_DISABLED: "1",
};

export class Newcomer {
  #bin;
  /** What is set here, but for what an npm that has started this would have its own programs know. */
  #env = { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))), ...QUIET };
  #ports;
  #servers = [];

  /**
   * `registry` has the package; `ports` are those of what stands for the servers of the pages here. `runtimes` are programs
   * in place of those that are used else, by name; `env` is what the newcomer has set; `within` where the folder is.
   */
  constructor(path, { registry, ports, runtimes = {}, env = {}, within = tmpdir() }) {
    this.page = new Page(path);
    this.home = mkdtempSync(join(within, "lastword-newcomer-"));
    this.folder = join(this.home, "project");
    this.#bin = join(this.home, "bin");
    for (const folder of [this.folder, this.#bin]) mkdirSync(folder);
    // Inside another project npm would install there.
    if (within !== tmpdir()) this.write("package.json", "{}");
    for (const [name, program] of Object.entries({ ...RUNTIMES, ...runtimes })) symlinkSync(realpathSync(program), join(this.#bin, name));
    this.#ports = ports;
    const caches = { npm_config_cache: "npm", DENO_DIR: "deno", BUN_INSTALL_CACHE_DIR: "bun" };
    for (const [name, folder] of Object.entries(caches)) this.#env[name] = join(this.home, folder);
    const PATH = [this.#bin, process.env.PATH].join(delimiter);
    Object.assign(this.#env, registry.env, env, { PATH });
  }

  /** Writes a file of the page, which may be any of its snippets that are files. */
  write(name, text = this.page.file(name)) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /**
   * Installs what a command of the page says: the package from the registry, as the command does it, and all else
   * from the tools of these tests.
   */
  async install(part) {
    const command = this.page.command(part);
    const [, ...packages] = command.match(/^(?:npm install|bun add|deno add)(.*)$/)[1].split(" ");
    const others = packages.filter((name) => !/^-|^(npm:)?lastword$/.test(name));
    if (others.length < packages.length) await this.#sh(command.split(" ").filter((word) => !others.includes(word)).join(" "));
    for (const name of others) this.#link(name);
  }

  #link(name) {
    const source = [TOOLS, inside("node_modules")].map((folder) => join(folder, name)).find((path) => existsSync(path));
    assert.ok(source, `${name} is no tool of these tests`);
    const place = join(this.folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(source, place);
    const { bin = {}, version } = read(join(source, "package.json"));
    const manifest = join(this.folder, "package.json");
    const { dependencies, ...rest } = read(manifest);
    writeFileSync(manifest, JSON.stringify({ ...rest, dependencies: { ...dependencies, [name]: version } }));
    mkdirSync(join(this.folder, "node_modules/.bin"), { recursive: true });
    const programs = typeof bin === "string" ? { [name]: bin } : bin;
    for (const [program, path] of Object.entries(programs)) symlinkSync(join(source, path), join(this.folder, "node_modules/.bin", program));
  }

  /** Runs a command of the page, and gives what it writes. */
  async run(part) {
    const command = this.page.command(part);
    const written = await this.#sh(command);
    this.page.assertShown(command, written);
    return written;
  }

  /** Runs a program of the page, which must print what stands behind its `console.log`s. */
  async program(name) {
    const text = this.page.file(name);
    this.write(name, text);
    const said = [...text.matchAll(/^.*console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line]) => line);
    assert.equal(said.length, text.split("console.log(").length - 1, `${name} says of each line what it is`);
    assert.ok(said.length > 0, `${name} prints nothing`);
    const lines = (await this.#sh(`node ${name}`)).trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => line.trim()), said);
  }

  /** Begins a command of the page that serves until `stop` is called; resolves once it takes connections. */
  async serve(part) {
    this.port = await freePort();
    const how = { ...this.#options(), detached: true, stdio: ["ignore", "pipe", "pipe"] };
    const child = spawn("sh", ["-c", this.#here(this.page.command(part))], how);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    let over = false;
    const gone = new Promise((done) => child.once("close", done)).then(() => (over = true));
    this.#servers.push({ child, gone });
    await eventually(async () => {
      if (over) throw new Error(`${part} has ended:\n${said}`);
      return taken(this.port);
    }, `${part} takes connections`, 60_000);
  }

  /** The address of what is served. */
  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends what serves. */
  async stop() {
    for (const { child, gone } of this.#servers.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
      await gone;
    }
  }

  /** Ends all, and leaves nothing. */
  async leave() {
    await this.stop();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A text of the page with the ports that are free here. */
  #here(text) {
    const here = { ...this.#ports, served: this.port };
    return Object.keys(PORTS).reduce((text, name) => text.replaceAll(String(PORTS[name]), String(here[name])), text);
  }

  async #sh(command) {
    const { stdout } = await promisify(execFile)("sh", ["-c", this.#here(command)], { ...this.#options(), maxBuffer: 1 << 26 });
    return stdout;
  }

  #options() {
    return { cwd: this.folder, env: { ...this.#env, PORT: String(this.port) } };
  }
}

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Whether somebody takes connections at a port. */
const taken = (port) =>
  new Promise((done) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => (socket.destroy(), done(true)));
    socket.once("error", () => done(false));
  });
