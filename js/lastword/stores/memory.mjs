// The store in memory: for tests, and for a host that needs nothing to survive.

import { NotWritten } from "../errors.mjs";

/**
 * Keeps values in a map, each until it is deleted; every operation is atomic. `maxBytes` bounds all values together.
 *
 * @type {typeof import("./memory.js").memory}
 */
export function memory({ maxBytes = Infinity } = {}) {
  const values = new Map();
  let last = 0;
  let bytes = 0;

  const size = (key) => values.get(key)?.value.length ?? 0;
  const remove = (key) => {
    bytes -= size(key);
    values.delete(key);
  };
  const put = ({ key, value }) => {
    remove(key);
    values.set(key, { value: new Uint8Array(value), version: String((last += 1)) });
    bytes += value.length;
  };
  const holds = ({ key, expect }) => expect === undefined || (values.get(key)?.version ?? null) === expect;

  return {
    traits: { claim: "atomic", outcome: "atomic", owner: "exclusive", batch: true, maxValue: 16 << 20, minInterval: 0, staleness: 0 },

    async load(key) {
      const found = values.get(key);
      return found && { value: new Uint8Array(found.value), version: found.version };
    },

    async save(parts, head) {
      if (head && !holds(head)) return null;
      const all = head ? [...parts, head] : parts;
      const more = all.reduce((sum, { key, value }) => sum + value.length - size(key), 0);
      if (more > 0 && bytes + more > maxBytes) throw new NotWritten("The memory of the store is full.");
      all.forEach(put);
      return head ? values.get(head.key).version : "";
    },

    async list(prefix, after, limit) {
      const keys = [...values.keys()].filter((key) => key.startsWith(prefix) && (after === undefined || key > after));
      return keys.sort().slice(0, Math.max(limit, 0));
    },

    async delete(keys) {
      keys.forEach(remove);
    },
  };
}
