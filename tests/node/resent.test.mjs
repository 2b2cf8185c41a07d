// Input that is sent again, by the official client: the same run is joined, another one refused before it starts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whole } from "./lib/http.mjs";
import { agentFor, agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { recording } from "./lib/recordings.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=true" });
const tape = recording("narrated-refund");
const params = (runId) => ({ runId, forwardedProps: { model: tape.model } });

/** What the client rejects with, where a run is refused. */
async function refused(agent, params) {
  const error = await agent.runAgent(params).then(() => assert.fail("it was taken"), (error) => error);
  return { status: error.status, code: error.payload?.error?.code };
}

/** How often the model was called in a run. */
async function responses(run) {
  const events = await worker.eventsOf(run, "operator");
  return events.filter(({ type }) => type === "response_ended").length;
}

const answers = (transcript) => transcript.filter(({ role }) => role === "assistant").map(({ content }) => content);

describe("the same input", { concurrency: 4 }, () => {
  test("joins while the run is under way, and once it has ended, and executes once", async () => {
    const [thread, question, runId] = [fresh("thread"), fresh("q"), fresh("run")];
    const run = () => runOracle(agentWithHistory(worker.url, { thread, question }), params(runId));
    const all = [...(await Promise.all([run(), run(), run()])), await run()];
    for (const { transcript } of all) assert.deepEqual(transcript, all[0].transcript);
    assert.equal(await responses(runId), 3);
  });

  test("is recognised with all that the client has received: answer, reasoning and state", async () => {
    const runId = fresh("run");
    const agent = agentWithHistory(worker.url);
    const first = await runOracle(agent, params(runId));
    assert.ok(first.transcript.some(({ role }) => role === "reasoning"), "it holds public narration");
    agent.setState({ basket: ["tea"] });
    const again = await runOracle(agent, params(runId));
    assert.deepEqual(answers(again.transcript), answers(first.transcript));
    assert.equal(await responses(runId), 3);
  });

  test("is recognised by a client that lost the reply half-way", async () => {
    const [thread, question, runId] = [fresh("thread"), fresh("q"), fresh("run")];
    const lost = await worker.post({ ...runInput({ run: runId, thread, model: tape.model }) });
    await lost.until(({ frames }) => frames.length > 0, "its beginning");
    lost.leave();
    const messages = [{ id: question, role: "user", content: "Hello?" }];
    const { transcript } = await runOracle(agentFor(worker.url, { thread, messages }), params(runId));
    assert.deepEqual(answers(transcript), [tape.answer]);
    assert.equal(await responses(runId), 3);
  });

  test("of a run that is over is replayed though the thread has gone on", async () => {
    const [thread, question, runId] = [fresh("thread"), fresh("q"), fresh("run")];
    const first = await runOracle(agentWithHistory(worker.url, { thread, question }), params(runId));
    await runOracle(agentWithHistory(worker.url, { thread, question }), params(fresh("run")));
    const again = await runOracle(agentWithHistory(worker.url, { thread, question }), params(runId));
    assert.deepEqual(again.transcript, first.transcript);
  });
});

describe("another input", { concurrency: 4 }, () => {
  test("under the id of a run is a conflict, while it runs and after it", async () => {
    const [thread, question, runId] = [fresh("thread"), fresh("q"), fresh("run")];
    let during;
    const onHeaders = () => (during ??= refused(agentWithHistory(worker.url, { thread, text: "Another?" }), params(runId)));
    await runOracle(agentWithHistory(worker.url, { thread, question, onHeaders }), params(runId));
    const conflict = { status: 409, code: "run_conflict" };
    assert.deepEqual(await during, conflict);
    assert.deepEqual(await refused(agentWithHistory(worker.url, { thread, text: "Another?" }), params(runId)), conflict);
    const elsewhere = agentWithHistory(worker.url, { thread: fresh("thread"), question });
    assert.deepEqual(await refused(elsewhere, params(runId)), conflict, "from another thread too");
  });

  test("on a busy thread is refused before it starts, and leaves its id free", async () => {
    const [thread, second] = [fresh("thread"), fresh("run")];
    let during;
    const busy = agentWithHistory(worker.url, { thread });
    const onHeaders = () => (during ??= refused(busy, params(second)));
    const { transcript } = await runOracle(agentWithHistory(worker.url, { thread, onHeaders }), params(fresh("run")));
    assert.ok(answers(transcript).includes(tape.answer));
    assert.deepEqual(await during, { status: 409, code: "thread_busy" });
    assert.equal((await whole(`${worker.url}/v1/runs/${second}`)).status, 404, "there is no such run");
    // Not even its id is taken: it may ask something else by now.
    const other = agentWithHistory(worker.url, { thread, text: "Something else" });
    const history = structuredClone(other.messages);
    const { transcript: later } = await runOracle(other, { runId: second, forwardedProps: { model: "replay/refusal" } });
    assertAnswer(later, history, recording("refusal").answer);
  });
});
