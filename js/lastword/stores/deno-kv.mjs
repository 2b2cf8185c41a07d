// Deno KV: versionstamps are compared and set in one transaction.

/** What a transaction takes is 1000 changes, 800 KB, and 80 KB of keys; this is less. */
const CHANGES = 500;
const BYTES = 700_000;
const KEY_BYTES = 60_000;
/** The most keys that are listed in one read, since it reads their values too. */
const PAGE = 100;

/** Keeps values in a `Deno.Kv`, under keys of two pieces, of which `prefix` is the first. */
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
      for (const some of transactions) await writing(kv.atomic(), some).commit();
      const atomic = writing(kv.atomic(), last);
      if (head && head.expect !== undefined) atomic.check({ key: named(head.key), versionstamp: head.expect });
      const { ok, versionstamp } = await atomic.commit();
      return !ok ? null : head ? versionstamp : "";
    },

    async list(prefix, after, limit) {
      if (limit <= 0) return [];
      const start = after !== undefined && after >= prefix ? `${after}\0` : prefix;
      const range = { start: named(start), end: named(`${prefix}\u{10ffff}`) };
      const keys = [];
      for await (const { key } of kv.list(range, { limit, batchSize: Math.min(limit, PAGE) })) keys.push(key[1]);
      return keys;
    },

    async delete(keys) {
      for (const some of inTransactions(keys.map((key) => ({ key, value: [] })))) {
        const atomic = kv.atomic();
        for (const { key } of some) atomic.delete(named(key));
        await atomic.commit();
      }
    },
  };

  function writing(atomic, values) {
    for (const { key, value } of values) atomic.set(named(key), new Uint8Array(value));
    return atomic;
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
