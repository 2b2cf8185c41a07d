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

/** Memory does not grow with the number of runs: what the second half needs more is next to nothing. */
export function assertLevels(samples) {
  const half = samples[Math.floor(samples.length / 2) - 1];
  const last = samples.at(-1);
  assert.equal(last.timers, 0, "no timer waits");
  assert.ok(last.memory - half.memory <= 1 << 16, `the module's memory grows: ${samples.map(({ memory }) => memory)}`);
}
