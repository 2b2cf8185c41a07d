// Workers KV: nothing is compared and set in one step, a read may be a minute old, a key takes one write a second.

import { NotWritten } from "../errors.mjs";
import { lifetime } from "./lifetime.mjs";

/** How old a value may be that the platform's own cache gives, in seconds: the least that it takes. */
const CACHE_TTL = 30;
/** The shortest time to live that the platform takes, in seconds. */
const LEAST_TTL = 60;

/**
 * Keeps values in a KV namespace. With `ttl` they expire so many seconds after their last save.
 *
 * @type {typeof import("./workers-kv.js").workersKv}
 */
export function workersKv(namespace, options = {}) {
  const seconds = lifetime(options, LEAST_TTL);

  async function load(key) {
    const value = await namespace.get(key, { type: "arrayBuffer", cacheTtl: CACHE_TTL });
    return value === null ? undefined : { value: new Uint8Array(value), version: await version(value) };
  }

  async function put({ key, value }) {
    const ttl = seconds(key);
    await namespace.put(key, value, ttl === undefined ? undefined : { expirationTtl: ttl });
  }

  return {
    traits: {
      claim: "best_effort",
      outcome: "best_effort",
      owner: "shared",
      batch: false,
      maxValue: 4 << 20,
      minInterval: 1000,
      staleness: 60_000,
    },

    load,

    /** An expectation is looked at before anything is written: another writer may come between. */
    async save(parts, head) {
      if (head && head.expect !== undefined) {
        const found = await load(head.key).catch(unread);
        if ((found?.version ?? null) !== head.expect) return null;
      }
      const all = head ? [...parts, head] : parts;
      for (const [at, one] of all.entries()) {
        await put(one).catch((error) => refused(error, at === 0));
      }
      return head ? version(head.value) : "";
    },

    /** The platform lists from the prefix's beginning: what comes before `after` is read and left out. */
    async list(prefix, after, limit) {
      const keys = [];
      for (let page = { cursor: undefined }; keys.length < limit && !page.list_complete; ) {
        page = await namespace.list({ prefix, cursor: page.cursor });
        for (const { name } of page.keys) if (after === undefined || name > after) keys.push(name);
      }
      return keys.slice(0, Math.max(limit, 0));
    },

    async delete(keys) {
      for (const [at, key] of keys.entries()) {
        await namespace.delete(key).catch((error) => refused(error, at === 0));
      }
    },
  };
}

/** The platform has no versions: a value's is what the value says. */
async function version(value) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", value));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unread(error) {
  throw new NotWritten("Workers KV could not be read.", { cause: error });
}

/** A write that came too soon, since a key takes one a second, was surely not made. */
function refused(error, isFirst) {
  if (isFirst && String(error?.message).includes("429")) throw new NotWritten("Workers KV takes one write a second to a key.", { cause: error });
  throw error;
}
