// What is particular to Redis: one form of values for all clients, saves that are sent twice, refusals, expiry, clusters.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Ioredis from "ioredis";
import { createClient, createCluster, RESP_TYPES } from "redis";
import { NotWritten, redis } from "../../js/lastword/stores/index.mjs";
import { conformance } from "../../js/lastword/testing.mjs";
import { eventually } from "./lib/http.mjs";
import { freePort, startRelay } from "./lib/ports.mjs";
import { redisClients, redisHandles } from "./lib/redis-clients.mjs";
import { startRedis, startUpstash } from "./lib/redis.mjs";

const server = await startRedis();
const upstash = await startUpstash(server);
const plain = createClient({ url: server.url });
before(() => plain.connect());
after(async () => {
  plain.destroy();
  await upstash.stop();
  await server.stop();
});

const CLIENTS = redisClients(server, upstash);
const bytes = (text) => new TextEncoder().encode(text);
const head = (key, value = "head", expect = null) => ({ key, value: bytes(value), expect });

/** Each client's handle, closed after the test. */
async function each(t, options, clients = CLIENTS) {
  const all = Object.entries(clients).map(async ([name, client]) => {
    const { open, close } = redisHandles(client, options);
    const store = await open();
    t.after(() => close(store));
    return [name, store];
  });
  return Promise.all(all);
}

describe("values", () => {
  test("what one client has saved every other reads, lists and deletes", async (t) => {
    const values = [bytes('{"text":"São 👋"}'), Uint8Array.from({ length: 256 }, (_, at) => at), new Uint8Array()];
    const stores = await each(t, { prefix: "{shared}" });
    const keys = [];
    for (const [writer, store] of stores) {
      for (const [at, value] of values.entries()) {
        const key = `1/${writer}/${at}`;
        keys.push(key);
        const version = await store.save([], { key, value, expect: null });
        for (const [reader, other] of stores) {
          const found = await other.load(key);
          assert.deepEqual({ ...found, value: [...found.value] }, { version, value: [...value] }, `${writer} for ${reader}`);
          assert.equal(await other.save([], head(key)), null, `${writer} before ${reader}`);
        }
      }
    }
    for (const [reader, store] of stores) assert.deepEqual(await store.list("1/", undefined, 100), [...keys].sort(), reader);
    for (const [at, [, store]] of stores.entries()) await store.delete(keys.slice(at * 3, at * 3 + 3));
    assert.deepEqual(await plain.keys("{shared}*"), []);
  });

  test("text stands as text, anything else in Base64, behind a version of 25 characters", async () => {
    const store = redis(plain, { prefix: "{form}" });
    const version = await store.save([{ key: "part", value: new Uint8Array([255, 0]) }], head("head", '{"v":1}'));
    assert.equal(version.length, 25);
    assert.equal(await plain.get("{form}:head"), `${version}t{"v":1}`);
    assert.equal(await plain.get("{form}:part"), `${version}b/wA=`);
    assert.deepEqual(await plain.zRange("{form}!keys", 0, -1), ["head", "part"]);
  });

  test("a client that gives bytes for text does too", async () => {
    const store = redis(plain.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }), { prefix: "{mapped}" });
    const version = await store.save([], head("a"));
    assert.deepEqual(await store.load("a"), { version, value: bytes("head") });
    assert.deepEqual(await store.list("", undefined, 10), ["a"]);
  });

  test("what is no client is refused", () => {
    for (const client of [undefined, {}, { get() {} }]) assert.throws(() => redis(client), { code: "invalid_store" });
    for (const ttl of [0, -1, 1.5, "60"]) assert.throws(() => redis(plain, { ttl }), { code: "invalid_store" });
  });
});

describe("a save that a client sends again since its answer was lost", () => {
  test("is saved, by ioredis", async (t) => {
    const relay = await startRelay(server.port);
    const { open, close } = redisHandles(CLIENTS["ioredis 6"], { prefix: "{again}" });
    const store = await open(relay.port);
    t.after(() => (close(store), relay.stop()));
    relay.deaf();
    const saving = store.save([{ key: "part", value: bytes("part") }], head("ioredis"));
    await eventually(() => plain.exists("{again}:ioredis"), "the server has it");
    relay.hear();
    relay.cut();
    const version = await saving;
    assert.deepEqual(await store.load("ioredis"), { version, value: bytes("head") });
    assert.equal(await store.save([], head("ioredis", "other")), null, "a claim after it");
  });

  test("is saved, by Upstash's client", async (t) => {
    const [[, store]] = await each(t, { prefix: "{again}" }, { Upstash: CLIENTS.Upstash });
    upstash.lose(2);
    const version = await store.save([], head("upstash"));
    assert.deepEqual(await store.load("upstash"), { version, value: bytes("head") });
    assert.equal(await store.save([], head("upstash", "other")), null, "a claim after it");
  });
});

describe("a save that is surely not made", () => {
  test("is told so where the server is full", async (t) => {
    const full = await startRedis({ config: ["--maxmemory", "1mb", "--maxmemory-policy", "noeviction"] });
    const rest = await startUpstash(full);
    t.after(async () => {
      await rest.stop();
      await full.stop();
    });
    for (const [name, store] of await each(t, {}, redisClients(full, rest))) {
      const error = await store.save([{ key: "part", value: bytes("part") }], head("head")).catch((error) => error);
      assert.ok(error instanceof Error, name);
      // The others may have sent it before, and got no answer.
      assert.equal(error instanceof NotWritten, name.startsWith("node-redis"), `${name}: ${error}`);
      assert.equal(await store.load("part"), undefined);
    }
  });

  test("is told so where the client is closed", async () => {
    for (const name of ["node-redis 6", "node-redis 5"]) {
      const client = await CLIENTS[name].open();
      client.destroy();
      await assert.rejects(redis(client).save([], head("head")), NotWritten, name);
    }
  });

  test("is not told so where a script broke off halfway", async (t) => {
    await plain.set("{wrong}!due", "no sorted set");
    for (const [name, store] of await each(t, { prefix: "{wrong}" })) {
      const error = await store.save([{ key: "part", value: bytes("part") }], head("head")).catch((error) => error);
      assert.match(error.message, /WRONGTYPE/, name);
      assert.ok(!(error instanceof NotWritten), name);
    }
  });
});

describe("expiry", () => {
  test("a run's head goes first, all else as much later as a run may take", async () => {
    const store = redis(plain, { prefix: "{kept}", ttl: 100, longestRun: 50 });
    await store.save([{ key: "1/s/t/r/public/x", value: bytes("part") }], head("1/s/t/r/head"));
    await store.save([], head("1/s/!index/head"));
    assert.equal(await plain.ttl("{kept}:1/s/t/r/head"), 100);
    assert.equal(await plain.ttl("{kept}:1/s/t/r/public/x"), 150);
    assert.equal(await plain.ttl("{kept}:1/s/!index/head"), 150, "an index entry is no head");
    await redis(plain, { prefix: "{kept}" }).save([], { ...head("1/s/t/r/head"), expect: undefined });
    assert.equal(await plain.ttl("{kept}:1/s/t/r/head"), -1);
    assert.equal(await plain.zScore("{kept}!due", "1/s/t/r/head"), null);
  });

  test("what has expired is listed no longer, and the next save takes it out of the sets", async () => {
    const store = redis(plain, { prefix: "{gone}", ttl: 1, longestRun: 0 });
    await store.save([{ key: "a", value: bytes("a") }, { key: "b", value: bytes("b") }]);
    await redis(plain, { prefix: "{gone}" }).save([{ key: "c", value: bytes("c") }]);
    assert.deepEqual(await store.list("", undefined, 10), ["a", "b", "c"]);
    await eventually(async () => (await store.list("", undefined, 1))[0] === "c", "they expire");
    assert.deepEqual(await store.list("", undefined, 10), ["c"]);
    assert.equal(await store.load("a"), undefined);
    assert.deepEqual(await plain.zRange("{gone}!keys", 0, -1), ["a", "b", "c"]);
    await store.save([{ key: "d", value: bytes("d") }]);
    assert.deepEqual(await plain.zRange("{gone}!keys", 0, -1), ["c", "d"]);
    assert.deepEqual(await plain.zRange("{gone}!due", 0, -1), ["d"]);
  });
});

describe("a cluster", () => {
  test("keeps a store in one slot", async (t) => {
    const cluster = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--cluster-port", String(await freePort())];
    const node = await startRedis({ config: cluster });
    const [nodes, address] = [createClient({ url: node.url }), { host: "127.0.0.1", port: node.port }];
    await nodes.connect();
    await nodes.clusterAddSlotsRange({ start: 0, end: 16383 });
    await eventually(async () => (await nodes.clusterInfo()).includes("cluster_state:ok"), "the cluster is ready");
    const clients = [createCluster({ rootNodes: [{ url: node.url }] }), new Ioredis.Cluster([address], { lazyConnect: true })];
    for (const client of clients) {
      client.on("error", () => {});
      await client.connect();
    }
    t.after(async () => {
      nodes.destroy();
      clients[0].destroy();
      clients[1].disconnect();
      await node.stop();
    });
    for (const client of clients) {
      const { cases } = await conformance({ open: () => redis(client) });
      for (const { name, run } of cases.filter(({ name }) => /^(contract|lists|races)/.test(name))) {
        await run().catch((error) => assert.fail(`${name}: ${error.message}`));
      }
    }
  });
});
