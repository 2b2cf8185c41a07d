// The stores of Cloudflare in workerd: Durable Objects with SQLite and without, and Workers KV, also at its worst.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { NotWritten, workersKv } from "../../js/lastword/stores/index.mjs";
import { conformance } from "../../js/lastword/testing.mjs";
import { BadKv } from "./lib/kv.mjs";
import { startStoreOver, startStoreWorker } from "./lib/store-worker.mjs";

const worker = await startStoreWorker();
after(() => worker.stop());

const bytes = (text) => new TextEncoder().encode(text);
const head = (key, value = "head", expect = null) => ({ key, value: bytes(value), expect });

/** What is left out inside the Worker, where nothing can be killed. */
const OUTSIDE = [
  "cuts: what was saved is there after the store was opened anew",
  "cuts: a claim that is cut is there with all its parts, or is not",
  "cuts: a save over a version that is cut is there with all its parts, or is not",
];

/** What is left out of Workers KV, which promises none of it. */
const OF_KV = [
  "contract: the same value saved again has another version",
  "contract: a version holds no more once its key was deleted and saved again",
  "contract: parts and head are saved in one call",
  "contract: a conflict writes nothing, no part either",
  "contract: a conflict of a save with 200 parts writes nothing",
  "races: of 50 claims one wins",
  "races: of 50 saves over one version one wins",
  "races: of 50 claims with parts those that lose leave none",
  "races: no update is lost",
  "races: whoever sees a head sees all its parts",
  "races: what one handle has saved another sees",
];

const ATOMIC = { claim: "atomic", outcome: "atomic", owner: "exclusive", batch: true, minInterval: 0, staleness: 0 };
const WEAK = { claim: "best_effort", outcome: "best_effort", owner: "shared", batch: false, minInterval: 1000, staleness: 60_000 };
const KINDS = {
  table: { traits: { ...ATOMIC, maxValue: 1 << 20 }, leftOut: OUTSIDE },
  keys: { traits: { ...ATOMIC, maxValue: 120_000 }, leftOut: OUTSIDE },
  kv: { traits: { ...WEAK, maxValue: 4 << 20 }, leftOut: [...OF_KV, ...OUTSIDE] },
};

for (const [path, { traits, leftOut }] of Object.entries(KINDS)) {
  describe(`/${path}`, async () => {
    const { names, excluded, traits: said } = await worker.ask(path);
    test("says what it is, and which cases that leaves out", () => {
      assert.deepEqual(said, traits);
      assert.deepEqual(excluded.map(({ name }) => name), leftOut);
    });
    for (const name of names) {
      test(name, async () => assert.deepEqual(await worker.ask(`${path}?run=${encodeURIComponent(name)}`), {}));
    }
    // From outside each call is a request of its own, and the runtime can be killed.
    const open = () => worker.store(path, traits);
    const fragile = async () => ({ store: open(), lose: () => worker.restart() });
    const reopen = () => worker.restart().then(open);
    const { cases } = await conformance({ open, fragile, reopen, cuts: 4, clients: 2, wait: async () => {} });
    for (const { name, run } of cases.filter(({ name }) => /^(races|cuts)/.test(name))) test(`by requests: ${name}`, run);
  });
}

describe("Workers KV at its worst", () => {
  /** The store over such a namespace. */
  async function over(t, options, query) {
    const kv = new BadKv(options);
    const { store, stop } = await startStoreOver(kv, query);
    t.after(stop);
    return { kv, store };
  }

  test("a write that comes too soon is surely not made", async (t) => {
    const { kv, store } = await over(t, { fast: true });
    const version = await store.save([], head("head"));
    await assert.rejects(store.save([], head("head", "other", version)), NotWritten);
    await assert.rejects(store.delete(["head"]), NotWritten);
    const parts = [{ key: "part", value: bytes("part") }];
    const error = await store.save(parts, { ...head("head", "other"), expect: undefined }).catch((error) => error);
    assert.ok(error instanceof Error && !(error instanceof NotWritten), "its part was written");
    assert.deepEqual([kv.text("head"), kv.text("part")], ["head", "part"]);
    kv.pass(1000);
    await store.save([], head("head", "other", version));
    assert.equal(kv.text("head"), "other");
  });

  test("a write whose answer is lost is not known", async (t) => {
    const { kv, store } = await over(t, { lost: 1 });
    const seen = new Set();
    for (let at = 0; at < 20; at++) {
      const error = await store.save([], head(`head-${at}`)).catch((error) => error);
      assert.ok(error instanceof Error && !(error instanceof NotWritten));
      seen.add(kv.text(`head-${at}`));
    }
    assert.deepEqual(seen, new Set(["head", undefined]));
  });

  test("what was just written may not be seen, and the store does not say otherwise", async (t) => {
    const { kv, store } = await over(t, { staleness: 60_000, lag: true, home: false });
    const version = await store.save([], head("head"));
    assert.equal(await store.load("head"), undefined);
    assert.deepEqual(await store.list("", undefined, 10), []);
    assert.notEqual(await store.save([], head("head", "other")), null, "a second claim is not refused");
    kv.pass(60_001);
    assert.notEqual((await store.load("head")).version, version);
  });

  test("a list goes on over pages", async (t) => {
    const { store } = await over(t, { page: 3 });
    const keys = Array.from({ length: 10 }, (_, at) => `list/${at}`);
    for (const key of keys) await store.save([{ key, value: bytes("value") }]);
    assert.deepEqual(await store.list("list/", undefined, 100), keys);
    assert.deepEqual(await store.list("list/", "list/4", 4), keys.slice(5, 9));
  });

  test("a run's head expires first, all else as much later as a run may take", async (t) => {
    const { kv, store } = await over(t, {}, "?ttl=100");
    await store.save([{ key: "1/s/t/r/public/x", value: bytes("part") }], head("1/s/t/r/head"));
    assert.deepEqual([kv.ttl("1/s/t/r/head"), kv.ttl("1/s/t/r/public/x")], [100, 3700]);
    assert.throws(() => workersKv({}, { ttl: 59 }), { code: "invalid_store" });
  });
});
