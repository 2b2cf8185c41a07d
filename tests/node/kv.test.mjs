// Runs over Workers KV alone, in the platform's own runtime and its KV: what reaches a client is what reaches it from
// Durable Objects. What can't be promised is refused, or said.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { BadKv, KvWorker } from "./lib/kv.mjs";
import { eventually, whole } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, byGet, runOracle } from "./lib/oracle.mjs";
import { assertOutcome } from "./lib/outcome.mjs";
import { clientTools, leaks, recording, recordings } from "./lib/recordings.mjs";
import { assertWire, frameBytes, readSse } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const kv = sharedWorker({ LASTWORD_STORE: "kv" });
const objects = sharedWorker();
const model = sharedWorker(upstreamVars(upstream, { LASTWORD_STORE: "kv" }));
after(() => upstream.stop());

/** The recordings that play for long are played elsewhere. */
const SHORT = recordings.filter(({ name }) => !["long-answer", "prose-monologue", "loop"].includes(name));

/** What a client is told, without when, under which cursor and reference, and in how many pieces. */
function told(frames) {
  const events = [];
  for (const { data } of frames) {
    const timeless = data.replace(/(?<="expiresAt":")[^"]*/g, "then").replace(/ \(reference [0-9a-f]{12}\)/g, "");
    const { timestamp, ...event } = JSON.parse(timeless.slice("data: ".length));
    const last = events.at(-1);
    if (event.delta !== undefined && last?.type === event.type && last.messageId === event.messageId) last.delta += event.delta;
    else events.push(event);
  }
  return events;
}

function assertStale({ status, headers, text }) {
  assert.deepEqual([status, headers["retry-after"], JSON.parse(text).error.code], [503, "60", "maybe_stale"]);
}

/** The words of a model that talks without end, until the other side closes. */
function endless() {
  const text = fresh("endless");
  upstream.on(text, async (call) => {
    while (await call.write(chat(["chatter "])[0])) await new Promise((done) => setTimeout(done, 50));
  });
  return text;
}

/** The words of a model that ends its answer once `release` is called. */
function held() {
  const text = fresh("held");
  let release;
  const released = new Promise((done) => (release = done));
  upstream.on(text, async (call) => {
    const [first, ...rest] = chat(["Done", " and", " dusted."]);
    await call.write(first);
    await released;
    await call.writeAll(rest);
    await call.end();
  });
  return { text, release };
}

describe("Workers KV", { concurrency: true }, () => {
  describe("a recording over Workers KV", { concurrency: 16 }, () => {
    for (const tape of SHORT) {
      test(`is told as from Durable Objects: ${tape.name}`, async () => {
        const [runId, thread, question] = [fresh("run"), fresh("thread"), fresh("q")];
        const params = { runId, tools: clientTools(tape.client_tools), forwardedProps: { model: tape.model } };
        const agents = [kv, objects].map(({ url }) => agentWithHistory(url, { thread, question }));
        const before = structuredClone(agents[0].messages);
        const [over, from] = await Promise.all(agents.map((agent) => runOracle(agent, params)));
        assertOutcome(tape, before, over, { code: tape.failure });
        assert.deepEqual(over.transcript, from.transcript);
        const [sent, expected] = agents.map(({ captured }) => readSse(captured[0]).frames);
        assertWire(sent);
        assert.deepEqual(told(sent), told(expected));

        const joined = await runOracle(agentWithHistory(kv.url, { thread, question, via: byGet(kv.url, runId) }), params);
        assert.deepEqual(joined.transcript, over.transcript);
        const { json } = await kv.record(runId);
        assert.deepEqual(json.store, { claim: "best_effort", outcome: "best_effort" }, "the record says what it is worth");
        assert.deepEqual(leaks(tape.narration, agents[0].captured[0]), []);
      });
    }
  });

  describe("over Workers KV", { concurrency: 16 }, () => {
    test("a run goes on with a person's word, and the same word sent again joins it", async () => {
      const tape = recording("approval");
      const [thread, question, first, second] = [fresh("thread"), fresh("q"), fresh("run"), fresh("run")];
      const forwardedProps = { model: tape.model };
      const agent = agentWithHistory(kv.url, { thread, question });
      const before = structuredClone(agent.messages);
      const { terminal } = await runOracle(agent, { runId: first, forwardedProps });
      assert.equal(terminal.outcome.type, "interrupt");
      const resume = terminal.outcome.interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
      const other = await kv.post(runInput({ thread, model: tape.model }));
      assert.deepEqual([other.status, JSON.parse((await other.end()).text).error.code], [409, "interrupt_open"]);

      const again = agentWithHistory(kv.url, { thread, question });
      const { transcript } = await runOracle(agent, { runId: second, resume, forwardedProps });
      assertAnswer(transcript, before, tape.answer);
      assert.deepEqual((await runOracle(again, { runId: second, resume, forwardedProps })).transcript, transcript);
      const tools = (await kv.eventsOf(second, "operator")).filter(({ type }) => type === "tool_end");
      assert.deepEqual(tools.map(({ call, outcome }) => [call, outcome]), [["call_refund_1", "ok"]], "it ran once");
    });

    test("a run that is sent again is joined, while it runs and after, and asks the model once", async () => {
      const { text, release } = held();
      const input = runInput({ text });
      const first = await model.post(input);
      await eventually(() => upstream.callsOf(text).length > 0, "the model is asked");
      const second = await model.post(input);
      const other = await model.post({ ...input, messages: [{ id: "m", role: "user", content: "Another" }] });
      assert.deepEqual([other.status, JSON.parse((await other.end()).text).error.code], [409, "run_conflict"]);
      const busy = await model.post(runInput({ thread: input.threadId }));
      assert.deepEqual([busy.status, JSON.parse((await busy.end()).text).error.code], [409, "thread_busy"]);
      release();
      for (const exchange of [first, second]) assert.equal((await exchange.end()).frames.at(-1).json.type, "RUN_FINISHED");
      const late = await (await model.post(input)).end();
      assert.equal(late.frames.at(-1).json.type, "RUN_FINISHED");
      assert.equal(frameBytes(late.frames), frameBytes((await (await model.join(input.runId)).end()).frames));
      assert.equal(upstream.callsOf(text).length, 1);
    });

    test("another request cancels a run: it is asked to, and ends so", async () => {
      const input = runInput({ text: endless() });
      const customer = await model.post(input);
      await eventually(() => upstream.callsOf(input.messages[0].content)[0]?.writes > 3, "the model talks");
      assert.deepEqual(await model.cancel(input.runId), { status: 200, json: { run: input.runId, status: "cancelled" } });
      assert.deepEqual((await customer.end()).frames.at(-1).json.outcome, { type: "cancelled" });
      assert.deepEqual((await model.cancel(input.runId)).json, { run: input.runId, status: "cancelled" }, "a second time");
      const [call] = upstream.callsOf(input.messages[0].content);
      await eventually(() => call.isGone, "the connection to the model is closed");
    });

    test("a client that leaves ends its run before the platform does, and the run says so itself", async (t) => {
      const store = new BadKv();
      const worker = await new KvWorker().start(store, "a", upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" }));
      t.after(() => worker.stop().then(() => store.stop()));
      const input = runInput({ text: endless() });
      const customer = await worker.post(input);
      await eventually(() => upstream.callsOf(input.messages[0].content)[0]?.writes > 3, "the model talks");
      customer.leave();
      await eventually(() => upstream.callsOf(input.messages[0].content)[0].isGone, "the model is let go", 40_000);
      await eventually(() => store.json("/head").status === "failed", "the end");
      const { failure, writers, revision } = store.json("/head");
      assert.equal(failure.code, "worker_lost");
      assert.deepEqual([writers.length, writers[0].segments <= revision], [1, true], "nobody else has written");
      assert.equal(upstream.callsOf(input.messages[0].content).length, 1);
    });

    test("a run goes on without its client, as long as the platform allows", async (t) => {
      const store = new BadKv();
      const worker = await new KvWorker().start(store, "a", upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" }));
      t.after(() => worker.stop().then(() => store.stop()));
      const { text, release } = held();
      const input = runInput({ text });
      const customer = await worker.post(input);
      await eventually(() => upstream.callsOf(text).length > 0, "the model is asked");
      customer.leave();
      // By then the platform has ended what nothing keeps.
      setTimeout(release, 5000);
      assert.equal((await worker.ended(input.runId)).status, "succeeded");
      const late = await (await worker.post(input)).end();
      assert.equal(late.frames.at(-1).json.type, "RUN_FINISHED");
      assert.equal(upstream.callsOf(text).length, 1);
    });

    test("health says what the store is worth", async () => {
      const { store } = JSON.parse((await whole(`${kv.url}/health`)).text);
      assert.deepEqual(store, { kind: "workers-kv", claim: "best_effort", outcome: "best_effort", staleness: 60 });
    });
  });

  describe("what Workers KV cannot know", { concurrency: 8 }, () => {
    test("a run that it does not show may be there: 503 with a time to ask again, on every route of a run", async () => {
      const run = fresh("nobody");
      for (const [path, method] of [["", "GET"], ["/events", "GET"], ["/cancel", "POST"]]) {
        assertStale(await whole(`${kv.url}/v1/runs/${run}${path}`, { method }));
      }
      assertStale(await whole(`${kv.url}/agui/runs/${run}`));
      assert.equal((await objects.record(run)).status, 404, "an object knows");
    });

    test("once is refused before anything is written, by whoever asks for it; an object takes it", async (t) => {
      const store = new BadKv();
      const worker = await new KvWorker().start(store, "a");
      const strict = await new KvWorker().start(store, "b", { LASTWORD_EXACTLY_ONCE: "required" });
      t.after(() => Promise.all([worker.stop(), strict.stop()]).then(() => store.stop()));
      const props = (exactlyOnce) => ({ forwardedProps: { model: "replay/empty-answer", exactlyOnce } });
      for (const [at, input] of [[worker, runInput(props("required"))], [strict, runInput({ model: "replay/empty-answer" })]]) {
        const refused = await (await at.post(input)).end();
        assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [412, "exactly_once_unsupported"]);
      }
      const odd = await (await worker.post(runInput(props(true)))).end();
      assert.deepEqual([odd.status, JSON.parse(odd.text).error.code], [400, "invalid_input"]);
      assert.deepEqual(store.keys, []);

      const input = runInput(props("required"));
      const first = await (await objects.post(input)).end();
      assert.equal(first.frames.at(-1).json.type, "RUN_FINISHED");
      const plain = { ...input, forwardedProps: { model: "replay/empty-answer" } };
      assert.equal((await (await objects.post(plain)).end()).status, 200, "it is the same input without the word");
    });

    test("a namespace that is not bound is named", async (t) => {
      const store = new BadKv();
      const worker = await new KvWorker().start(store, "a", {}, { binding: "OTHER_KV" });
      t.after(() => worker.stop().then(() => store.stop()));
      for (const path of ["/health", "/v1/runs/r"]) {
        const { status, text } = await whole(`${worker.url}${path}`);
        const { error } = JSON.parse(text);
        assert.deepEqual([status, error.code], [503, "not_configured"]);
        assert.match(error.message, /LASTWORD_KV/);
      }
    });
  });
});
