// What the operator has made public: narration and thinking as reasoning beside the answer, tools of ours with their
// results, and that the run works. Never anything of it in the answer, and nothing that was not switched on.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentWithHistory, byGet, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { leaks, recording } from "./lib/recordings.mjs";
import { assertWire } from "./lib/sse.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const reasons = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=true" });
const works = sharedWorker({ LASTWORD_PUBLIC: "tools=true,working=true" });
const nothing = sharedWorker({ LASTWORD_PUBLIC: "tools=1,working=yes,intermediate=TRUE,thinking" });

/** A run of a recording: its client, what it held before, and the result. */
async function play(worker, tape, client) {
  const [thread, runId, question] = [fresh("thread"), fresh("run"), fresh("q")];
  const agent = agentWithHistory(worker.url, { thread, question, client });
  const before = structuredClone(agent.messages);
  const params = { runId, forwardedProps: { model: tape.model } };
  const result = await runOracle(agent, params);
  assert.equal(result.terminal.type, "RUN_FINISHED");
  assert.deepEqual(result.transcript.slice(0, before.length), before);

  const late = agentWithHistory(worker.url, { thread, question, client, via: byGet(worker.url, runId) });
  assert.deepEqual((await runOracle(late, params)).transcript, result.transcript, "and the same after the end");
  return { agent, params, runId, before, ...result, added: result.transcript.slice(before.length) };
}

const texts = (messages, role) => messages.filter((one) => one.role === role && one.content).map(({ content }) => content);

describe("narration and thinking", { concurrency: true }, () => {
  for (const name of ["narrated-refund", "reasoning-beside-text"]) {
    for (const client of VERSIONS) {
      test(`${name}, client ${client}`, async () => {
        const tape = recording(name);
        const { added } = await play(reasons, tape, client);
        assert.deepEqual(texts(added, "assistant"), [tape.answer], "the answer alone is the assistant's");
        const reasoning = texts(added, "reasoning").join("\n");
        for (const word of tape.narration) assert.ok(reasoning.includes(word), word);
        assert.equal(added.length, 1 + texts(added, "reasoning").length);
      });
    }
  }
});

describe("tools of ours, and that the run works", { concurrency: true }, () => {
  for (const name of ["narrated-refund", "parallel-tools"]) {
    for (const client of VERSIONS) test(`${name}, client ${client}`, () => showsTools(recording(name), client));
  }
});

async function showsTools(tape, client) {
  const { agent, params, runId, before, added, transcript } = await play(works, tape, client);
  assert.deepEqual(texts(added, "assistant"), [tape.answer], "the answer alone is the assistant's text");
  assert.deepEqual(texts(added, "reasoning"), [], "narration is not public by it");

  const calls = added.flatMap(({ toolCalls = [] }) => toolCalls);
  const recorded = Object.entries(tape.tools).flatMap(([name, all]) => all.map(({ content }) => ({ name, content })));
  assert.deepEqual(calls.map((call) => call.function.name).toSorted(), recorded.map(({ name }) => name).toSorted());
  const narration = tape.narration.filter((word) => !JSON.stringify([calls, recorded]).includes(word));
  assert.deepEqual(leaks(narration, agent.captured[0]), []);
  for (const call of calls) JSON.parse(call.function.arguments);
  for (const [at, message] of added.entries()) {
    const answered = (message.toolCalls ?? []).map(({ id }) => id);
    const behind = added.slice(at + 1, at + 1 + answered.length);
    assert.deepEqual(new Set(behind.map(({ toolCallId }) => toolCallId)), new Set(answered), "results stand behind their calls");
  }
  const results = added.filter(({ role }) => role === "tool").map(({ content }) => content);
  assert.deepEqual(results.toSorted(), recorded.map(({ content }) => content).toSorted());

  const [activity, ...more] = added.filter(({ role }) => role === "activity");
  assert.deepEqual(more, [], "one activity a run");
  assert.deepEqual({ ...activity, id: undefined }, { id: undefined, role: "activity", activityType: "working", content: { step: 2 * tape.responses.length - 1 } });

  await assertCanonical(runId, calls);
  await assertRepeatable(agent, params, before, transcript, works);
}

/** The canonical wire says the same, and that it is public. */
async function assertCanonical(runId, calls) {
  const { frames } = await (await works.events(runId)).end();
  assertWire(frames);
  const events = frames.map(({ json }) => json);
  const of = (type) => events.filter((event) => event.type === type);
  for (const type of ["tool_start", "tool_args_end", "tool_result"]) {
    assert.deepEqual(new Set(of(type).map(({ call }) => call)), new Set(calls.map(({ id }) => id)), type);
    assert.ok(of(type).every((event) => event.public === true), type);
  }
  assert.deepEqual(of("working").map(({ step }) => step), of("working").map((_, index) => index + 1));
  const operator = await works.eventsOf(runId, "operator");
  assert.ok(operator.every((event) => !event.public), "the operator is not told twice");
}

/** A client that has got all of it may send it back under the same run id, and goes on with it in the next. */
async function assertRepeatable(agent, params, before, transcript, worker) {
  assert.deepEqual((await runOracle(agent, params)).transcript, transcript, "the same run again");
  agent.addMessage({ id: fresh("q"), role: "user", content: "And then?" });
  const next = await runOracle(agent, { forwardedProps: { model: "replay/refusal" } });
  assert.equal(next.terminal.type, "RUN_FINISHED");
  assert.deepEqual(next.transcript.slice(0, transcript.length), transcript);
  const record = await worker.record(next.events[0].runId);
  assert.equal(record.json.status, "succeeded");
}

/** What each switch adds to a turn that narrates and calls tools, and to one that thinks. */
const ALONE = {
  intermediate: [["assistant", "reasoning"], ["assistant"]],
  thinking: [["assistant"], ["assistant", "reasoning"]],
  tools: [["assistant", "tool"], ["assistant"]],
  working: [["activity", "assistant"], ["activity", "assistant"]],
};

describe("each switch alone", { concurrency: true }, () => {
  for (const [name, roles] of Object.entries(ALONE)) {
    const worker = sharedWorker({ LASTWORD_PUBLIC: `${name}=true` });
    test(name, async () => {
      const runs = await Promise.all(["narrated-refund", "reasoning-beside-text"].map((of) => play(worker, recording(of), "1.0.0")));
      assert.deepEqual(runs.map(({ added }) => [...new Set(added.map(({ role }) => role))].toSorted()), roles);
    });
  }
});

test("other values than an exact true switch nothing on", async () => {
  for (const name of ["narrated-refund", "reasoning-beside-text"]) {
    const { added } = await play(nothing, recording(name), "1.0.0");
    assert.deepEqual(added.map(({ role }) => role), ["assistant"], name);
  }
});
