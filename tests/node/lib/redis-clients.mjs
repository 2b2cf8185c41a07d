// The clients of Redis that the store takes, and handles on the store by them.

import { Redis as Upstash } from "@upstash/redis";
import Ioredis from "ioredis";
import IoredisV5 from "ioredis-v5";
import { createClient } from "redis";
import { createClient as createClientV5 } from "redis-v5";
import { redis } from "../../../js/lastword/stores/index.mjs";

/** How each client is opened, on the server's port or another, and closed. They try again without much ado. */
export const redisClients = (server, upstash) => ({
  "node-redis 6": nodeRedis(createClient, server),
  "node-redis 5": nodeRedis(createClientV5, server),
  "ioredis 6": ioredis(Ioredis, server),
  "ioredis 5": ioredis(IoredisV5, server),
  Upstash: {
    open: async () => new Upstash({ url: upstash.url, token: upstash.token, enableTelemetry: false, retry: { retries: 5, backoff: () => 10 } }),
    close() {},
  },
});

const nodeRedis = (create, server) => ({
  async open(port = server.port) {
    const client = create({ socket: { host: "127.0.0.1", port, reconnectStrategy: () => 20 } });
    client.on("error", () => {});
    return client.connect();
  },
  close: (client) => client.isOpen && client.destroy(),
});

const ioredis = (Client, server) => ({
  async open(port = server.port) {
    const client = new Client({ port, host: "127.0.0.1", retryStrategy: () => 20, lazyConnect: true });
    client.on("error", () => {});
    await client.connect();
    return client;
  },
  close: (client) => client.disconnect(),
});

/** Handles on the store, each with a client of its own. */
export function redisHandles({ open, close }, options) {
  const clients = new Map();
  return {
    async open(port) {
      const client = await open(port);
      const store = redis(client, options);
      clients.set(store, client);
      return store;
    },
    close(store) {
      close(clients.get(store));
      clients.delete(store);
    },
  };
}
