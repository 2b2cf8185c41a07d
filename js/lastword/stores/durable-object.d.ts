import type { Store } from "./store.js";

/** What is used of a `DurableObjectStorage`. */
export interface ObjectStorage {
  readonly sql?: any;
  get(key: string): Promise<any>;
  delete(keys: string[]): Promise<any>;
  list(options?: any): Promise<Map<string, any>>;
  transaction<T>(work: (transaction: any) => Promise<T>): Promise<T>;
  transactionSync?<T>(work: () => T): T;
  sync(): Promise<void>;
}

/**
 * Keeps values in the storage of the Durable Object that this runs in: `durableObject(ctx.storage)`. In the table
 * `lastword` of its SQLite, each save in one transaction; where its class has none, under keys that begin with
 * `lastword:`.
 */
export function durableObject(storage: ObjectStorage): Store;
