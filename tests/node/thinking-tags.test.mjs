// A model that thinks between tags in its text, with both settings of LASTWORD_THINKING_TAGS, and whatever the cuts.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { pool } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { leaks, recording } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

const READ = { LASTWORD_THINKING_TAGS: "true" };
const workers = {
  off: sharedWorker(),
  almost: sharedWorker({ LASTWORD_THINKING_TAGS: "True" }),
  on: sharedWorker(READ),
  shown: sharedWorker({ ...READ, LASTWORD_PUBLIC: "intermediate=true,thinking=true" }),
};
const upstreamOn = sharedWorker(upstreamVars(upstream, READ));
const upstreamShown = sharedWorker(upstreamVars(upstream, { ...READ, LASTWORD_PUBLIC: "intermediate=true,thinking=true" }));

const tape = recording("thinking-tags");

async function run(worker, params) {
  const runId = fresh("run");
  const agent = agentWithHistory(worker.url, params);
  const before = structuredClone(agent.messages);
  const { transcript } = await runOracle(agent, { runId, forwardedProps: params?.model && { model: params.model } });
  const operator = await worker.eventsOf(runId, "operator");
  const heard = (type) => operator.map((event) => (event.type === type ? event.delta : "")).join("");
  return { transcript, before, bytes: agent.captured[0], heard };
}

describe("a recording with thinking tags", { concurrency: true }, () => {
  for (const setting of ["off", "almost"]) {
    test(`is published whole where the option is ${setting === "off" ? "off" : "not exactly true"}`, async () => {
      const { transcript, before, heard } = await run(workers[setting], { model: tape.model });
      assertAnswer(transcript, before, tape.answer);
      assert.equal(heard("thinking"), "");
    });
  }

  test("is published without its thinking where it is on", async () => {
    const { transcript, before, bytes, heard } = await run(workers.on, { model: tape.model });
    assertAnswer(transcript, before, tape.without_tags);
    assert.deepEqual(leaks(tape.thought, bytes), []);
    assert.deepEqual(tape.thought.filter((word) => !heard("thinking").includes(word)), [], "the operator has it as thinking");
  });

  test("shows its thinking as reasoning where that is public", async () => {
    const { transcript, before } = await run(workers.shown, { model: tape.model });
    const [reasoning, answer, ...more] = transcript.slice(before.length);
    assert.deepEqual([reasoning.role, answer.role, answer.content, more.length], ["reasoning", "assistant", tape.without_tags, 0]);
    assert.deepEqual(tape.thought.filter((word) => !reasoning.content.includes(word)), []);
  });
});

/** Runs against a provider that says these pieces. */
function saying(worker, pieces) {
  const text = fresh("tags");
  upstream.on(text, async (call) => {
    await call.writeAll(chat(pieces));
    await call.end();
  });
  return run(worker, { text });
}

describe("a provider with thinking tags", { concurrency: true }, () => {
  test("that cuts its deltas at every place of the tags", async () => {
    const whole = "<think>Hmm.</think>\n\nFine.";
    await pool(Array.from(whole, (_, at) => at), 8, async (at) => {
      const { transcript, before, bytes } = await saying(upstreamOn, [whole.slice(0, at), whole.slice(at)]);
      assertAnswer(transcript, before, "Fine.");
      assert.deepEqual(leaks(["Hmm"], bytes), [], `cut at ${at}`);
    });
  });

  test("whose opening tag is in the prompt: what came before the closing one is no answer", async () => {
    const { transcript, before, bytes, heard } = await saying(upstreamOn, ["Hmm.\n</th", "ink>\n\n", "Fine."]);
    assertAnswer(transcript, before, "Fine.");
    assert.deepEqual(leaks(["Hmm"], bytes), []);
    assert.equal(heard("intermediate"), "Hmm.\nFine.", "the operator has heard it as it came");
  });

  test("the same where all is public: it is shown as thinking, once", async () => {
    const { transcript, before } = await saying(upstreamShown, ["Hmm.", "</think>Fine."]);
    const said = transcript.slice(before.length).map(({ role, content }) => [role, content]);
    assert.deepEqual(said, [["reasoning", "Hmm."], ["assistant", "Fine."]]);
  });

  test("that thinks to its end: an empty answer", async () => {
    const { transcript, before, bytes } = await saying(upstreamOn, ["<think>Hmm."]);
    assert.deepEqual(transcript, before);
    assert.deepEqual(leaks(["Hmm"], bytes), []);
  });

  test("whose answer talks about them: it stays whole", async () => {
    const answer = "Models think between `<think>` and `</think>`, or <reasoning> and so on.";
    const { transcript, before } = await saying(upstreamOn, [answer.slice(0, 30), answer.slice(30)]);
    assertAnswer(transcript, before, answer);
  });

  test("that thinks, calls a tool and thinks again: the model is never told of its thinking", async () => {
    const text = fresh("tags");
    const call = { index: 0, id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
    const calling = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] })}\n\n`;
    upstream.on(text, async (call) => {
      const isFirst = upstream.callsOf(text).length === 1;
      const said = isFirst ? ["Hmm.</think>Let me look."] : ["<think>So.</think>Fine."];
      await call.writeAll(isFirst ? [...chat(said).slice(0, 1), Buffer.from(calling)] : chat(said));
      await call.end();
    });
    const { transcript, before, bytes } = await run(upstreamOn, { text });
    assertAnswer(transcript, before, "Fine.");
    assert.deepEqual(leaks(["Hmm", "So.", "look"], bytes), []);
    const [, second] = upstream.callsOf(text);
    assert.equal(second.body.messages.findLast(({ role }) => role === "assistant").content, "Let me look.");
  });
});
