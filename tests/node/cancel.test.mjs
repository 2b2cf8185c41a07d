// Cancel, and once: a run that is cancelled stops reading its provider, a client that leaves changes nothing, and
// the same run posted many times asks the provider once.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, whole } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, byGet, runOracle, undeclared } from "./lib/oracle.mjs";
import { leaks } from "./lib/recordings.mjs";
import { readSse } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const worker = sharedWorker(upstreamVars(upstream));
after(() => upstream.stop());

const PIECE = chat(["chatter "])[0];
const ANSWER = ["Done ", "and ", "dusted."];

/** An upstream that talks without end, 50 times a second, until the other side closes. */
function endless(text) {
  upstream.on(text, async (call) => {
    while (await call.write(PIECE)) await sleep(20);
  });
  return text;
}

/** An upstream that begins an answer and ends it once `release` is called. */
function held(text) {
  let release;
  const released = new Promise((done) => (release = done));
  upstream.on(text, async (call) => {
    const [first, ...rest] = chat(ANSWER);
    await call.write(first);
    await released;
    await call.writeAll(rest);
    await call.end();
  });
  return { text, release };
}

/** The operator's stream, once the model has been heard on it. */
async function heard(run) {
  const exchange = await eventually(async () => {
    const tried = await worker.events(run, { view: "operator" });
    return tried.status === 200 && tried;
  }, `a run ${run}`);
  await exchange.until(({ frames }) => frames.some(({ json }) => json.type === "intermediate"), "the model");
  return exchange;
}

/** The provider's connection was closed by the Worker, and takes nothing more. */
async function assertLetGo(text) {
  const [call, ...others] = upstream.callsOf(text);
  assert.deepEqual(others, [], "the model was asked once");
  await eventually(() => call.isGone, "the Worker closes the connection");
  const { writes } = call;
  await sleep(200);
  assert.equal(call.writes, writes, "nothing is read any more");
}

describe("cancel", { concurrency: true }, () => {
  test("stops reading upstream and ends as cancelled", async () => {
    const [text, runId, thread, question] = [endless(fresh("endless")), fresh("run"), fresh("thread"), fresh("q")];
    const agent = agentWithHistory(worker.url, { thread, question, text });
    const before = structuredClone(agent.messages);
    const running = runOracle(agent, { runId });
    const operator = await heard(runId);
    const { status, json } = await worker.cancel(runId);
    assert.deepEqual({ status, json }, { status: 200, json: { run: runId, status: "cancelled" } });
    await assertLetGo(text);

    const { terminal, transcript } = await running;
    assert.equal(terminal.type, "RUN_FINISHED");
    assert.deepEqual(terminal.outcome, { type: "cancelled" });
    assert.deepEqual(transcript, before);
    assert.equal((await operator.end()).frames.at(-1).json.type, "task_cancelled");
    assert.equal((await worker.record(runId)).json.status, "cancelled");
    assert.deepEqual((await worker.cancel(runId)).json, { run: runId, status: "cancelled" }, "a second time");

    const late = agentWithHistory(worker.url, { thread, question, text, via: byGet(worker.url, runId) });
    assert.deepEqual((await runOracle(late, { runId })).terminal.outcome, { type: "cancelled" });
    for (const bytes of [agent.captured[0], late.captured[0]]) assert.deepEqual(leaks(["chatter"], bytes), []);
  });

  const older = { "a client that has declared no protocol version": { via: undeclared }, "the client 0.0.59": { client: "0.0.59" } };
  for (const [name, options] of Object.entries(older)) test(`is RUN_ERROR \`cancelled\` for ${name}`, async () => {
    const [text, runId] = [endless(fresh("endless")), fresh("run")];
    const agent = agentWithHistory(worker.url, { text, ...options });
    const before = structuredClone(agent.messages);
    const running = runOracle(agent, { runId });
    await heard(runId).then((operator) => operator.leave());
    assert.equal((await worker.cancel(runId)).json.status, "cancelled");
    const { terminal, transcript } = await running;
    assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: "cancelled" });
    assert.deepEqual(transcript, before);
    await assertLetGo(text);
  });

  for (const [name, options] of Object.entries(older)) test(`is RUN_ERROR \`cancelled\` for ${name}, whoever began the run`, async () => {
    const [text, runId, thread, question] = [endless(fresh("endless")), fresh("run"), fresh("thread"), fresh("q")];
    const starter = runOracle(agentWithHistory(worker.url, { thread, question, text }), { runId });
    await heard(runId).then((operator) => operator.leave());
    const joined = agentWithHistory(worker.url, { thread, question, text, ...options });
    const before = structuredClone(joined.messages);
    const joining = runOracle(joined, { runId });
    await eventually(() => joined.captured[0]?.length > 0, "the joiner's first frames");
    await worker.cancel(runId);
    const late = await runOracle(agentWithHistory(worker.url, { thread, question, text, ...options }), { runId });
    for (const { terminal, transcript } of [await joining, late]) {
      assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: "cancelled" });
      assert.deepEqual(transcript, before);
    }
    assert.deepEqual((await starter).terminal.outcome, { type: "cancelled" }, "the starter has declared 1.0");
  });

  test("before the provider has said a word, it is let go as well", async () => {
    const text = fresh("silent");
    upstream.on(text, () => {});
    const input = runInput({ text });
    const customer = await worker.post(input);
    await eventually(() => upstream.callsOf(text).length === 1, "the model is asked");
    assert.equal((await worker.cancel(input.runId)).json.status, "cancelled");
    assert.equal((await customer.end()).frames.at(-1).json.outcome.type, "cancelled");
    await assertLetGo(text);
  });

  test("comes too late for a run that has ended, and changes nothing", async () => {
    const { text, release } = held(fresh("held"));
    release();
    const input = runInput({ text });
    const first = await (await worker.post(input)).end();
    const record = await worker.record(input.runId);
    assert.deepEqual((await worker.cancel(input.runId)).json, { run: input.runId, status: "succeeded" });
    assert.deepEqual(await worker.record(input.runId), record);
    assert.equal((await (await worker.join(input.runId, "0")).end()).text, first.text);
  });

  test("two at once are both answered, and the run ends once", async () => {
    const input = runInput({ text: endless(fresh("endless")) });
    const customer = await worker.post(input);
    const operator = await heard(input.runId);
    const replies = await Promise.all([1, 2, 3].map(() => worker.cancel(input.runId)));
    assert.deepEqual(replies.map(({ json }) => json.status), Array(3).fill("cancelled"));
    const terminals = (await operator.end()).frames.filter(({ json }) => json.type.startsWith("task_"));
    assert.deepEqual(terminals.map(({ json }) => json.type), ["task_started", "task_cancelled"]);
    await customer.end();
  });
});

describe("a client that leaves", { concurrency: true }, () => {
  test("stops nothing: the provider is read to its end, and the answer is there", async () => {
    const { text, release } = held(fresh("held"));
    const [runId, thread, question] = [fresh("run"), fresh("thread"), fresh("q")];
    const later = () => agentWithHistory(worker.url, { thread, question, text });
    const first = await worker.post(runInput({ run: runId, thread, messages: later().messages }));
    await eventually(() => upstream.callsOf(text).length === 1, "the model is asked");
    first.leave();
    await sleep(300);
    const [call] = upstream.callsOf(text);
    assert.equal(call.isGone, false, "the connection to the provider stands");
    release();
    assert.equal((await worker.ended(runId)).status, "succeeded");
    const agent = later();
    const before = structuredClone(agent.messages);
    assertAnswer((await runOracle(agent, { runId })).transcript, before, ANSWER.join(""));
    assert.equal(upstream.callsOf(text).length, 1);
  });
});

describe("once", { concurrency: true }, () => {
  test("the same run posted eight times at once asks the provider once, and all get the answer", async () => {
    const { text, release } = held(fresh("held"));
    const [runId, thread, question] = [fresh("run"), fresh("thread"), fresh("q")];
    const agents = Array.from({ length: 8 }, () => agentWithHistory(worker.url, { thread, question, text }));
    const before = structuredClone(agents[0].messages);
    const running = agents.map((agent) => runOracle(agent, { runId }));
    await eventually(() => upstream.callsOf(text).length > 0, "the model is asked");
    release();
    const ids = (await Promise.all(running)).map(({ transcript }) => assertAnswer(transcript, before, ANSWER.join("")));
    assert.equal(new Set(ids).size, 1);
    assert.equal(upstream.callsOf(text).length, 1);
  });

  test("another input under the same run id is refused", async () => {
    const { text, release } = held(fresh("held"));
    const input = runInput({ text });
    const other = { ...input, messages: [{ ...input.messages[0], content: "Something else" }] };
    const first = await worker.post(input);
    await assertRefused(other, 409, "run_conflict");
    release();
    await first.end();
    await assertRefused(other, 409, "run_conflict");
    await assertRefused({ ...other, threadId: fresh("thread") }, 409, "run_conflict");
    assert.equal(upstream.callsOf("Something else").length, 0);
  });

  test("a second run on a busy thread is refused before it starts, and taken once the first has ended", async () => {
    const { text, release } = held(fresh("held"));
    const first = runInput({ text });
    const second = runInput({ text: held(fresh("held")).text, thread: first.threadId });
    const began = await worker.post(first);
    await assertRefused(second, 409, "thread_busy");
    assert.equal((await worker.record(second.runId)).status, 404, "it left no trace");
    release();
    await began.end();
    const { text: more, release: releaseMore } = held(second.messages[0].content);
    releaseMore();
    const { frames } = await (await worker.post({ ...second, messages: [{ ...second.messages[0], content: more }] })).end();
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
  });
});

async function assertRefused(input, status, code) {
  const reply = await whole(`${worker.url}/agui`, { method: "POST", body: input });
  assert.equal(reply.status, status);
  assert.equal(JSON.parse(reply.text).error.code, code);
}

test("nothing of the answer leaves before the provider has ended its response", async () => {
  const { text, release } = held(fresh("held"));
  const input = runInput({ text });
  const customer = await worker.post(input);
  const operator = await heard(input.runId);
  assert.deepEqual(customer.frames.map(({ json }) => json.type), ["RUN_STARTED"]);
  assert.equal((await worker.record(input.runId)).json.status, "started");
  release();
  await Promise.all([customer.end(), operator.end()]);
  const sent = readSse(customer.bytes).frames.map(({ json }) => json.delta ?? "").join("");
  assert.equal(sent, ANSWER.join(""));
});
