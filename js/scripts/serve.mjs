// Serves the built Worker on this machine, in the same runtime as on Cloudflare (workerd, by Miniflare).
// The configuration is wrangler.toml's: bindings, variables, compatibility date; over Workers KV alone wrangler.kv.toml's.

import { readFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptions } from "wrangler";
import { root } from "./lib/paths.mjs";

/** The variables of this process that are meant for the Worker. */
export function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("LASTWORD_")));
}

let starting = Promise.resolve();

/**
 * Starts the built Worker.
 *
 * - `port`: 0 (the default) takes a free one.
 * - `vars`: laid over the variables of wrangler.toml.
 * - `persist`: the folder of the state, of Durable Objects and Workers KV alike. Without it the state is gone after `stop()`.
 * - `prelude`: JavaScript put before the Worker's own, for tests that break something inside.
 * - `ai`: the source of a module whose class `Ai` stands for the binding of Workers AI.
 * - `onLog`: called with each `{level, message}` that the Worker writes to its console.
 *
 * Returns `{url, pid, stop(), kill()}`. `pid` is workerd's; `kill()` ends it as a power cut would.
 */
export function serve(options = {}) {
  // One at a time, so that a new child process is surely the one just started.
  const started = starting.then(() => start(options));
  starting = started.catch(() => {});
  return started;
}

async function start({ port = 0, vars = {}, persist, prelude = "", ai, onLog = printLog }) {
  const before = new Set(children());
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({ workers: [await worker(vars, prelude, ai), ...(ai ? [aiWorker(ai)] : [])] }),
    host: "127.0.0.1",
    port,
    cf: false,
    log: new Log(LogLevel.ERROR),
    logRequests: false,
    handleStructuredLogs: onLog,
    ...(persist ? { resourcePersistencePath: persist } : {}),
  });
  const url = (await miniflare.ready).origin;
  const pid = children().find((child) => !before.has(child));
  return {
    url,
    pid,
    stop: () => miniflare.dispose(),
    kill: async () => {
      process.kill(pid, "SIGKILL");
      await miniflare.dispose();
    },
  };
}

/** The Worker as it is configured, with the modules that the build made. */
async function worker(vars, prelude, ai) {
  const file = vars.LASTWORD_STORE === "kv" ? "wrangler.kv.toml" : "wrangler.toml";
  const { workerOptions: options, main } = workerOptions(join(root, file));
  const { modulesRules, ...kept } = options;
  const read = (name) => readFile(join(dirname(main), name));
  return {
    ...kept,
    name: "lastword",
    bindings: { ...kept.bindings, ...vars },
    ...(ai ? { serviceBindings: { ...kept.serviceBindings, AI: { name: "ai", entrypoint: "Ai" } } } : {}),
    modules: [
      { type: "ESModule", path: "index.js", contents: prelude + (await read("index.js")) },
      { type: "CompiledWasm", path: "lastword.wasm", contents: await read("lastword.wasm") },
    ],
  };
}

/** A Worker beside it, whose class `Ai` is called as the binding of Workers AI is. */
function aiWorker(contents) {
  return { name: "ai", compatibilityDate: "2026-11-17", modules: [{ type: "ESModule", path: "ai.js", contents }] };
}

function printLog({ level, message }) {
  (level === "error" || level === "warn" ? console.error : console.log)(message);
}

/** The ids of this process's children. */
export function children() {
  try {
    return readdirSync("/proc/self/task")
      .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "))
      .filter(Boolean)
      .map(Number);
  } catch {
    return childrenByPgrep();
  }
}

function childrenByPgrep() {
  try {
    return execFileSync("pgrep", ["-P", String(process.pid)], { encoding: "utf8" }).trim().split("\n").map(Number);
  } catch {
    return [];
  }
}
