// Deno KV: versionstamps are compared and set in one transaction.

import { NotWritten } from "../errors.mjs";

/** What a transaction takes is 1000 changes, 800 KB, and 80 KB of keys; this is less. */
const CHANGES = 500;
const BYTES = 700_000;
const KEY_BYTES = 60_000;
/** The most keys that are listed in one read, since it reads their values too. */
const PAGE = 100;
/** How long others are waited for that write to the same file, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Keeps values in a `Deno.Kv`, under keys of two pieces, of which `prefix` is the first.
 *
 * @type {typeof import("./deno-kv.js").denoKv}
 */
export function denoKv(kv, { prefix = "lastword" } = {}) {
  const named = (key) => [prefix, key];

  return {
    /** A value has 64 KiB at most. */
    traits: { claim: "atomic", outcome: "atomic", owner: "shared", batch: true, maxValue: 60 << 10, minInterval: 0, staleness: 0 },

    async load(key) {
      const { value, versionstamp } = await kv.get(named(key));
      return versionstamp === null ? undefined : { value, version: versionstamp };
    },

    /** What is too much for one transaction takes several. The head is in the last, under its expectation. */
    async save(parts, head) {
      const transactions = inTransactions(head ? [...parts, head] : parts);
      const last = transactions.pop() ?? [];
      if (transactions.length > 0 && head && head.expect !== undefined) {
        const { versionstamp } = await kv.get(named(head.key));
        if (versionstamp !== head.expect) return null;
      }
      for (const [at, some] of transactions.entries()) await committed(writing(kv.atomic(), some), at === 0);
      const atomic = writing(kv.atomic(), last);
      if (head && head.expect !== undefined) atomic.check({ key: named(head.key), versionstamp: head.expect });
      const { ok, versionstamp } = await committed(atomic, transactions.length === 0);
      return !ok ? null : head ? versionstamp : "";
    },

    async list(prefix, after, limit) {
      if (limit <= 0) return [];
      const [start, end] = [after !== undefined && after >= prefix ? `${after}\0` : prefix, `${prefix}\u{10ffff}`];
      // A range that ends before it starts would be an error.
      if (start > end) return [];
      const range = { start: named(start), end: named(end) };
      const keys = [];
      for await (const { key } of kv.list(range, { limit, batchSize: Math.min(limit, PAGE) })) keys.push(key[1]);
      return keys;
    },

    async delete(keys) {
      for (const [at, some] of inTransactions(keys.map((key) => ({ key, value: [] }))).entries()) {
        const atomic = kv.atomic();
        for (const { key } of some) atomic.delete(named(key));
        await committed(atomic, at === 0);
      }
    },
  };

  function writing(atomic, values) {
    for (const { key, value } of values) atomic.set(named(key), new Uint8Array(value));
    return atomic;
  }
}

/** Commits, again while another connection locks the file, which only a local one can: nothing was written then. */
async function committed(atomic, isFirst) {
  for (const end = performance.now() + PATIENCE; ; ) {
    try {
      return await atomic.commit();
    } catch (error) {
      if (!String(error).includes("database is locked")) throw error;
      if (performance.now() > end) throw isFirst ? new NotWritten("The file of Deno KV is locked.", { cause: error }) : error;
    }
    await new Promise((done) => setTimeout(done, 1 + Math.random() * 5));
  }
}

/** Values in order, as many together as one transaction takes. */
function inTransactions(values) {
  const transactions = [];
  let [changes, bytes, keyBytes] = [CHANGES, 0, 0];
  for (const one of values) {
    changes += 1;
    bytes += one.value.length + one.key.length;
    keyBytes += one.key.length;
    if (changes > CHANGES || bytes > BYTES || keyBytes > KEY_BYTES) {
      transactions.push([]);
      [changes, bytes, keyBytes] = [1, one.value.length + one.key.length, one.key.length];
    }
    transactions.at(-1).push(one);
  }
  return transactions;
}
