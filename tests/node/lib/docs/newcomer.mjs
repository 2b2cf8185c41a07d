// Somebody who has an empty folder, the packed package and a page of the documentation, and does what the page says.

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

/** The ports that the pages name: of what is served, and of a model on this machine. */
const [SERVED, MODEL] = [3000, 11434];

const RUNTIMES = { node: process.execPath, bun: tool("bun"), deno: tool("deno") };

export class Newcomer {
  #bin;
  #env;
  #model;
  #servers = [];

  /**
   * `registry` has the package; `model` is the port of what stands for a model on this machine. `runtimes` are programs
   * in place of those that are used else, by name; `env` is what the newcomer has set; `within` where the folder is.
   */
  constructor(path, { registry, model, runtimes = {}, env = {}, within = tmpdir() }) {
    this.page = new Page(path);
    this.home = mkdtempSync(join(within, "lastword-newcomer-"));
    this.folder = join(this.home, "project");
    this.#bin = join(this.home, "bin");
    for (const folder of [this.folder, this.#bin]) mkdirSync(folder);
    for (const [name, program] of Object.entries({ ...RUNTIMES, ...runtimes })) symlinkSync(realpathSync(program), join(this.#bin, name));
    this.#model = model;
    const caches = { npm_config_cache: join(this.home, "npm"), DENO_DIR: join(this.home, "deno"), BUN_INSTALL_CACHE_DIR: join(this.home, "bun") };
    const quiet = { npm_config_update_notifier: "false", DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", CI: "1", WRANGLER_SEND_METRICS: "false", NEXT_TELEMETRY_DISABLED: "1" };
    this.#env = { ...registry.env, ...caches, ...quiet, ...env };
  }

  /** Writes a file of the page, which may be any of its snippets that are files. */
  write(name, text = this.page.file(name)) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /**
   * Installs what the page's only such command says: the package from the registry, as the command does it, and all else
   * from the tools of these tests.
   */
  async install(start) {
    const command = this.page.command(start);
    const [, ...packages] = command.match(/^(?:npm install|bun add|deno add)(.*)$/)[1].split(" ");
    const others = packages.filter((name) => !/^-|^(npm:)?lastword$/.test(name));
    await this.#sh(command.split(" ").filter((word) => !others.includes(word)).join(" "));
    for (const name of others) this.#link(name);
  }

  #link(name) {
    const source = [TOOLS, inside("node_modules")].map((folder) => join(folder, name)).find((path) => existsSync(path));
    const place = join(this.folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(source, place);
    const { bin = {} } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
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

  /** Begins a command of the page that serves until `stop` is called; resolves once it takes connections. */
  async serve(part, env = {}) {
    this.port = await freePort();
    const child = spawn("sh", ["-c", this.#here(this.page.command(part))], { ...this.#options(env), detached: true, stdio: ["ignore", "pipe", "pipe"] });
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
    return text.replaceAll(String(SERVED), String(this.port)).replaceAll(String(MODEL), String(this.#model));
  }

  async #sh(command) {
    const { stdout } = await promisify(execFile)("sh", ["-c", this.#here(command)], { ...this.#options(), maxBuffer: 1 << 26 });
    return stdout;
  }

  #options(env) {
    const PATH = [this.#bin, process.env.PATH].join(delimiter);
    return { cwd: this.folder, env: { ...process.env, NODE_ENV: undefined, ...this.#env, PORT: String(this.port), ...env, PATH } };
  }
}

/** Whether somebody takes connections at a port. */
const taken = (port) =>
  new Promise((done) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => (socket.destroy(), done(true)));
    socket.once("error", () => done(false));
  });
