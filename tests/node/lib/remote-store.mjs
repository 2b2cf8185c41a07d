// Stores in processes of their own, which can be killed.

import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { remote } from "./store-calls.mjs";

const PROGRAM = fileURLToPath(new URL("./store-process.mjs", import.meta.url));

/** Processes that are running, so that none outlives this one. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Starts a process with a store of that kind. `store` makes each call there; `kill()` ends it at once, and with it
 * each call that has no answer yet. `suspend()` lets it stand still until `resume()`.
 */
export async function storeProcess(kind, place, command = [process.execPath]) {
  const child = spawn(command[0], [...command.slice(1), PROGRAM, kind, place], { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  const waiting = new Map();
  const gone = new Promise((done) => child.once("exit", done)).then(() => {
    running.delete(child);
    for (const { fail } of waiting.values()) fail(new Error("The process is gone."));
    waiting.clear();
  });
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: traits } = await lines.next();
  const read = async () => {
    for await (const line of { [Symbol.asyncIterator]: () => lines }) {
      const end = line.indexOf(" ");
      waiting.get(line.slice(0, end))?.done(line.slice(end + 1));
      waiting.delete(line.slice(0, end));
    }
  };
  read();
  let count = 0;
  const send = (text) =>
    new Promise((done, fail) => {
      if (!running.has(child)) return fail(new Error("The process is gone."));
      const id = String((count += 1));
      waiting.set(id, { done, fail });
      child.stdin.write(`${id} ${text}\n`);
    });
  return {
    store: remote(send, JSON.parse(traits)),
    suspend: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** As many such processes, over which handles are spread. `open` gives one after the other, `stop` ends them all. */
export async function storeProcesses(count, ...args) {
  const processes = await Promise.all(Array.from({ length: count }, () => storeProcess(...args)));
  let next = 0;
  return {
    open: () => processes[(next += 1) % count].store,
    stop: () => Promise.all(processes.map(({ kill }) => kill())),
  };
}
