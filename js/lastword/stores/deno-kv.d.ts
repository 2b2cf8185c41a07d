import type { Store } from "./store.js";

/** What is used of a `Deno.Kv`. */
export interface KvOfDeno {
  get(key: string[]): Promise<{ value: any; versionstamp: string | null }>;
  list(selector: { start: string[]; end: string[] }, options?: { limit?: number; batchSize?: number }): AsyncIterable<{ key: readonly any[] }>;
  atomic(): any;
}

/**
 * Keeps values in a Deno KV, each save in one transaction. One transaction takes 800 KB: what is more takes several,
 * the head in the last, so that a save that breaks off may leave parts, but no head without them.
 *
 * @param options.prefix The first piece of each key: `lastword` unless said.
 */
export function denoKv(kv: KvOfDeno, options?: { prefix?: string }): Store;
