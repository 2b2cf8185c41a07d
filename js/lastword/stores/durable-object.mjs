// A Durable Object's storage: one table in its SQLite, committed by an awaited sync. The output gate does not cover a
// body that is streamed, so nothing counts as saved, and nothing is shown, before `sync()` has resolved.

import { CREATE, DELETE, listing, LOAD, PUT, VERSION } from "./sql.mjs";
import { token } from "./token.mjs";

/** @type {Partial<import("./store.js").StoreTraits>} */
const TRAITS = { claim: "atomic", outcome: "atomic", owner: "exclusive", batch: true, minInterval: 0, staleness: 0 };

/**
 * Keeps values in the storage of the object that this runs in: `durableObject(ctx.storage)`.
 *
 * @type {typeof import("./durable-object.js").durableObject}
 */
export function durableObject(storage) {
  const sql = sqlOf(storage);
  return sql ? overTable(storage, sql) : overKeys(storage);
}

/** An object's SQLite; undefined if its class was made without, which shows once it is used. */
function sqlOf(storage) {
  try {
    storage.sql.exec("SELECT 1");
    return storage.sql;
  } catch {
    return undefined;
  }
}

/** Of each storage. */
const journals = new WeakMap();

/** What has been written to a storage, and how much of it is known to be durable. All stores over it know the same. */
const journalOf = (storage) => journals.get(storage) ?? journals.set(storage, journal(storage)).get(storage);

function journal(storage) {
  let written = 0;
  let durable = 0;
  const synced = async () => {
    const upTo = written;
    if (durable >= upTo) return;
    await storage.sync();
    durable = Math.max(durable, upTo);
  };
  return { wrote: () => (written += 1), synced };
}

function overTable(storage, sql) {
  const { wrote, synced } = journalOf(storage);
  let isMade = false;

  const isThere = () => (isMade ||= sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'lastword'").toArray().length > 0);
  const create = () => {
    if (!isMade) sql.exec(CREATE);
    isMade = true;
  };
  const first = (query, key) => [...sql.exec(query, key).raw()][0];
  const holds = ({ key, expect }) => expect === undefined || (first(VERSION, key)?.[0] ?? null) === expect;

  return {
    traits: { ...TRAITS, maxValue: 1 << 20 },

    async load(key) {
      const row = isThere() ? first(LOAD, key) : undefined;
      await synced();
      return row && { value: new Uint8Array(row[0]), version: row[1] };
    },

    async save(parts, head) {
      create();
      const version = token();
      const isSaved = storage.transactionSync(() => {
        if (head && !holds(head)) return false;
        for (const { key, value } of head ? [...parts, head] : parts) sql.exec(PUT, key, value, version);
        return true;
      });
      if (!isSaved) return null;
      wrote();
      await synced();
      return head ? version : "";
    },

    async list(prefix, after, limit) {
      const keys = isThere() ? [...sql.exec(...listing(prefix, after, limit)).raw()].map(([key]) => key) : [];
      await synced();
      return keys;
    },

    async delete(keys) {
      if (!isThere()) return;
      storage.transactionSync(() => keys.forEach((key) => sql.exec(DELETE, key)));
      wrote();
      await synced();
    },
  };
}

/** Before the names of keys, so that they are apart from others that the object keeps. */
const PREFIX = "lastword:";
/** The most keys of one call that deletes. */
const KEYS = 128;
/** The most keys of one call that lists, since it reads their values too. */
const PAGE = 64;

function overKeys(storage) {
  const { wrote, synced } = journalOf(storage);

  return {
    /** A value of this storage has 128 KiB at most, with what it takes to store it. */
    traits: { ...TRAITS, maxValue: 120_000 },

    async load(key) {
      const found = await storage.get(PREFIX + key);
      await synced();
      return found && { value: new Uint8Array(found.value), version: found.version };
    },

    async save(parts, head) {
      const version = token();
      const isSaved = await storage.transaction(async (transaction) => {
        if (head && head.expect !== undefined) {
          const found = await transaction.get(PREFIX + head.key);
          if ((found?.version ?? null) !== head.expect) return false;
        }
        for (const { key, value } of head ? [...parts, head] : parts) {
          await transaction.put(PREFIX + key, { value: new Uint8Array(value), version });
        }
        return true;
      });
      if (!isSaved) return null;
      wrote();
      await synced();
      return head ? version : "";
    },

    async list(prefix, after, limit) {
      const keys = [];
      let last = after !== undefined && after >= prefix ? after : undefined;
      while (keys.length < limit) {
        const from = last === undefined ? {} : { startAfter: PREFIX + last };
        const page = await storage.list({ prefix: PREFIX + prefix, ...from, limit: Math.min(limit - keys.length, PAGE) });
        for (const key of page.keys()) keys.push(key.slice(PREFIX.length));
        if (page.size === 0) break;
        last = keys.at(-1);
      }
      await synced();
      return keys;
    },

    async delete(keys) {
      for (let at = 0; at < keys.length; at += KEYS) {
        await storage.delete(keys.slice(at, at + KEYS).map((key) => PREFIX + key));
      }
      wrote();
      await synced();
    },
  };
}
