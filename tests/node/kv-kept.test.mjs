// What is kept over Workers KV: the list of runs, what a client deletes, and what expires.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BadKv, KvWorker } from "./lib/kv.mjs";
import { eventually, whole } from "./lib/http.mjs";
import { fresh, runInput } from "./lib/worker.mjs";

/** How old a read may be, in seconds. */
const STALE = 2;

/** Workers in places of their own over one store, all stopped with the test. */
async function places(t, store, names, vars = {}) {
  const all = { LASTWORD_KV_STALENESS: String(STALE), LASTWORD_LEASE: "10", ...vars };
  const workers = await Promise.all(names.map((name) => new KvWorker().start(store, name, all)));
  t.after(() => Promise.all(workers.map((worker) => worker.stop())).then(() => store.stop()));
  return workers;
}

/** Runs that begin at once in threads of their own, all to their end. */
async function ran(worker, count, rest = {}) {
  const inputs = Array.from({ length: count }, () => runInput({ model: "replay/empty-answer", ...rest }));
  await Promise.all(inputs.map(async (input) => {
    const { frames } = await (await worker.post(input)).end();
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
  }));
  return inputs;
}

async function page(worker, query = {}) {
  const { status, text } = await whole(`${worker.url}/v1/runs?${new URLSearchParams(query)}`);
  return { status, ...JSON.parse(text) };
}

/** The runs of all pages, one after the other. */
async function all(worker, query = {}) {
  const runs = [];
  for (let next; next !== null; ) {
    const { status, error, ...got } = await page(worker, { ...query, ...(next && { after: next }) });
    assert.equal(status, 200, JSON.stringify(error));
    assert.ok(got.runs.length <= Number(query.limit ?? 20));
    runs.push(...got.runs);
    next = got.next;
  }
  return runs;
}

const remove = (worker, what, id) => whole(`${worker.url}/v1/${what}/${encodeURIComponent(id)}`, { method: "DELETE" });
const told = ({ status, text }) => [status, JSON.parse(text).error.code];
const ids = (runs) => runs.map(({ run, runId }) => run ?? runId);

/** Whoever names the run is told that it was deleted, in every way. */
async function assertDeleted(worker, input) {
  for (const [method, way, body] of [
    ["GET", `/v1/runs/${input.runId}`],
    ["GET", `/v1/runs/${input.runId}/events`],
    ["GET", `/agui/runs/${input.runId}`],
    ["POST", `/v1/runs/${input.runId}/cancel`],
    ["POST", "/agui", input],
    ["POST", "/agui", { ...input, threadId: fresh("thread") }],
  ]) {
    assert.deepEqual(told(await whole(`${worker.url}${way}`, { method, body })), [410, "run_deleted"], `${method} ${way}`);
  }
  assert.equal((await remove(worker, "runs", input.runId)).status, 204, "it is as it was asked to be");
}

describe("over Workers KV", { concurrency: 4 }, () => {
  test("the list has each run, the newest first, in pages, whatever the store gives at a time", async (t) => {
    const store = new BadKv({ page: 2 });
    const [worker] = await places(t, store, ["a"]);
    assert.deepEqual(await page(worker), { status: 200, runs: [], next: null });
    const thread = fresh("thread");
    const [one, three, five] = [await ran(worker, 1, { thread }), await ran(worker, 3), await ran(worker, 5)];
    const listed = await all(worker);
    assert.deepEqual(new Set(ids(listed.slice(0, 5))), new Set(ids(five)));
    assert.deepEqual(new Set(ids(listed.slice(5, 8))), new Set(ids(three)));
    assert.deepEqual(ids(listed.slice(8)), ids(one));
    for (const record of listed) assert.deepEqual(record, (await worker.record(record.run)).json);
    for (const limit of ["1", "4", "8", "9", "100"]) assert.deepEqual(await all(worker, { limit }), listed, limit);
    assert.deepEqual((await page(worker, { limit: "9" })).next, null, "there is nothing behind the last");
    assert.deepEqual(ids(await all(worker, { thread, limit: "1" })), ids(one));
    assert.deepEqual(told(await whole(`${worker.url}/v1/runs?after=x`)), [400, "bad_cursor"]);
  });

  test("what is deleted is gone for all who can see it, and is never begun again", async (t) => {
    const store = new BadKv({ staleness: STALE * 1000, lag: true, fast: true });
    const [a, b] = await places(t, store, ["a", "b"]);
    const thread = fresh("thread");
    const [first] = await ran(a, 1, { thread });
    store.pass(60_000);
    const [last] = await ran(b, 1, { thread });
    const [other] = await ran(b, 1);
    store.pass(60_000);
    assert.deepEqual(ids(await all(a)), ids([other, last, first]));

    const deleted = await remove(a, "runs", first.runId);
    assert.deepEqual([deleted.status, deleted.text], [204, ""]);
    await assertDeleted(a, first);
    store.pass(60_000);
    await assertDeleted(b, first);
    assert.deepEqual(ids(await all(b)), ids([other, last]));

    assert.equal((await remove(b, "threads", thread)).status, 204);
    await assertDeleted(b, last);
    store.pass(60_000);
    await assertDeleted(a, last);
    assert.equal((await remove(a, "threads", thread)).status, 204, "a second time");
    assert.deepEqual(ids(await all(a)), ids([other]));
    const left = store.keys.filter((key) => !key.includes(other.runId)).map((key) => key.split("/").slice(2).join("/"));
    assert.deepEqual(left.sort(), [`!index/${first.runId}`, `!index/${last.runId}`, `${thread}/!active`, `${other.threadId}/!active`].sort());
    for (const key of store.keys.filter((key) => key.includes("/!index/") && !key.endsWith(other.runId))) {
      const { deleted_at: at, ...rest } = JSON.parse(store.text(key));
      assert.ok(at > 0);
      assert.deepEqual(rest, { v: 1, run: "", thread: "", fingerprint: "" });
    }
    const [next] = await ran(a, 1, { thread });
    assert.equal((await a.record(next.runId)).json.status, "succeeded", "the thread goes on");
  });

  test("what has not ended, or is not to be seen, is not deleted", async (t) => {
    const store = new BadKv({ staleness: STALE * 1000, lag: true });
    const [a, b] = await places(t, store, ["a", "b"]);
    const input = runInput({ model: "replay/long-answer" });
    const customer = await a.post(input);
    for (const [what, id] of [["runs", fresh("nobody")], ["threads", fresh("nobody")]]) {
      const { status, headers, text } = await remove(b, what, id);
      assert.deepEqual([status, headers["retry-after"], JSON.parse(text).error.code], [503, String(STALE), "maybe_stale"], what);
    }
    await sleep(STALE * 1000);
    for (const [what, id] of [["runs", input.runId], ["threads", input.threadId]]) {
      for (const worker of [a, b]) assert.deepEqual(told(await remove(worker, what, id)), [409, "run_active"], what);
    }
    const listed = await eventually(async () => (await page(b)).runs.at(0), "the run in the list, elsewhere");
    assert.deepEqual([listed.run, listed.status], [input.runId, "started"]);
    await a.cancel(input.runId);
    assert.deepEqual((await customer.end()).frames.at(-1).json.outcome, { type: "cancelled" });
    assert.equal((await a.ended(input.runId)).status, "cancelled");
  });

  test("what has been kept long enough expires, the run before what finds it", async (t) => {
    const store = new BadKv();
    const [worker] = await places(t, store, ["a"], { LASTWORD_LEASE: "5", LASTWORD_RETENTION: "3600", LASTWORD_RUN_MS: "600000" });
    const [input] = await ran(worker, 1);
    const asked = runInput({ model: "replay/approval" });
    assert.equal((await (await worker.post(asked)).end()).frames.at(-1).json.outcome.type, "interrupt");
    assert.ok(store.keys.length > 10);
    for (const key of store.keys) assert.equal(store.ttl(key), key.endsWith("/head") ? 3600 : 4200, key);
    assert.equal((await all(worker)).length, 2);
    store.pass(3_600_000);
    for (const { runId } of [input, asked]) {
      assert.deepEqual(told(await whole(`${worker.url}/v1/runs/${runId}`)), [503, "maybe_stale"]);
    }
    assert.deepEqual(await page(worker), { status: 200, runs: [], next: null });
    // For the Worker it is still soon after: a run that has no head might be about to begin.
    const begins = async () => (await (await worker.post(runInput({ thread: asked.threadId, model: "replay/refusal" }))).end()).isStream;
    await eventually(begins, "a new run: an open question goes with its run");
    store.pass(4_200_000);
    assert.deepEqual(store.keys, []);
  });

  test("a head that may be saved anew much later is not kept shorter than its run may take", async (t) => {
    const store = new BadKv();
    const [worker] = await places(t, store, ["a"], { LASTWORD_RETENTION: "60", LASTWORD_LEASE: "3600", LASTWORD_RUN_MS: "600000" });
    const input = runInput({ model: "replay/long-answer" });
    const customer = await worker.post(input);
    await customer.until(({ frames }) => frames.length > 0);
    const [head] = store.keys.filter((key) => key.endsWith("/head"));
    assert.equal(store.ttl(head), 660);
    await worker.cancel(input.runId);
    await customer.end();
    assert.equal(store.ttl(head), 60);
  });

  test("a time that the platform can't keep to is refused by its name", async (t) => {
    for (const [name, value] of [["LASTWORD_RETENTION", "59"], ["LASTWORD_PRIVATE_RETENTION", "60"]]) {
      const [worker] = await places(t, new BadKv(), ["a"], { [name]: value });
      const { status, text } = await whole(`${worker.url}/health`);
      const { error } = JSON.parse(text);
      assert.deepEqual([status, error.code], [503, "not_configured"]);
      assert.match(error.message, new RegExp(name));
    }
  });
});
