// What the tests of the publishing rule share: a recording played to its end, seen by everybody.

import assert from "node:assert/strict";
import { agentWithHistory, byGet, runOracle } from "./oracle.mjs";
import { leaks, recording } from "./recordings.mjs";
import { assertWire, readSse } from "./sse.mjs";
import { fresh } from "./worker.mjs";

/**
 * Plays a recording through the official client, and reads it again by a late one.
 *
 * `added` is what the transcript gained, without ids; `customer` every byte that a customer was sent; `held` what the
 * operator saw of the model's messages, as `[text, is the answer]`; `last` the canonical wire's terminal.
 */
export async function play(worker, name, { withheld = recording(name).narration } = {}) {
  const [thread, question, runId] = [fresh("thread"), fresh("q"), fresh("run")];
  const params = { runId, forwardedProps: { model: `replay/${name}` } };
  const agent = agentWithHistory(worker.url, { thread, question });
  const before = structuredClone(agent.messages);
  const { transcript, terminal, events } = await runOracle(agent, params);
  assert.deepEqual(transcript.slice(0, before.length), before, "what was there is still there");

  const late = agentWithHistory(worker.url, { thread, question, via: byGet(worker.url, runId) });
  assert.deepEqual((await runOracle(late, params)).transcript, transcript, "who comes later reads the same, ids and all");

  const canonical = await (await worker.events(runId)).end();
  const record = await worker.record(runId);
  for (const bytes of [...agent.captured, ...late.captured, canonical.bytes]) assertWire(readSse(bytes).frames);
  const customer = Buffer.concat([...agent.captured, ...late.captured, canonical.bytes, Buffer.from(record.text)]).toString();
  assert.deepEqual(leaks(withheld, customer), [], "a withheld word reached a customer");
  const operator = await worker.eventsOf(runId, "operator");
  return {
    added: transcript.slice(before.length).map(({ id, ...message }) => message),
    ids: transcript.slice(before.length).map(({ id }) => id),
    terminal,
    events,
    customer,
    operator,
    held: heldMessages(operator),
    record: record.json,
    told: canonical.frames.map((frame) => frame.json),
    last: canonical.frames.at(-1).json,
    state: structuredClone(agent.state),
  };
}

/** The held messages of an operator's view, in order, with what became of them. */
export function heldMessages(operator) {
  const held = new Map();
  for (const { type, message, delta, answer, public: isPublic } of operator) {
    if (type === "intermediate_start" && !isPublic) held.set(message, ["", undefined]);
    if (type === "intermediate" && !isPublic) held.get(message)[0] += delta;
    if (type === "decided") held.get(message)[1] = answer;
  }
  return [...held.values()];
}

/** The transcript gained exactly this answer. */
export function assertAnswered({ added, terminal, record }, text) {
  assert.deepEqual(added, [{ role: "assistant", content: text }]);
  assert.deepEqual([terminal.type, record.status], ["RUN_FINISHED", "succeeded"]);
}

/** The transcript gained nothing, and the failure is told by its code. */
export function assertFailed({ added, terminal, record, told }, code) {
  assert.deepEqual(added, [], "a turn that fails publishes nothing");
  assert.deepEqual([terminal.type, terminal.code], ["RUN_ERROR", code]);
  assert.deepEqual([record.status, record.failure.code], ["failed", code]);
  assert.ok(told.every(({ type }) => !type.startsWith("content")));
}
