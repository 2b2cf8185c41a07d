// One case's share of a store: keys that no other case has, and handles that are closed after it.

import { sleep } from "./check.mjs";

/** How many handles are opened at once. */
const WIDTH = 10;

export class Trial {
  #options;
  #opened = [];

  constructor(options, traits) {
    this.#options = options;
    this.traits = traits;
    this.space = `1/trial-${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(36)).join("")}`;
  }

  /** A key of this case. */
  key(name) {
    return `${this.space}/${name}`;
  }

  /** A handle on the store. */
  async open() {
    const store = await this.#options.open();
    this.#opened.push(store);
    return store;
  }

  /** As many handles as the store is to be tried with, the first among them, each in turn for `count` callers. */
  async callers(count) {
    const wanted = Math.min(count, this.#options.clients ?? 1);
    while (this.#opened.length < wanted) {
      await Promise.all(Array.from({ length: Math.min(WIDTH, wanted - this.#opened.length) }, () => this.open()));
    }
    return Array.from({ length: count }, (_, at) => this.#opened[at % wanted]);
  }

  /** Closes all handles, and opens the store anew. */
  async reopen() {
    await this.close();
    const store = await this.#options.reopen();
    this.#opened.push(store);
    return store;
  }

  /** A handle that can be lost. */
  fragile(attempt) {
    return this.#options.fragile(attempt);
  }

  get cuts() {
    return this.#options.cuts ?? 12;
  }

  /** Saves parts and head as a run does: at once, or one by one where the store takes no batch. */
  async save(store, parts, head) {
    if (this.traits.batch) return store.save(parts, head);
    for (const part of parts) await store.save([part]);
    return head ? store.save([], head) : "";
  }

  /** Saves one value as a head. */
  put(store, key, value, expect) {
    return store.save([], { key, value, expect });
  }

  /** Waits until a key that was just written may be written again. */
  pause() {
    return this.#wait(this.traits.minInterval);
  }

  /** Waits until whoever reads sees what was written. */
  shown() {
    return this.#wait(this.traits.staleness);
  }

  async close() {
    const opened = this.#opened;
    this.#opened = [];
    for (const store of opened) await this.#options.close?.(store);
  }

  async #wait(ms) {
    if (ms > 0) await (this.#options.wait ?? sleep)(ms);
  }
}
