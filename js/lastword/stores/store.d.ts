/**
 * Where runs are kept. A store of one's own, over a `Map`:
 *
 * ```js
 * const values = new Map();
 * let last = 0;
 * const put = ({ key, value }) => (values.set(key, { value: value.slice(), version: `${++last}` }), `${last}`);
 * const store = {
 *   traits: { claim: "atomic", outcome: "atomic", batch: true, minInterval: 0, staleness: 0 },
 *   load: async (key) => structuredClone(values.get(key)),
 *   async save(parts, head) {
 *     if (head && head.expect !== undefined && (values.get(head.key)?.version ?? null) !== head.expect) return null;
 *     parts.forEach(put);
 *     return head ? put(head) : "";
 *   },
 *   list: async (prefix, after = "", limit) => [...values.keys()].filter((key) => key.startsWith(prefix) && key > after).sort().slice(0, limit),
 *   delete: async (keys) => keys.forEach((key) => values.delete(key)),
 * };
 * ```
 *
 * Whether it is one is what `testStore` of `lastword/testing` says.
 *
 * Values are bytes; most are JSON. Keys are ASCII: pieces of letters, digits and `-_%~!.` with slashes between, at most
 * 512 bytes. A value that is given is the store's only until the call has settled, one that it gives is the caller's.
 */
export interface Store {
  /** What the store honestly is. What is left out is taken for the weakest. */
  readonly traits?: Partial<StoreTraits>;

  /** The value under a key and its version; undefined if there is none. A throw: it can't be read now. */
  load(key: string): Promise<Stored | undefined>;

  /**
   * Writes the parts in order, whatever is under their keys, and then the head if its expectation holds. Resolves once
   * that is durable: with the head's new version, or "" where there is no head. If the expectation does not hold it
   * writes nothing of the head (with `batch` nothing at all), and resolves with null.
   *
   * A throw: nobody knows whether it was written. The caller reads the head again, and saves the same again if it is
   * the one from before. A throw of `NotWritten`: surely nothing of this call was written.
   */
  save(parts: Part[], head?: Head): Promise<string | null>;

  /** Keys that begin with `prefix` and are greater than `after`, in order of their bytes, at most `limit`. */
  list(prefix: string, after: string | undefined, limit: number): Promise<string[]>;

  /** Removes values. A missing one is no error. Throws as `save` does. */
  delete(keys: string[]): Promise<void>;
}

/** A value as it stands. */
export interface Stored {
  value: Uint8Array;
  /** The store's own token: another one for each save of a key, never used again for it. No caller looks into it. */
  version: string;
}

/** A value under a key that nobody else writes. */
export interface Part {
  key: string;
  value: Uint8Array;
}

/** The one value that decides. */
export interface Head extends Part {
  /** What must be there for the save to happen. null: nothing; a string: that version; undefined: whatever is there. */
  expect: string | null | undefined;
}

/** What a store honestly is. */
export interface StoreTraits {
  /** Of many that save a key at once and expect nothing there, one succeeds: surely, or mostly. Left out: `best_effort`. */
  claim: "atomic" | "best_effort";
  /** Of many that save a key at once over one version, one succeeds. Left out: `best_effort`. */
  outcome: "atomic" | "best_effort";
  /** Who may write what it holds: one instance by construction, or anybody. Left out: `shared`. */
  owner: "exclusive" | "shared";
  /** Parts and head are saved in one transaction. Otherwise each save is of one value, the head last. Left out: false. */
  batch: boolean;
  /** The largest value, in bytes, 16384 at least: what it is if left out. Larger ones are cut before they come here. */
  maxValue: number;
  /** The least time between two writes of one key, in milliseconds. Left out: 1000. */
  minInterval: number;
  /** How old what is read may be, in milliseconds. Left out: 60000. */
  staleness: number;
}
