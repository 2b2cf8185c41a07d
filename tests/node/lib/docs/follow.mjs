// What all pages of the npm package are followed with.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedis, startUpstash } from "../redis.mjs";
import { assertAnswer, ASKED, startModel } from "./model.mjs";
import { Newcomer } from "./newcomer.mjs";
import { startRegistry } from "./registry.mjs";

const registry = await startRegistry();
const redis = await startRedis();
const upstash = await startUpstash(redis);

export const model = await startModel();

/** What programs are told of the Redis, and of Upstash's in front of it. */
export const redisEnv = { REDIS_URL: redis.url, UPSTASH_REDIS_REST_URL: upstash.url, UPSTASH_REDIS_REST_TOKEN: upstash.token };

after(async () => {
  for (const server of [registry, model, upstash, redis]) await server.stop();
});

/** Somebody follows a page: `follow(newcomer)` registers tests, once for each of `ways`, which are options of the newcomer by name. */
export function follows(path, follow, ways = { "": {} }) {
  for (const [name, options] of Object.entries(ways)) {
    describe(`a newcomer follows ${path}${name && ` in ${name}`}`, () => {
      const newcomer = new Newcomer(path, { registry, ports: { model: model.port, redis: redis.port }, ...options });
      after(() => newcomer.leave());
      follow(newcomer);
      test("and has tried all that the page shows", () => assert.deepEqual(newcomer.page.untried, []));
    });
  }
}

/** How often the model is called meanwhile. */
export async function calls(work) {
  const before = model.calls.length;
  await work();
  return model.calls.length - before;
}

/** Asserts that a run goes on though its client goes away, and is read again at the same address. */
export async function outlivesClient(address) {
  const goOn = model.hold();
  const client = new AbortController();
  const { body } = await fetch(address, { method: "POST", body: ASKED, signal: client.signal });
  await body.getReader().read();
  client.abort();
  await sleep(100);
  goOn();
  assertAnswer(await (await fetch(address)).text());
}
