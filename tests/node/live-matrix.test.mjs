// Every recording × {as recorded, failed, cancelled} × both official clients, through the Worker and an upstream that
// holds still in the middle of the last response: there some join, by POST and by GET, and others come after the end.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { eventually } from "./lib/http.mjs";
import { agentWithHistory, byGet, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { assertCancelled, assertFailed, assertOutcome } from "./lib/outcome.mjs";
import { clientTools, firstRun, recordings } from "./lib/recordings.mjs";
import { startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

/** A Worker a provider format. */
const WORKERS = {
  chat: sharedWorker(upstreamVars(upstream)),
  signals: sharedWorker(upstreamVars(upstream, { LASTWORD_PROVIDER: "signals" })),
};

/** The ends, and how each is brought about while the upstream holds still. */
const ENDS = {
  "as recorded": { bring: ({ release }) => release("rest"), check: assertOutcome },
  failed: { bring: ({ release }) => release("death"), check: (tape, before, result) => assertFailed(before, result) },
  cancelled: {
    bring: async ({ release }, runId, worker) => {
      assert.equal((await worker.cancel(runId)).json.status, "cancelled");
      release("death");
    },
    check: (tape, before, result, { version }) => assertCancelled(before, result, version),
  },
};

/**
 * Plays a recording's responses to whoever asks with these words; in the middle of the last one it waits for
 * `release("rest")` or `release("death")`.
 */
function scripted(text, tape) {
  const responses = firstRun(tape);
  const hold = { calls: 0 };
  const released = new Promise((done) => (hold.release = done));
  upstream.on(text, async (call) => {
    const at = hold.calls++;
    const [bytes, { end }] = [Buffer.from(responses[at]), tape.responses[at]];
    if (at < responses.length - 1) return play(call, bytes, end);
    const half = bytes.length >> 1;
    await call.write(bytes.subarray(0, half));
    hold.isHeld = true;
    if ((await released) === "death") return call.destroy();
    return play(call, bytes.subarray(half), end);
  });
  return hold;
}

/** Writes what is left of a response, and ends it as it ended when it was recorded. */
async function play(call, bytes, end) {
  await call.write(bytes);
  return end === "abort" ? call.destroy() : call.end();
}

describe("everybody gets the same, whenever they come", { concurrency: 6 }, () => {
  for (const tape of recordings) {
    for (const end of Object.keys(ENDS)) {
      for (const version of VERSIONS) test(`${tape.name}, ${end}, client ${version}`, () => meet(tape, ENDS[end], version));
    }
  }
});

async function meet(tape, { bring, check }, version) {
  const worker = WORKERS[tape.format ?? "chat"];
  const [text, thread, runId, question] = [fresh("words"), fresh("thread"), fresh("run"), fresh("q")];
  const params = { runId, tools: clientTools(tape.client_tools) };
  const hold = scripted(text, tape);
  const agent = (rest) => agentWithHistory(worker.url, { thread, question, text, client: version, ...rest });
  const get = { via: byGet(worker.url, runId) };
  const starter = agent();
  const before = structuredClone(starter.messages);

  const running = [runOracle(starter, params)];
  await eventually(() => hold.isHeld, "the middle of the last response");
  let joined = 0;
  const onHeaders = () => (joined += 1);
  running.push(runOracle(agent({ onHeaders }), params), runOracle(agent({ ...get, onHeaders }), params));
  await eventually(() => joined === 2, "two readers that join");
  await bring(hold, runId, worker);

  const [first, ...others] = await Promise.all(running);
  // In front of an upstream the Worker has no tools of its own, so none that needs a person's word.
  check({ ...tape, approvals: undefined }, before, first, { version });
  others.push(await runOracle(agent(), params), await runOracle(agent(get), params));
  for (const other of others) {
    assert.deepEqual(other.transcript, first.transcript, "ids and all");
    assert.deepEqual(other.terminal, first.terminal);
  }
}
