// What a run has said and says, as a client of some wire reads it.

import { core, given, Held, withInput } from "./core.mjs";
import { FOUND, joined, perform, UNAVAILABLE, until } from "./perform.mjs";
import { SseBody } from "./sse-body.mjs";

const encoder = new TextEncoder();

/** How often the store is looked at again, where nobody tells of news, in milliseconds. */
const POLL = 1000;

/** Reads a run on a client's wire: from the beginning, or behind a cursor, and on until it has ended. */
export const readRun = (store, options) => new Replay(store, options);

/** The frames of a run, to loop over, each `{ id?, event?, data }`; or a response of them. */
export class Replay {
  #store;
  #options;
  #poll;
  /** Who writes the run, if that is here. */
  #writer;
  #stopped = false;
  /** What ends the waiting of each loop. */
  #stops = new Set();

  constructor(store, { to = "canonical", after = "0", view = "customer", scope = "", poll = POLL, ...options }, writer) {
    this.#store = store;
    this.#options = { ...options, to, after: after === null ? undefined : String(after), view, scope, name: crypto.randomUUID(), patient: writer !== undefined };
    this.#poll = poll;
    this.#writer = writer;
    this.#open().free();
  }

  /** Ends the loop, at once. The run is not touched. */
  stop() {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
  }

  async *[Symbol.asyncIterator]() {
    const reader = this.#open();
    this.#writer?.attach(this.#options.view, 1);
    try {
      while (!this.#stopped) {
        const said = given(reader.call("reader_next"));
        if (said === "") return;
        const { load, frames, wait, failed } = JSON.parse(said);
        if (load !== undefined) await this.#load(reader, load);
        else if (wait !== undefined) await this.#news(reader, wait);
        else yield* frames ?? [failed];
        if (failed) return;
      }
    } finally {
      this.#writer?.attach(this.#options.view, -1);
      reader.free();
    }
  }

  /** An event stream of the frames, with a heartbeat. A client that goes ends the reading, never the run. */
  body({ headers, onGone, ...options } = /** @type {any} */ ({})) {
    const reader = this.#open();
    const all = new Headers(JSON.parse(given(reader.call("reader_headers"))));
    reader.free();
    new Headers(headers).forEach((value, name) => all.set(name, value));
    const gone = () => (this.stop(), onGone?.());
    return new SseBody(this, { serialize: (frame) => frame, ...options, headers: all, onGone: gone });
  }

  /** The response of that stream. */
  response(options) {
    return this.body(options).response();
  }

  #open() {
    const exports = core();
    return new Held("reader_free", withInput(JSON.stringify(this.#options), (length) => exports.reader_new(length)));
  }

  async #load(reader, key) {
    const { kind, value = new Uint8Array() } = await perform(this.#store, { op: "load", key });
    if (kind === UNAVAILABLE) {
      const at = reader.call("reader_missed", Date.now());
      if (at > 0) await until(at);
    } else {
      const name = encoder.encode(key);
      withInput(joined(name, value), () => reader.call("reader_loaded", name.length, value.length, kind === FOUND ? 1 : 0));
    }
  }

  /** Waits until there may be more than was seen. */
  async #news(reader, seen) {
    let timer;
    let stop;
    await new Promise((resolve) => {
      this.#stops.add((stop = () => resolve(undefined)));
      if (this.#stopped) resolve(undefined);
      else if (this.#writer) this.#writer.newer(seen).then(resolve);
      else timer = setTimeout(resolve, this.#poll);
    });
    this.#stops.delete(stop);
    clearTimeout(timer);
    if (this.#writer?.lost()) reader.call("reader_fail");
    else reader.call("reader_wake");
  }
}
