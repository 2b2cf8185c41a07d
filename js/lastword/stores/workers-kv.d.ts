import type { Store } from "./store.js";

/** What is used of a `KVNamespace`. */
export interface KvNamespace {
  get(key: string, options: any): Promise<any>;
  put(key: string, value: any, options?: any): Promise<void>;
  list(options?: any): Promise<any>;
  delete(key: string): Promise<void>;
}

export interface Lifetime {
  /** Seconds that a run's head is kept after its last save. Everything is kept until it is deleted unless said. */
  ttl?: number;
  /** Seconds that all else is kept longer, so that nothing is gone before the head that names it: as long as a run may take, 3600 unless said. */
  longestRun?: number;
}

/**
 * Keeps values in a namespace of Workers KV, which is best effort: nothing is compared and set in one step, what is
 * read may be a minute old, and a key takes one write a second. `ttl` is 60 at least.
 *
 * @throws {LastwordError} `invalid_store` if an option is not valid.
 */
export function workersKv(namespace: KvNamespace, options?: Lifetime): Store;
