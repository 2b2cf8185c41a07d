// What the stores are made from, as their own packages type it, and a store of one's own.

import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Redis as Upstash } from "@upstash/redis";
import { Cluster, Redis as Ioredis } from "ioredis";
import { Redis as IoredisV5 } from "ioredis-v5";
import { createClient, createCluster } from "redis";
import { createClient as createClientV5 } from "redis-v5";
import { fileSystem, memory, NotWritten, redis, sqlite, traitsOf, type Head, type Part, type Store } from "lastword/stores/node";
import { conformance, faulty, testStore } from "lastword/testing";

const stores: Store[] = [
  memory({ maxBytes: 1e6 }),
  redis(createClient()),
  redis(createClientV5(), { prefix: "{mine}", ttl: 3600, longestRun: 60 }),
  redis(createCluster({ rootNodes: [] })),
  redis(new Ioredis()),
  redis(new IoredisV5()),
  redis(new Cluster([])),
  redis(new Upstash({ url: "https://redis.example", token: "" })),
  fileSystem("folder"),
  sqlite("file.sqlite"),
  sqlite(new DatabaseSync(":memory:")),
];
sqlite("file.sqlite").close();

class Own implements Store {
  readonly traits = { claim: "atomic", batch: true } as const;
  async load(key: string) {
    return key === "" ? undefined : { value: new Uint8Array(), version: "1" };
  }
  async save(parts: Part[], head?: Head) {
    if (parts.length > 9) throw new NotWritten("too many", { cause: parts });
    return head?.expect === null ? null : "1";
  }
  async list(prefix: string, after: string | undefined, limit: number) {
    return [prefix, after ?? "", String(limit)];
  }
  async delete() {}
}

const { cases, excluded } = await conformance({ open: () => new Own(), clients: 2, fragile: async (attempt) => ({ store: stores[attempt]!, lose() {} }) });
const names: string[] = [...cases, ...excluded].map(({ name }) => name);
await testStore(test, () => new Own(), { patience: 1000 });
const most: number = traitsOf(faulty(new Own(), { 3: "uncertain-after" })).maxValue;
faulty(new Own(), ({ at, operation }) => (operation === "save" && at > 2 ? "conflict" : undefined)).operations.map(({ keys }) => keys.join());

// @ts-expect-error: a store has a method `delete`
const none: Store = { load: async () => undefined, save: async () => "", list: async () => [] };
// @ts-expect-error: there is no such fault
faulty(memory(), ["broken"]);
// @ts-expect-error: this is no client
redis({});
export { most, names, none };
