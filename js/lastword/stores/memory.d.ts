import type { Store } from "./store.js";

/**
 * Keeps values in the memory of this process, each until it is deleted.
 *
 * @param options.maxBytes The most bytes of all values together; a save beyond it is `NotWritten`. No bound unless said.
 */
export function memory(options?: { maxBytes?: number }): Store;
