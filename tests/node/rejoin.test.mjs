// A client that leaves, comes back, comes twice or comes late: the run happens once, and every reader gets the same.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EventSource } from "eventsource";
import { agentWithHistory, assertAnswer, byGet, HISTORY, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { leaks, recording } from "./lib/recordings.mjs";
import { eventually, pool } from "./lib/http.mjs";
import { assertWire, frameBytes, readSse } from "./lib/sse.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const refund = recording("narrated-refund");

/** A run of the refund recording that the official client can post again: the same ids and messages. */
function planned(client) {
  const [thread, runId, question] = [fresh("thread"), fresh("run"), fresh("q")];
  const messages = [...HISTORY, { id: question, role: "user", content: "Hello?" }];
  const params = { runId, forwardedProps: { model: refund.model } };
  return {
    runId,
    params,
    before: messages,
    input: runInput({ thread, run: runId, model: refund.model, messages }),
    agent: () => agentWithHistory(worker.url, { thread, question, client }),
    getAgent: () => agentWithHistory(worker.url, { thread, question, client, via: byGet(worker.url, runId) }),
  };
}

/** How often the model was asked in a run. */
const responses = async (run) =>
  (await worker.eventsOf(run, "operator")).filter((event) => event.type === "response_ended").length;

describe("a run and its readers", { concurrency: true }, () => {
  for (const client of VERSIONS) test(`a client that leaves after the first byte finds the answer when it comes back, ${client}`, async () => {
    const plan = planned(client);
    const first = await worker.post(plan.input);
    await first.until(({ chunks }) => chunks.length > 0, "the first byte");
    first.leave();
    assert.equal((await worker.ended(plan.runId)).status, "succeeded", "nobody reads, and the run goes on");

    const posted = await runOracle(plan.agent(), plan.params);
    const got = await runOracle(plan.getAgent(), plan.params);
    const id = assertAnswer(posted.transcript, plan.before, refund.answer);
    assert.equal(assertAnswer(got.transcript, plan.before, refund.answer), id);
    assert.equal(await responses(plan.runId), 3, "the model was not asked again");
  });

  for (const client of VERSIONS) test(`clients that join while the run is under way get the same answer as the one that began it, ${client}`, async () => {
    const plan = planned(client);
    const starter = await worker.post(plan.input);
    await starter.until(({ frames }) => frames.length > 0, "RUN_STARTED");
    const joins = [plan.agent(), plan.getAgent(), plan.agent(), plan.getAgent()];
    const during = Promise.all(joins.map((agent) => runOracle(agent, plan.params)));
    assert.equal((await worker.record(plan.runId)).json.status, "started");
    const ids = (await during).map(({ transcript }) => assertAnswer(transcript, plan.before, refund.answer));
    await starter.end();
    const answer = starter.frames.find(({ json }) => json.type === "TEXT_MESSAGE_START").json.messageId;
    assert.deepEqual(new Set(ids), new Set([answer]));
    assert.equal(await responses(plan.runId), 3);
  });

  test("a join opens with snapshots, and only the last frame of that prelude has a cursor", async () => {
    const plan = planned();
    await (await worker.post(plan.input)).end();
    const { frames } = await (await worker.join(plan.runId)).end();
    assertWire(frames);
    const types = frames.map(({ json }) => json.type);
    const cut = frames.findIndex(({ id }) => id !== undefined);
    assert.deepEqual(types.slice(0, cut + 1), ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]);
    assert.deepEqual(types.slice(cut + 1), ["RUN_FINISHED"], "the terminal is always a real frame");
    const again = await (await worker.join(plan.runId, frames[cut].id)).end();
    assert.equal(frameBytes(again.frames), frameBytes(frames.slice(cut + 1)));
  });

  test("behind each cursor of the AG-UI stream comes exactly the rest, every time", async () => {
    const plan = planned();
    const { frames, headers } = await (await worker.post(plan.input)).end();
    assert.match(headers["content-type"], /^text\/event-stream/);
    assert.match(headers["cache-control"], /no-cache|no-store/);
    assert.ok(frames.every(({ id }) => id !== undefined), "the starter's frames all have cursors");
    await assertTails(frames, (cursor) => worker.join(plan.runId, cursor));
    const posted = await (await worker.post(plan.input, { "last-event-id": frames[0].id })).end();
    assert.equal(frameBytes(posted.frames), frameBytes(frames.slice(1)), "a POST again takes a cursor too");
  });

  for (const view of ["customer", "operator"]) {
    test(`behind each cursor of the ${view}'s events comes exactly the rest, every time`, async () => {
      const plan = planned();
      await (await worker.post(plan.input)).end();
      const { frames } = await (await worker.events(plan.runId, { view })).end();
      assertWire(frames);
      await assertTails(frames, (cursor) => worker.events(plan.runId, { view }, cursor));
      await assertTails(frames, (after) => worker.events(plan.runId, { view, after }));
    });
  }

  test("the operator's numbers are dense, the customer's are among them", async () => {
    const plan = planned();
    await (await worker.post(plan.input)).end();
    const operator = (await worker.eventsOf(plan.runId, "operator")).map(({ meta }) => meta);
    const customer = (await worker.eventsOf(plan.runId)).map(({ meta }) => meta);
    assert.deepEqual(operator.map(({ seq }) => seq), operator.map((_, index) => index + 1));
    assert.equal(customer.at(-1).seq, operator.at(-1).seq, "both end with the terminal");
    for (const meta of customer) assert.deepEqual(operator[meta.seq - 1], meta);
    assert.equal((await worker.record(plan.runId)).json.sequence, operator.length);
  });

  test("a reader that breaks off and goes on misses nothing and gets nothing twice", async () => {
    const plan = planned();
    const starter = await worker.post(plan.input);
    const pieces = [];
    for (let cursor, over = false; !over; ) {
      const exchange = await worker.events(plan.runId, { view: "operator" }, cursor);
      const had = (count) => ({ frames, closed }) => frames.length >= count || closed;
      await exchange.until(had(4), "some frames");
      const taken = [...exchange.frames];
      exchange.leave();
      pieces.push(...taken);
      cursor = taken.at(-1).id;
      over = taken.some(({ json }) => json.type === "task_completed");
    }
    await starter.end();
    const complete = await (await worker.events(plan.runId, { view: "operator" })).end();
    assert.equal(frameBytes(pieces), frameBytes(complete.frames));
  });

  test("a cursor that the run never came to is no clean end, whether it ends before or after", async () => {
    const plan = planned();
    const starter = await worker.post(plan.input);
    const early = await worker.join(plan.runId, "5000");
    await starter.end();
    for (const { frames } of [await early.end(), await (await worker.join(plan.runId, "5000")).end()]) {
      assert.deepEqual(frames.map(({ json }) => [json.type, json.code]), [["RUN_ERROR", "stream_interrupted"]]);
    }
    const last = starter.frames.at(-1).id;
    for (const behind of [await worker.join(plan.runId, last), await worker.events(plan.runId, {}, last), await worker.events(plan.runId, { after: last, view: "operator" })]) {
      const { status, text } = await behind.end();
      assert.deepEqual({ status, text }, { status: 204, text: "" }, "behind the terminal nothing is left");
    }
  });

  test("a real EventSource reads a run to its end, reconnects once, and stops by itself", async (t) => {
    const plan = planned();
    await (await worker.post(plan.input)).end();
    const source = new EventSource(`${worker.url}/v1/runs/${plan.runId}/events`);
    t.after(() => source.close());
    const types = [];
    source.onmessage = ({ data }) => types.push(JSON.parse(data).type);
    await eventually(() => source.readyState === EventSource.CLOSED, "its own end");
    assert.equal(types.filter((type) => type === "task_completed").length, 1, "nothing is read twice");
    assert.equal(types.at(-1), "task_completed");
  });

  test("a client that does not read stops nothing, and can read all of it later", async () => {
    const plan = planned();
    const body = JSON.stringify(plan.input);
    const response = await fetch(`${worker.url}/agui`, { method: "POST", headers: { "content-type": "application/json" }, body });
    assert.equal((await worker.ended(plan.runId)).status, "succeeded");
    const { frames } = readSse(Buffer.from(await response.arrayBuffer()));
    assert.equal(frames.map(({ json }) => json.delta ?? "").join(""), refund.answer);
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
  });

  test("three turns in one thread, one after the other, leave three answers", async () => {
    const agent = agentWithHistory(worker.url);
    for (const name of ["narrated-refund", "multibyte-cuts", "refusal"]) {
      const before = structuredClone(agent.messages);
      const { transcript } = await runOracle(agent, { forwardedProps: { model: `replay/${name}` } });
      assertAnswer(transcript, before, recording(name).answer);
      agent.addMessage({ id: fresh("q"), role: "user", content: "And then?" });
    }
    assert.equal(new Set(agent.messages.map(({ id }) => id)).size, HISTORY.length + 7, "every message has an id of its own");
  });

  test("?types= leaves out the rest, but never the terminal", async () => {
    const plan = planned();
    await (await worker.post(plan.input)).end();
    const query = { view: "operator", types: "decided,tool_start" };
    const { frames } = await (await worker.events(plan.runId, query)).end();
    const types = frames.map(({ json }) => json.type);
    assert.deepEqual(types, ["decided", "tool_start", "decided", "tool_start", "decided", "task_completed"]);
    assert.deepEqual(frames.filter(({ json }) => json.type === "decided").map(({ json }) => json.answer), [false, false, true]);
  });

  test("the operator sees both tools with arguments and results; the customer sees no tool at all", async () => {
    const plan = planned();
    const starter = await (await worker.post(plan.input)).end();
    const events = await worker.eventsOf(plan.runId, "operator");
    const of = (type, key) => events.filter((event) => event.type === type).map((event) => event[key]);
    assert.deepEqual(of("tool_start", "name"), ["look_up_order", "find_refund"]);
    assert.deepEqual(of("tool_end", "outcome"), ["error", "ok"]);
    assert.match(of("tool_output", "delta").join(""), /"amount":"42\.50"/);
    assert.deepEqual(leaks(["look_up_order", "find_refund", "call_ledger_1", "order_id"], starter.bytes), []);
  });
});

/** From each frame's cursor the rest of the frames comes, twice. */
async function assertTails(frames, open) {
  await pool(frames, 8, async ({ id }, index) => {
    for (const time of ["once", "again"]) {
      const tail = await (await open(id)).end();
      assert.equal(frameBytes(tail.frames), frameBytes(frames.slice(index + 1)), `${time} behind ${id}`);
    }
  });
}
