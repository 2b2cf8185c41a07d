// A run that stops for a person's word, and the new run that goes on with it, through the official client.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { whole } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, byGet, runOracle } from "./lib/oracle.mjs";
import { clientTools, leaks, recording } from "./lib/recordings.mjs";
import { assertWire, frameBytes, readSse } from "./lib/sse.mjs";
import { fresh, removeFolder, sharedWorker, stateFolder, Worker } from "./lib/worker.mjs";

const worker = sharedWorker();

const says = (approved) => (id) => ({ interruptId: id, status: "resolved", payload: { approved } });
const yes = says(true);
const no = says(false);
const givenUp = (id) => ({ interruptId: id, status: "cancelled" });

/** A client whose first run has stopped for a person. */
async function interrupted(name, { url = worker.url, ...rest } = {}) {
  const tape = recording(name);
  const [thread, runId, question] = [fresh("thread"), fresh("run"), fresh("q")];
  const agent = agentWithHistory(url, { thread, question, ...rest });
  const history = structuredClone(agent.messages);
  const params = { tools: clientTools(tape.client_tools), forwardedProps: { model: tape.model } };
  const { terminal, transcript } = await runOracle(agent, { ...params, runId });
  assert.equal(terminal.type, "RUN_FINISHED");
  assert.equal(terminal.outcome.type, "interrupt");
  assert.deepEqual(transcript, history, "nothing was said yet");
  const ids = terminal.outcome.interrupts.map(({ id }) => id);
  assert.deepEqual(agent.pendingInterrupts.map(({ id }) => id), ids);
  const body = (runId, resume) => ({
    ...{ threadId: thread, runId, protocolVersion: "1.0", state: {}, context: [] },
    ...{ messages: history, tools: params.tools, forwardedProps: params.forwardedProps, ...(resume && { resume }) },
  });
  return { tape, thread, runId, question, agent, history, params, ids, interrupts: terminal.outcome.interrupts, body };
}

/** Posts a body and returns `{status, code, message}` of its refusal. */
async function refusal(body, url = worker.url) {
  const { status, text } = await whole(`${url}/agui`, { method: "POST", body });
  return { status, ...JSON.parse(text).error };
}

/** What operators saw of a run's tools: `{call, outcome}`. */
async function toolsOf(run, at = worker) {
  const events = await at.eventsOf(run, "operator");
  return events.filter(({ type }) => type === "tool_end").map(({ call, outcome }) => ({ call, outcome }));
}

describe("a call that needs a person's word", { concurrency: 4 }, () => {
  test("is asked for, and runs once it is approved", async () => {
    const { tape, thread, runId, question, agent, history, params, ids, interrupts } = await interrupted("approval");
    const { id, ...asked } = interrupts[0];
    assert.deepEqual(asked, {
      reason: "tool_call",
      message: 'May issue_refund run with {"order_id":"2077","amount":"18.00"}?',
      toolCallId: "call_refund_1",
      responseSchema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
      metadata: { tool: "issue_refund", input: { order_id: "2077", amount: "18.00" } },
    });
    assert.deepEqual(await toolsOf(runId), [], "it did not run");
    assert.equal((await worker.record(runId)).json.status, "interrupted");
    assert.equal((await worker.eventsOf(runId)).at(-1).type, "approval_requested");

    const second = fresh("run");
    const { transcript, events, terminal } = await runOracle(agent, { ...params, runId: second, resume: ids.map(yes) });
    assert.equal(terminal.outcome?.type ?? "success", "success");
    assertAnswer(transcript, history, tape.answer);
    assert.deepEqual(agent.pendingInterrupts, []);
    assert.ok(!events.some(({ type }) => type.startsWith("TOOL_CALL")), "its start and arguments are not repeated");
    assert.deepEqual(await toolsOf(second), [{ call: "call_refund_1", outcome: "ok" }]);

    const joined = agentWithHistory(worker.url, { thread, question, via: byGet(worker.url, second) });
    assert.deepEqual((await runOracle(joined, { ...params, runId: second })).transcript, transcript);
    assert.deepEqual(joined.pendingInterrupts, [], "a join of the resumed thread shows nothing pending");
    for (const bytes of [...agent.captured, ...joined.captured]) {
      assertWire(readSse(bytes).frames);
      assert.deepEqual(leaks(tape.narration, bytes), []);
    }
  });

  for (const [name, answer, words] of [["denied", no, "did not approve"], ["given up", givenUp, "no answer"]]) {
    test(`does not run where it is ${name}, and the turn goes on`, async () => {
      const { tape, agent, history, params, ids } = await interrupted("approval");
      const second = fresh("run");
      const { transcript } = await runOracle(agent, { ...params, runId: second, resume: ids.map(answer) });
      assertAnswer(transcript, history, tape.answer);
      assert.deepEqual(await toolsOf(second), [{ call: "call_refund_1", outcome: "error" }]);
      const told = (await worker.eventsOf(second, "operator")).find(({ type }) => type === "tool_output").delta;
      assert.ok(told.includes(words), told);
    });
  }

  test("is asked for on a client of before 1.0 too", async () => {
    const { tape, agent, history, params, ids } = await interrupted("approval", { client: "0.0.59" });
    const { transcript } = await runOracle(agent, { ...params, resume: ids.map(yes) });
    assertAnswer(transcript, history, tape.answer);
  });

  test("holds back the client's call of the same response until it is answered", async () => {
    const { tape, agent, history, params, ids } = await interrupted("approval-beside-client-tool");
    const second = await runOracle(agent, { ...params, resume: ids.map(yes) });
    assert.deepEqual(second.terminal.outcome, { type: "success", pendingToolCallIds: ["call_depot_1"] });
    assert.deepEqual(second.transcript.at(-1).toolCalls.map(({ id }) => id), ["call_depot_1"]);
    agent.addMessage({ id: fresh("result"), role: "tool", toolCallId: "call_depot_1", content: "The station" });
    const third = await runOracle(agent, params);
    assert.equal(third.transcript.at(-1).content, tape.answer);
    assert.deepEqual(third.transcript.slice(0, history.length), history);
  });
});

describe("an answer", { concurrency: 4 }, () => {
  test("must be to all that is open, in time and in form, or nothing changes", async () => {
    const { tape, agent, history, params, ids, interrupts, body } = await interrupted("approvals-parallel");
    assert.ok(interrupts.every(({ expiresAt }) => Date.parse(expiresAt) > Date.now() - 60_000));
    const [one, two] = ids;
    const run = fresh("run");
    const refused = async (resume) => {
      const { status, code, message } = await refusal(body(run, resume));
      return { status, code, message: message.replaceAll(one, "ONE").replaceAll(two, "TWO").split(". ").at(-1) };
    };
    assert.deepEqual(await refused(), { status: 409, code: "interrupt_open", message: "Missing: ONE, TWO." });
    assert.deepEqual(await refused([yes(two)]), { status: 409, code: "interrupt_open", message: "Missing: ONE." });
    const strange = await refused([yes(one), yes(two), yes("other")]);
    assert.deepEqual(strange, { status: 409, code: "interrupt_not_open", message: "Not open: other." });
    const twice = await refused([yes(one), no(one)]);
    assert.equal(`${twice.status} ${twice.code}`, "400 invalid_input");
    assert.ok(twice.message.includes("resume[1].interruptId must not be answered twice"), twice.message);
    const odd = await refused([yes(one), { ...yes(two), payload: { approved: "yes" } }]);
    assert.equal(`${odd.status} ${odd.code}`, "400 invalid_input");
    assert.ok(odd.message.includes("resume[1].payload.approved must be a boolean"), odd.message);
    await sleep(Math.max(0, Date.parse(interrupts[0].expiresAt) - Date.now() + 50));
    assert.equal((await refused([givenUp(one), yes(two)])).code, "interrupt_expired");

    // Given up, they let the turn go on, which asks again; the refused id is still free.
    const second = await runOracle(agent, { ...params, runId: run, resume: ids.map(givenUp) });
    assert.equal(second.terminal.outcome.type, "interrupt");
    assert.deepEqual(second.terminal.outcome.interrupts.map(({ toolCallId }) => toolCallId), ["call_close_1"]);
    assert.equal((await refusal(body(fresh("run"), ids.map(givenUp)))).code, "interrupt_not_open");
    const third = await runOracle(agent, { ...params, resume: second.terminal.outcome.interrupts.map(({ id }) => yes(id)) });
    assertAnswer(third.transcript, history, tape.answer);
  });

  test("is not taken twice: the exact resume is joined, another one refused", async () => {
    const { tape, thread, question, agent, history, params, ids, body } = await interrupted("approval");
    const second = fresh("run");
    const resume = ids.map(yes);
    const again = async () => {
      const other = agentWithHistory(worker.url, { thread, question });
      const { transcript } = await runOracle(other, { ...params, runId: second, resume });
      assertAnswer(transcript, history, tape.answer);
      assert.deepEqual(other.pendingInterrupts, []);
    };
    const live = runOracle(agent, { ...params, runId: second, resume });
    await Promise.all([live, again(), again()]);
    await again();
    assert.deepEqual(await toolsOf(second), [{ call: "call_refund_1", outcome: "ok" }], "redeemed once");
    const changed = await refusal(body(second, ids.map(no)));
    assert.deepEqual([changed.status, changed.code], [409, "run_conflict"]);
    const reused = await refusal(body(fresh("run"), resume));
    assert.deepEqual([reused.status, reused.code], [409, "interrupt_not_open"]);
    await runOracle(agent, { forwardedProps: { model: "replay/refusal" } });
  });

  test("is still owed after a cancel, since the run has ended", async () => {
    const { runId, body } = await interrupted("approval");
    assert.deepEqual(await worker.cancel(runId), { status: 200, json: { run: runId, status: "interrupted" } });
    assert.equal((await refusal(body(fresh("run")))).code, "interrupt_open");
  });
});

describe("after a power cut", { concurrency: true }, () => {
  /** A Worker of its own, and the way to lose it and start another over what is stored. */
  async function mortal(t) {
    const folder = await stateFolder();
    const held = { worker: await new Worker().start({ LASTWORD_LEASE: "2" }, folder) };
    t.after(() => held.worker.stop().then(() => removeFolder(folder)));
    held.reborn = async () => {
      await held.worker.kill();
      held.worker = await new Worker().start({ LASTWORD_LEASE: "2" }, folder);
      return held.worker;
    };
    return held;
  }

  test("the interrupts stand, an answer is taken once, and the resumed run replays", async (t) => {
    const held = await mortal(t);
    const { tape, thread, question, history, params, ids, body } = await interrupted("approval", { url: held.worker.url });
    await held.reborn();
    assert.equal((await refusal(body(fresh("run")), held.worker.url)).code, "interrupt_open");
    const second = fresh("run");
    const agent = agentWithHistory(held.worker.url, { thread, question });
    const resume = ids.map(yes);
    const { transcript } = await runOracle(agent, { ...params, runId: second, resume });
    assertAnswer(transcript, history, tape.answer);
    const text = async (opened) => frameBytes((await (await opened).end()).frames);
    const before = await text(held.worker.join(second, "0"));

    await held.reborn();
    const late = agentWithHistory(held.worker.url, { thread, question });
    assert.deepEqual((await runOracle(late, { ...params, runId: second, resume })).transcript, transcript);
    assert.equal(await text(held.worker.join(second, "0")), before);
    assert.deepEqual(await toolsOf(second, held.worker), [{ call: "call_refund_1", outcome: "ok" }]);
    assert.equal((await refusal(body(fresh("run"), resume), held.worker.url)).code, "interrupt_not_open");
  });

  test("in the middle of the resumed run its answer is taken for good, and nothing runs again", async (t) => {
    const held = await mortal(t);
    const { ids, body } = await interrupted("approval", { url: held.worker.url });
    const second = fresh("run");
    const resume = ids.map(yes);
    const customer = await held.worker.post(body(second, resume));
    await customer.until(({ frames }) => frames.length > 0, "the claim");
    await held.reborn();
    assert.equal((await refusal(body(fresh("run"), resume), held.worker.url)).code, "interrupt_not_open");
    const record = await held.worker.ended(second);
    if (record.status === "failed") assert.equal(record.failure.code, "worker_lost");
    const starts = (await held.worker.eventsOf(second, "operator")).filter(({ type }) => type === "tool_start");
    assert.ok(starts.length <= 1, "the call is named once at most");
    const next = await (await held.worker.post({ ...body(fresh("run")), forwardedProps: { model: "replay/refusal" } })).end();
    assert.equal(next.frames.at(-1).json.type, "RUN_FINISHED", "the thread goes on");
  });
});
