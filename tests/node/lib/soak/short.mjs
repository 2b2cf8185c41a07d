// Short runs in one object, one after the other: what is left of them in memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { METER, metered } from "../meter.mjs";
import { chat, startUpstream, upstreamVars } from "../upstream.mjs";
import { fresh, runInput, Worker } from "../worker.mjs";

/** The memory that a process has in use, in bytes; nothing where the system does not say. */
export function rss(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmRSS:\s*(\d+) kB$/m)[1]) * 1024;
  } catch {
    return undefined;
  }
}

/**
 * Plays so many short runs in one thread, each posted once the one before has ended. Returns `samples`, ten or more,
 * evenly apart: `{runs, memory, rss, timers, objects}`.
 */
export async function shortRuns({ runs, persist, say = () => {} }) {
  const upstream = await startUpstream();
  const worker = await new Worker().start(upstreamVars(upstream), persist, { prelude: METER });
  const [thread, text] = [fresh("thread"), fresh("short")];
  upstream.on(text, async (call) => {
    await call.write(Buffer.concat(chat(["Yes."])));
    await call.end();
  });
  const samples = [];
  const every = Math.ceil(runs / 20);
  try {
    for (let done = 0; done < runs; done += 1) {
      const played = await (await worker.post(runInput({ thread, text }))).end();
      assert.equal(played.frames.at(-1).json.type, "RUN_FINISHED");
      if ((done + 1) % every > 0) continue;
      const { memory, timers, objects } = await metered(worker);
      samples.push({ runs: done + 1, memory, timers, objects, rss: rss(worker.pid) });
      say(JSON.stringify(samples.at(-1)));
    }
  } finally {
    await worker.stop();
    await upstream.stop();
  }
  return samples;
}

/** What an index object costs that the platform has not let go of yet, in bytes: of the module's memory, and of the process's. */
const [HELD, HELD_BY_PROCESS] = [320, 400 << 10];

/**
 * The second half of the runs needs no more than the first, beside the index objects that are still there: each run has
 * one, and the platform lets go of it some ten seconds after its last request.
 */
export function assertLevels(samples) {
  const half = samples[Math.floor(samples.length / 2) - 1];
  const last = samples.at(-1);
  const more = Math.max(0, last.objects - half.objects);
  assert.ok(last.timers <= 1, `${last.timers} timers wait`);
  const told = JSON.stringify(samples);
  assert.ok(last.memory - half.memory <= (2 << 16) + more * HELD, `the module's memory grows: ${told}`);
  if (last.rss) assert.ok(last.rss <= 1.25 * half.rss + more * HELD_BY_PROCESS, `the process grows: ${told}`);
}
