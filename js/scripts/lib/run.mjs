// Runs programs quietly and says what is going on: one line when a step begins, one when it is done,
// one every half minute in between, and the program's own words only if it fails.

import { spawn } from "node:child_process";
import { mkdirSync, createWriteStream } from "node:fs";
import { basename } from "node:path";
import { environment, inside, root } from "./paths.mjs";

const began = Date.now();

/** Programs that are running, so that none outlives this process. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill()));

/** Prints a line with the seconds since this command began. */
export function say(line) {
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`[${String(seconds).padStart(4)} s] ${line}`);
}

/** Why a step failed, in words for the person at the terminal. */
export class Failure extends Error {}

/** Runs `work` as a step that is announced and timed. */
export async function step(name, work) {
  const start = Date.now();
  say(`${name} …`);
  const pulse = setInterval(() => say(`${name}: still at it`), 30_000);
  try {
    const result = await work();
    say(`${name}: done in ${seconds(start)}`);
    return result;
  } finally {
    clearInterval(pulse);
  }
}

const seconds = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`;

/**
 * Runs a program to its end. Its output goes to `target/logs/<log>.log` and is returned as
 * `{code, output}`.
 */
export function capture(command, args, { log = basename(command), env = {}, cwd = root } = {}) {
  mkdirSync(inside("target/logs"), { recursive: true });
  const file = createWriteStream(inside("target/logs", `${log}.log`));
  return new Promise((done) => {
    const chunks = [];
    const child = spawn(command, args, { cwd, env: environment(env), stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        chunks.push(chunk);
        file.write(chunk);
      });
    }
    running.add(child);
    const end = (code, note = "") => {
      running.delete(child);
      file.end();
      done({ code, output: Buffer.concat(chunks).toString() + note });
    };
    child.on("error", (error) => end(127, `${command}: ${error.message}\n`));
    child.on("close", (code, signal) => end(code ?? 1, signal ? `${command}: ended by ${signal}\n` : ""));
  });
}

/** Runs a program that must succeed; otherwise throws a `Failure` with the end of what it said. */
export async function run(command, args, options = {}) {
  const { code, output } = await capture(command, args, options);
  if (code !== 0) {
    throw new Failure(`\`${[command, ...args].join(" ")}\` failed (${code}):\n${tail(output)}`);
  }
  return output;
}

/** The last lines of a text. */
export const tail = (text, lines = 60) => text.trimEnd().split("\n").slice(-lines).join("\n");

/** True if the program can be started. */
export async function has(command) {
  return (await capture(command, ["--version"], { log: "versions" })).code === 0;
}

/**
 * Calls `stop` when this process is asked to end, or when the one that started it has gone: a shell or
 * npm that is killed passes nothing on.
 */
export function onEnd(stop) {
  const parent = process.ppid;
  const once = (signal) => {
    clearInterval(watch);
    stop(signal);
  };
  const watch = setInterval(() => process.ppid !== parent && once("SIGTERM"), 500);
  watch.unref();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, once);
}

/** Runs a script's main function; a `Failure` ends it with its message and code 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error);
    process.exit(1);
  }
}
