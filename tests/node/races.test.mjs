// Fifty at once: the same run, one id with many inputs, one thread with many runs, one interrupt with many answers.
// Whatever the order in which they come, one is executed.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { whole } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { recording } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const FIFTY = 50;
const ROUNDS = 4;

const upstream = await startUpstream();
after(() => upstream.stop());
const worker = sharedWorker(upstreamVars(upstream));
const tapes = sharedWorker();

/** `{status, code}` of each answer, all asked at once; a stream is read to its end. */
const all = (inputs, at = worker) =>
  Promise.all(
    inputs.map(async (body) => {
      const { status, text } = await whole(`${at.url}/agui`, { method: "POST", body });
      return { run: body.runId, status, code: status === 200 ? undefined : JSON.parse(text).error.code, text };
    }),
  );

/** How many answers of each kind there were. */
function counted(answers) {
  const counts = {};
  for (const { status, code } of answers) counts[code ?? status] = (counts[code ?? status] ?? 0) + 1;
  return counts;
}

/** An upstream that answers, and counts by text. */
function answering(text) {
  upstream.on(text, async (call) => {
    await call.writeAll(chat(["Just", " once."]), 10);
    await call.end();
  });
  return text;
}

for (let round = 1; round <= ROUNDS; round += 1) describe(`round ${round}`, () => {
  test("fifty times the same run: one execution and fifty equal transcripts", async () => {
    const [text, runId, thread, question] = [answering(fresh("same")), fresh("run"), fresh("thread"), fresh("q")];
    const agents = Array.from({ length: FIFTY }, () => agentWithHistory(worker.url, { thread, question, text }));
    const before = structuredClone(agents[0].messages);
    const transcripts = (await Promise.all(agents.map((agent) => runOracle(agent, { runId })))).map(({ transcript }) => transcript);
    assertAnswer(transcripts[0], before, "Just once.");
    for (const transcript of transcripts) assert.deepEqual(transcript, transcripts[0]);
    assert.equal(upstream.callsOf(text).length, 1);
  });

  test("fifty inputs under one run id, in one thread or in fifty: one is executed, the others conflict", async () => {
    for (const threadOf of [() => "one", fresh]) {
      const [run, prefix] = [fresh("run"), fresh("thread")];
      const inputs = Array.from({ length: FIFTY }, () => {
        return runInput({ run, thread: `${prefix}-${threadOf("t")}`, text: answering(fresh("other")) });
      });
      assert.deepEqual(counted(await all(inputs)), { 200: 1, run_conflict: FIFTY - 1 });
      const calls = inputs.map((input) => upstream.callsOf(input.messages[0].content).length);
      assert.equal(calls.reduce((sum, count) => sum + count), 1);
    }
  });

  test("fifty runs of one thread: one is executed, the others are told that it is busy", async () => {
    const thread = fresh("thread");
    const inputs = Array.from({ length: FIFTY }, () => runInput({ thread, text: answering(fresh("busy")) }));
    const answers = await all(inputs);
    assert.deepEqual(counted(answers), { 200: 1, thread_busy: FIFTY - 1 });
    const calls = inputs.map((input) => upstream.callsOf(input.messages[0].content).length);
    assert.equal(calls.reduce((sum, count) => sum + count), 1);
    const records = await Promise.all(inputs.map(({ runId }) => worker.record(runId)));
    assert.equal(records.filter(({ status }) => status === 200).length, 1, "the others left no trace");
  });

  test("fifty answers to one interrupt: the tool runs once, whether they are the same or not", async () => {
    const { model, answer } = recording("approval");
    for (const idOf of [(run) => run, () => fresh("run")]) {
      const first = runInput({ model });
      const [{ text }] = await all([first], tapes);
      const { outcome } = JSON.parse(text.match(/data: (\{"type":"RUN_FINISHED".*)/)[1]);
      const resume = outcome.interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
      const run = fresh("run");
      const { messages, threadId: thread } = first;
      const inputs = Array.from({ length: FIFTY }, () => runInput({ run: idOf(run), thread, model, messages, resume }));
      const answers = await all(inputs, tapes);
      const { 200: taken, thread_busy = 0, interrupt_not_open = 0, ...strange } = counted(answers);
      assert.deepEqual(strange, {});
      assert.equal(taken + thread_busy + interrupt_not_open, FIFTY);
      const runs = new Set(answers.filter(({ status }) => status === 200).map(({ run }) => run));
      assert.deepEqual([runs.size, taken], [1, idOf(run) === run ? FIFTY : 1]);
      for (const { text } of answers.filter(({ status }) => status === 200)) assert.ok(text.includes(answer.slice(0, 20)), text);
      const ends = (await tapes.eventsOf([...runs][0], "operator")).filter(({ type }) => type === "tool_end");
      assert.deepEqual(ends.map(({ outcome }) => outcome), ["ok"]);
    }
  });
});
