// The store in Redis must pass every case through each client, against a real redis-server.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { testStore } from "../../js/lastword/testing.mjs";
import { startRelay } from "./lib/ports.mjs";
import { redisClients, redisHandles } from "./lib/redis-clients.mjs";
import { startRedis, startUpstash } from "./lib/redis.mjs";

const server = await startRedis({ durable: true });
const upstash = await startUpstash(server);
/** What is left of saves that were lost. */
const lost = [];
after(async () => {
  for (const end of lost) await end();
  await upstash.stop();
  await server.stop();
});

/** The server ends as by a power cut, and comes back. */
async function restart() {
  await server.restart();
  await upstash.ready();
}

/** Ways to lose a save: the client goes, the server does, or its answer, after which the client may send the save again. */
const LOSSES = {
  client: async ({ open, close }) => {
    const store = await open();
    return { store, lose: () => close(store) };
  },
  server: async ({ open, close }) => {
    const store = await open();
    lost.push(() => close(store));
    return { store, lose: restart };
  },
  answer: async ({ open, close }) => {
    const relay = await startRelay(server.port);
    const store = await open(relay.port);
    lost.push(() => (close(store), relay.stop()));
    const lose = async () => {
      relay.deaf();
      await new Promise((done) => setTimeout(done, 20));
      relay.cut();
      relay.hear();
    };
    return { store, lose };
  },
  request: async ({ open }) => ({ store: await open(), lose: () => upstash.lose(1) }),
};

for (const [name, client] of Object.entries(redisClients(server, upstash))) {
  describe(name, async () => {
    const { open, close } = redisHandles(client);
    const losses = (name === "Upstash" ? ["server", "request"] : ["client", "server", "answer"]).map((loss) => LOSSES[loss]);
    const excluded = await testStore(test, () => open(), {
      close,
      clients: 50,
      cuts: 6,
      reopen: () => restart().then(() => open()),
      fragile: (attempt) => losses[attempt % losses.length]({ open, close }),
    });
    test("no case is left out", () => assert.deepEqual(excluded, []));
  });
}
