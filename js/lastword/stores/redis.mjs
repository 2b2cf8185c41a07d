// Redis and what speaks like it, through node-redis, ioredis or Upstash's client.
//
// A value is one string: its version, then `t` and the value itself if it is text, or `b` and the value in Base64. So
// each of the clients reads what another has written, without a word on how it treats bytes. Beside the values are two
// sorted sets: `keys` has all keys in order, `due` when each expires. Each save is one script: all of it or nothing.

import { NotWritten } from "../errors.mjs";
import { lifetime } from "./lifetime.mjs";
import { DELETE, LIST, LOAD, SAVE } from "./redis/scripts.mjs";
import { running } from "./redis/clients.mjs";
import { decode, encode } from "./redis/text.mjs";
import { token, TOKEN } from "./token.mjs";

/** The most keys that are asked for, or deleted, in one call. */
const PAGE = 1000;

/**
 * Keeps values in a Redis. `prefix` stands before each key, in braces so that a cluster keeps all in one slot.
 *
 * @type {typeof import("./redis.js").redis}
 */
export function redis(client, { prefix = "{lastword}", ...options } = {}) {
  const { run, isSure } = running(client);
  const seconds = lifetime(options);
  const sets = [`${prefix}!keys`, `${prefix}!due`];
  const named = (key) => `${prefix}:${key}`;

  function failed(error) {
    throw isSure(error) ? new NotWritten("Redis has refused the save.", { cause: error }) : error;
  }

  return {
    traits: { claim: "atomic", outcome: "atomic", owner: "shared", batch: true, maxValue: 1 << 20, minInterval: 0, staleness: 0 },

    async load(key) {
      const found = text(await run(LOAD, [named(key)]));
      return found === null ? undefined : { value: decode(found.slice(TOKEN)), version: found.slice(0, TOKEN) };
    },

    async save(parts, head) {
      const all = head ? [...parts, head] : parts;
      const version = token();
      const expect = head?.expect === undefined ? "" : (head.expect ?? "none");
      const values = all.flatMap(({ key, value }) => [key, String(seconds(key) ?? ""), version + encode(value)]);
      const keys = all.map(({ key }) => named(key));
      const saved = await run(SAVE, [...sets, ...keys], [version, expect, ...values]).catch(failed);
      return saved === null ? null : head ? version : "";
    },

    async list(prefix, after, limit) {
      const keys = [];
      let from = after !== undefined && after >= prefix ? `(${after}` : `[${prefix}`;
      while (keys.length < limit) {
        const count = Math.min(limit - keys.length, PAGE);
        const found = (await run(LIST, sets, [from, `(${prefix}\u{10ffff}`, String(count)])).map(text);
        for (const key of found) if (key.startsWith("=")) keys.push(key.slice(1));
        if (found.length < count) break;
        from = `(${found.at(-1).slice(1)}`;
      }
      return keys;
    },

    async delete(keys) {
      for (let at = 0; at < keys.length; at += PAGE) {
        const some = keys.slice(at, at + PAGE);
        await run(DELETE, [...sets, ...some.map(named)], some).catch(at === 0 ? failed : undefined);
      }
    },
  };
}

/** What a client gives for a string, whether it was told to give bytes or text. */
const text = (reply) => (reply instanceof Uint8Array ? new TextDecoder().decode(reply) : (reply ?? null));
