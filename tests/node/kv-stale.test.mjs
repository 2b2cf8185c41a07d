// Workers KV at its worst: reads as old as it allows and in any order, writes refused or lost, isolates that die, many
// places that ask at once. What is promised holds; where two run, the record is still one.
//
// The seconds that a read may be old are few here, and the Worker is told so (LASTWORD_KV_STALENESS); in one test it
// is the platform's 60, which pass for the store alone.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BadKv, KvWorker } from "./lib/kv.mjs";
import { eventually } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, byGet, runOracle } from "./lib/oracle.mjs";
import { assertWire, frameBytes } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

/** How old a read may be, in seconds. */
const STALE = 2;

/** Workers in places of their own over one store, all stopped with the test. */
async function places(t, store, names, vars = {}) {
  const all = upstreamVars(upstream, { LASTWORD_KV_STALENESS: String(STALE), LASTWORD_LEASE: "10", LASTWORD_HEARTBEAT: "1", ...vars });
  const workers = await Promise.all(names.map((name) => new KvWorker().start(store, name, all)));
  t.after(() => Promise.all(workers.map((worker) => worker.stop())).then(() => store.stop()));
  return workers;
}

/** The words of a model that answers each call with a text of its own, in pieces. */
function answers() {
  const text = fresh("answers");
  upstream.on(text, async (call) => {
    const number = upstream.callsOf(text).indexOf(call) + 1;
    await call.writeAll(chat([`Answer ${number},`, " well", " thought."], { reasoning: ["Hm", ", let", " me see"] }), 300);
    await call.end();
  });
  return text;
}

/** The words of a model that talks without end. */
function endless() {
  const text = fresh("endless");
  upstream.on(text, async (call) => {
    while (await call.write(chat(["chatter "])[0])) await sleep(50);
  });
  return text;
}

const isStream = ({ status }) => status === 200;
const codeOf = ({ text }) => JSON.parse(text).error.code;

/** The exchange, once the store shows the run there. */
const shown = (ask, what) =>
  eventually(async () => {
    const exchange = await ask();
    if (isStream(exchange)) return exchange;
    assert.deepEqual([exchange.status, codeOf(await exchange.end())], [503, "maybe_stale"], "the only refusal of a read");
    return undefined;
  }, what);

/** What a stream may be: whole, rising, with one terminal at its end; of what was cut, that is said. */
function assertStream({ frames }) {
  assertWire(frames);
  const ids = frames.flatMap(({ id }) => (id === undefined ? [] : [Number(id.split(".")[0])]));
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b), "the numbers rise");
  const terminals = frames.filter(({ json }) => ["RUN_FINISHED", "RUN_ERROR"].includes(json.type));
  assert.equal(terminals.length, 1);
  assert.equal(terminals[0], frames.at(-1), "the terminal is the last");
  return terminals[0].json;
}

/** The answer in the frames of a customer, whole or none: told, or among the messages that one who joins is sent. */
function answerIn(frames) {
  const messages = frames.flatMap(({ json }) => json.messages ?? []).filter(({ role }) => role === "assistant");
  const told = frames.flatMap(({ json }) => (json.type === "TEXT_MESSAGE_CONTENT" ? [json.delta] : []));
  return [...messages.map(({ content }) => content), ...told].join("");
}

describe("Workers KV at its worst", { concurrency: true }, () => {
  describe("a store whose reads are old, in any order, and whose writes fail", { concurrency: 8 }, () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      test(`keeps what is promised (${seed})`, async (t) => {
        const store = new BadKv({ staleness: STALE * 1000, home: seed % 2 === 0, fast: true, lost: seed > 3 ? 0.03 : 0, seed });
        const [a, b] = await places(t, store, ["a", "b"]);
        const input = runInput({ text: answers() });
        const posted = await a.post(input);
        if (!isStream(posted)) {
          assert.ok(["maybe_stale", "store_unavailable"].includes(codeOf(await posted.end())), posted.text);
        }
        const watching = shown(() => b.events(input.runId, { view: "operator" }), "the run, elsewhere");
        const [operator] = await Promise.all([watching, posted.over]);
        await operator.over;
        assert.equal(upstream.callsOf(input.messages[0].content).length, 1, "executed once");
        store.heal();
        const record = await b.ended(input.runId);
        assert.deepEqual(record.store, { claim: "best_effort", outcome: "best_effort" });
        const events = (await (await b.events(input.runId, { view: "operator" })).end()).frames;
        assert.deepEqual(events.map(({ json }) => json.meta.seq), events.map((_, index) => index + 1), "dense");
        const seen = operator.frames.filter(({ id }) => id !== undefined);
        assert.equal(frameBytes(events.slice(0, seen.length)), frameBytes(seen), "what was sent is what is stored");
        const late = await (await b.join(input.runId, "0")).end();
        const terminal = assertStream(late);
        if (!isStream(posted)) return;
        const told = assertStream(posted);
        if (told.code === "stream_interrupted") return;
        assert.equal(frameBytes(posted.frames), frameBytes(late.frames), "from elsewhere it is the same");
        assert.equal(terminal.type, record.status === "succeeded" ? "RUN_FINISHED" : "RUN_ERROR");
        if (record.status === "succeeded") assert.equal(answerIn(late.frames), "Answer 1, well thought.");
      });
    }
  });

  describe("another isolate", { concurrency: 8 }, () => {
    test("goes on behind any cursor, and follows the thread", async (t) => {
      const store = new BadKv();
      const [a, b] = await places(t, store, ["a", "b"]);
      const thread = fresh("thread");
      const follower = await b.follow(thread, { view: "operator" });
      const first = runInput({ thread, text: answers() });
      await (await a.post(first)).end();
      const whole = (await (await a.events(first.runId, { view: "operator" })).end()).frames;
      for (const { id } of whole.slice(0, -1)) {
        const rest = (await (await b.events(first.runId, { view: "operator" }, id)).end()).frames;
        assert.equal(frameBytes(rest), frameBytes(whole.slice(whole.findIndex((frame) => frame.id === id) + 1)));
      }
      assert.equal((await (await b.events(first.runId, { view: "operator" }, whole.at(-1).id)).end()).status, 204);
      const second = runInput({ thread, text: answers() });
      await (await b.post(second)).end();
      const isEnd = ({ json }) => json.type === "task_completed";
      await follower.until(({ frames }) => frames.filter(isEnd).length === 2, "both runs");
      follower.leave();
      const ids = follower.frames.map(({ id }) => id);
      assert.deepEqual(ids.filter((id) => id.startsWith("1-")), whole.map(({ id }) => `1-${id}`));
      assert.deepEqual(new Set(ids.map((id) => id.split("-")[0])), new Set(["1", "2"]));
    });

    test("seals a run whose isolate was killed, for a reader that waits and for one that comes", async (t) => {
      const store = new BadKv({ staleness: STALE * 1000, lag: true });
      const [a, b, c] = await places(t, store, ["a", "b", "c"]);
      const input = runInput({ text: endless() });
      const customer = await a.post(input);
      const operator = await shown(() => b.events(input.runId, { view: "operator" }), "the run, elsewhere");
      await operator.until(({ frames }) => frames.some(({ json }) => json.type === "intermediate"), "the model");
      await a.kill();
      await customer.over;
      assert.ok(!customer.complete, "no clean end without a terminal");
      const { frames } = await operator.end();
      assert.deepEqual([frames.at(-1).json.type, frames.at(-1).json.code], ["task_failed", "worker_lost"]);
      assert.equal((await c.ended(input.runId)).failure.code, "worker_lost");
      assert.equal(upstream.callsOf(input.messages[0].content).length, 1);
      await sleep(STALE * 1000);
      const next = runInput({ thread: input.threadId, text: answers() });
      assert.equal((await (await b.post(next)).end()).frames.at(-1).json.type, "RUN_FINISHED", "the thread goes on");
    });

    test("cancels a run that it does not hold", async (t) => {
      const store = new BadKv({ staleness: STALE * 1000, lag: true });
      const [a, b] = await places(t, store, ["a", "b"]);
      const input = runInput({ text: endless() });
      const customer = await a.post(input);
      await shown(() => b.events(input.runId), "the run, elsewhere").then((events) => events.leave());
      const { status, json } = await b.cancel(input.runId);
      const asked = { status: 202, json: { run: input.runId, status: "started", cancel: "asked" } };
      const seen = { status: 200, json: { run: input.runId, status: "cancelled" } };
      assert.deepEqual({ status, json }, status === 202 ? asked : seen);
      assert.deepEqual((await customer.end()).frames.at(-1).json.outcome, { type: "cancelled" });
      assert.equal((await b.ended(input.runId)).status, "cancelled");
    });

    test("takes few operations of the thousand that the platform allows, and so does the writer", async (t) => {
      const store = new BadKv({ fast: true });
      const [a, b] = await places(t, store, ["a", "b"], { LASTWORD_PROVIDER: "replay", LASTWORD_MODEL: "", LASTWORD_HEARTBEAT: "" });
      const input = runInput({ model: "replay/long-answer" });
      const posted = await a.post(input);
      const operator = await shown(() => b.events(input.runId, { view: "operator" }), "the run, elsewhere");
      await Promise.all([posted.end(), operator.end()]);
      const { revision } = store.json("/head");
      const [writes, reads] = ["a", "b"].map((place) => store.log.filter((entry) => entry.place === place).length);
      t.diagnostic(`${revision} commits: ${writes} operations to write them, ${reads} to read them elsewhere`);
      assert.ok(revision > 5 && writes <= 4 * revision + 30, `${writes} operations for ${revision} commits`);
      assert.ok(reads <= 4 * revision + 30, `${reads} operations to read ${revision} commits`);
      assert.deepEqual(store.log.filter(({ status }) => status === 429), [], "no write comes too soon");
    });

    test("goes on by its cursor where a request may make no more operations; a run there ends itself before", async (t) => {
      const store = new BadKv();
      const [a] = await places(t, store, ["a"], { LASTWORD_KV_OPERATIONS: "50" });
      const [b] = await places(t, store, ["b"], { LASTWORD_KV_OPERATIONS: "10" });
      const made = (place) => store.log.filter((entry) => entry.place === place).length;
      const input = runInput({ text: endless() });
      const customer = await a.post(input);
      const operator = await shown(() => b.events(input.runId, { view: "operator" }), "the run, elsewhere");
      assert.deepEqual([(await customer.end()).frames.at(-1).json.type, customer.frames.at(-1).json.code], ["RUN_ERROR", "worker_lost"]);
      assert.ok(made("a") >= 50 && made("a") < 75, `${made("a")} operations`);
      const { failure, writers } = store.json("/head");
      assert.deepEqual([failure.code, writers.length], ["worker_lost", 1], "it has ended itself");
      assert.equal(upstream.callsOf(input.messages[0].content).length, 1);
      await operator.end();
      const whole = (await (await a.events(input.runId, { view: "operator" })).end()).frames;
      const seen = [operator.frames];
      while (!["task_failed", undefined].includes(seen.at(-1).at(-1)?.json.type)) {
        assert.equal(seen.at(-1).at(-1).json.code, "stream_interrupted");
        seen.push((await (await b.events(input.runId, { view: "operator" }, seen.flat().findLast(({ id }) => id).id)).end()).frames);
      }
      assert.ok(seen.length > 1, "one request was not enough");
      assert.equal(frameBytes(seen.flat().filter(({ id }) => id)), frameBytes(whole));
    });

    test("with the platform's own 60 seconds says to ask again then, and has it all", async (t) => {
      const store = new BadKv({ staleness: 60_000, lag: true, fast: true });
      const [a, b] = await places(t, store, ["a", "b"], { LASTWORD_KV_STALENESS: "", LASTWORD_LEASE: "" });
      const input = runInput({ text: answers() });
      const { frames } = await (await a.post(input)).end();
      assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
      const early = await (await b.join(input.runId)).end();
      assert.deepEqual([early.status, early.headers["retry-after"], codeOf(early)], [503, "60", "maybe_stale"]);
      store.pass(60_000);
      assert.equal(frameBytes((await (await b.join(input.runId, "0")).end()).frames), frameBytes(frames));
      assert.equal(upstream.callsOf(input.messages[0].content).length, 1, "and nothing was begun by asking");
    });
  });

  describe("fifty posts of one run at once", { concurrency: 4 }, () => {
    /** Sends them, ten in each place; how often the model was asked. */
    async function storm(t, store) {
      const workers = await places(t, store, ["a", "b", "c", "d", "e"]);
      const input = runInput({ text: answers() });
      const posted = await Promise.all(Array.from({ length: 50 }, (_, index) => workers[index % 5].post(input)));
      await Promise.all(posted.map(({ over }) => over));
      await sleep(STALE * 1000);
      store.heal();
      const record = await workers[0].ended(input.runId);
      assert.deepEqual(record.store, { claim: "best_effort", outcome: "best_effort" }, "it says what it is worth");
      const executed = upstream.callsOf(input.messages[0].content).length;
      const counts = {};
      const late = await Promise.all(workers.map(async (worker) => (await (await worker.join(input.runId, "0")).end()).frames));
      for (const frames of late) assert.equal(frameBytes(frames), frameBytes(late[0]), "whoever reads later reads one record");
      for (const exchange of posted) {
        const outcome = isStream(exchange) ? (assertStream(exchange).code ?? (answerIn(exchange.frames) === answerIn(late[0]) ? "same" : "other")) : codeOf(exchange);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      t.diagnostic(`executed ${executed} times; ${JSON.stringify(counts)}`);
      return { executed, counts };
    }

    const TYPED = ["same", "other", "maybe_stale", "thread_busy", "store_unavailable", "stream_interrupted", "worker_lost"];

    test("on a store that reads its own writes: one execution", async (t) => {
      const { executed, counts } = await storm(t, new BadKv());
      assert.deepEqual([executed, counts], [1, { same: 50 }]);
    });

    test("where each place sees the others late: a place executes once at most, and the record is one", async (t) => {
      const { executed, counts } = await storm(t, new BadKv({ staleness: STALE * 1000, lag: true, fast: true }));
      assert.ok(executed >= 1 && executed <= 5, `${executed} executions`);
      assert.deepEqual(Object.keys(counts).filter((outcome) => !TYPED.includes(outcome)), []);
    });
  });

  describe("ids that mean harm stay in their place", { concurrency: 8 }, () => {
    const objects = sharedWorker();
    const HOSTILE = ["line\nbreak", "a/b", "..", "../../head", "x".repeat(4096), "\u{1f600}\u{1f4a5}", "%2F", "!active", "!index", "head", "~", " "];

    test("on Workers KV: each run is found by its id, and no key is longer than 512 bytes", async (t) => {
      const store = new BadKv();
      const [worker] = await places(t, store, ["a"], { LASTWORD_PROVIDER: "replay", LASTWORD_MODEL: "" });
      await assertApart(worker);
      const bytes = store.keys.map((key) => Buffer.byteLength(key));
      assert.ok(bytes.length > HOSTILE.length && Math.max(...bytes) <= 512, `${Math.max(...bytes)} bytes`);
      for (const key of store.keys) assert.match(key, /^1\/dev\/[^/]+(\/[^/.]+)+$/);
    });

    test("on Durable Objects too", () => assertApart(objects));

    /** A run by each id, in a thread of that name. Each is its own. */
    async function assertApart(worker) {
      await Promise.all(HOSTILE.map(async (id, index) => {
        const messages = [{ id: fresh("q"), role: "user", content: "Hello?" }];
        const input = runInput({ run: id, thread: id, messages, model: index % 2 ? "replay/refusal" : "replay/equal-texts" });
        const { frames, text } = await (await worker.post(input)).end();
        assert.equal(frames.at(-1)?.json.type, "RUN_FINISHED", `${id}: ${text}`);
      }));
      for (const [index, id] of HOSTILE.entries()) {
        // An address can't hold that one: it means the folder above, escaped too.
        if (id === "..") continue;
        const { json } = await worker.record(id);
        const model = index % 2 ? "replay/refusal" : "replay/equal-texts";
        assert.deepEqual([json.run, json.thread, json.model, json.status], [id, id, model, "succeeded"]);
      }
    }
  });
});
