// A run's record: who writes it, and who reads it.

import { core, given, Held, LastwordError, withInput } from "./core.mjs";
import { joined, loaded, operation, perform, until, withReply } from "./perform.mjs";
import { Replay } from "./replay.mjs";
import { traitsOf } from "./stores/traits.mjs";
import { ClientCalls, EarlyAnswer, opened, Published } from "./token.mjs";

export { readRun } from "./replay.mjs";

const SECRET = Symbol("made by start or adopt");
const encoder = new TextEncoder();

/** How long a writer is taken to live after its last save, in milliseconds. */
const LEASE = 30_000;

/** A stored record as clients are told it. */
export const RunRecord = Object.freeze({
  /** Reads a stored head. Of one whose names are too long to be in it, its place knows them. */
  decode(bytes, place) {
    const where = place ? encoder.encode(placed(place)) : new Uint8Array();
    const exports = core();
    return JSON.parse(given(withInput(joined(where, bytes), () => exports.record_decode(where.length, bytes.length))));
  },

  /** Reads the record of a run; nothing if there is none. */
  async load(store, place) {
    const stored = await loaded(store, headOf(place));
    return stored && RunRecord.decode(stored.value, place);
  },
});

/**
 * Writes one run's events and keeps its record in step. What was written is saved in groups; an end is saved with the
 * answer before anybody can read of either. It decides nothing about the outcome and executes nothing.
 */
export class Emitter {
  #held;
  #store;
  #place;
  /** Another's record, which stands. */
  #stands;
  /** Why nothing more can be written. */
  #failed;
  /** Who waits until all is durable. */
  #waiting = [];
  #working = false;
  /** There may be more to do than was seen. */
  #asked = false;
  #timer;
  /** Who is told of news, each once. */
  #told = [];
  #readers = { customer: 0, operator: 0 };

  constructor(secret, held, store, place) {
    if (secret !== SECRET) throw new LastwordError("invalid_input", "An emitter is made by `Emitter.start` or `Emitter.adopt`.");
    this.#held = held;
    this.#store = store;
    this.#place = place;
  }

  /**
   * Begins a run, and resolves once its record says so. Where the run is there already, `began` is false.
   * @param {import("./record.js").StartOptions} options
   */
  static async start({ store, input, ...options }) {
    const place = { scope: options.scope ?? "", thread: options.thread, run: options.run };
    const body = { messages: [], ...input, threadId: place.thread, runId: place.run };
    const held = made("emitter_start", withOwn(store, { ...options, ...place, input: body }));
    const emitter = new Emitter(SECRET, held, store, place);
    await emitter.#through().catch((error) => {
      if (!emitter.#stands || error.code === "run_conflict") throw error;
    });
    return emitter;
  }

  /** Takes over a run whose writer is gone, only to end it. */
  static async adopt({ store, ...options }) {
    const place = { scope: options.scope ?? "", thread: options.thread, run: options.run };
    const stored = await loaded(store, headOf(place));
    if (!stored) throw new LastwordError("unknown_run", "There is no such run.");
    const version = encoder.encode(stored.version);
    const held = made("emitter_adopt", withOwn(store, { ...options, ...place }), version, stored.value);
    return new Emitter(SECRET, held, store, place);
  }

  /** The record that the store has acknowledged last; another's, if that one stands. */
  get record() {
    return this.#stands ?? JSON.parse(given(this.#held.call("emitter_record")));
  }

  /** True if this is who writes the run. */
  get began() {
    return this.#stands === undefined;
  }

  /** Writes events without effect, as a turn gives them. Waits only while too much waits to be saved. */
  async write(events) {
    const list = Array.isArray(events) ? events : [events];
    const text = JSON.stringify(list.map((event) => ({ type: event?.type, data: event })));
    await this.#did((length) => this.#held.call("emitter_write", length, Date.now()), text);
  }

  /** Writes what of an answer streams early. Nothing of nothing. */
  async writeEarly(early) {
    if (early !== undefined) await this.#take(EarlyAnswer, early);
  }

  /** Saves all that was written, and resolves once it is durable. */
  async commit() {
    this.#check();
    await this.#through();
  }

  /** Ends a turn that was done, with its answer. Resolves with the record that stands, which may be another's. */
  async succeed(published) {
    return this.#end(() => this.#take(Published, published));
  }

  /** Ends a turn that goes on with the client, which runs these calls. */
  async handOver(calls) {
    return this.#end(() => this.#take(ClientCalls, calls));
  }

  /** Ends a run that somebody has stopped. */
  async cancel() {
    return this.#end(() => this.#did(() => this.#held.call("emitter_cancel", Date.now())));
  }

  /** Ends a run that has failed. Of the error a client is told its code and the code's sentence. */
  async fail(code = "internal") {
    return this.#end(() => this.#did((length) => this.#held.call("emitter_fail", length, Date.now()), String(code)));
  }

  /** Ends a turn that waits for a person. */
  async interrupt(interrupts) {
    const stored = ({ responseSchema, expiresAt, ...rest }) => ({ ...rest, response_schema: responseSchema, expires_at: expiresAt });
    const text = JSON.stringify(Array.from(interrupts, stored));
    return this.#end(() => this.#did((length) => this.#held.call("emitter_interrupt", length, Date.now()), text));
  }

  /** What is committed, on a client's wire: from the beginning, and on until the run has ended. */
  replay(options) {
    return new Replay(this.#store, { ...options, ...this.#place }, {
      newer: (seen) => (this.#failed || this.record.revision > seen ? Promise.resolve() : new Promise((told) => this.#told.push(told))),
      lost: () => this.#failed !== undefined && this.#stands === undefined,
      attach: (view, more) => {
        this.#readers[view] += more;
        if (this.#failed) return;
        this.#held.call("emitter_readers", this.#readers.customer, this.#readers.operator);
        if (more > 0) this.#work();
      },
    });
  }

  /** Lets go of the run as it stands, and of what is not saved. It can't be written any more. */
  free() {
    clearTimeout(this.#timer);
    this.#stop(new LastwordError("freed", "This emitter was freed."));
    this.#held.free();
  }

  [Symbol.dispose]() {
    this.free();
  }

  #check() {
    if (this.#failed) throw this.#failed;
  }

  async #take(Kind, token) {
    this.#check();
    const number = opened(Kind, token);
    await this.#did(() => this.#held.call("emitter_take", number, Date.now()));
  }

  /** Does something with a text in the input, and has it saved in time. */
  async #did(call, text = "") {
    this.#check();
    const said = withInput(text, call);
    if (said < 0) given(said);
    if (said > 0) await this.#through();
    else this.#work();
  }

  async #end(submit) {
    await submit();
    await this.#through().catch((error) => {
      if (!this.#stands || this.#stands.status === "started") throw error;
    });
    return this.record;
  }

  /** Resolves once all that was written is durable. */
  #through() {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#work();
    });
  }

  /** Has the machine go on, unless it does; then once more. */
  async #work() {
    this.#asked = true;
    if (this.#working || this.#failed) return;
    this.#working = true;
    try {
      while (this.#asked) {
        this.#asked = false;
        while (await this.#step());
      }
    } catch (error) {
      this.#stop(error);
    }
    this.#working = false;
  }

  /** One operation of the store. False if there is none now. */
  async #step() {
    const length = this.#held.call("emitter_next", Date.now(), this.#waiting.length > 0 ? 1 : 0);
    if (length === 0) {
      if (this.#held.call("emitter_is_through")) this.#waiting.splice(0).forEach(({ resolve }) => resolve());
      this.#sleep();
      return false;
    }
    const reply = await perform(this.#store, operation(length));
    if (this.#failed) return false;
    const said = withReply(reply, (...sizes) => this.#held.call("emitter_replied", Date.now(), ...sizes));
    const { is, at, ...lost } = JSON.parse(given(said));
    if (is === "waiting") {
      await until(at);
      if (!this.#failed) this.#held.call("emitter_retry");
    } else if (is === "committed") {
      this.#tell();
    } else if (is !== "on") {
      this.#stop(why(is, lost), lost.record);
    }
    return !this.#failed;
  }

  /** Until it is time for the next commit. A writer that nobody holds any longer renews no lease. */
  #sleep() {
    clearTimeout(this.#timer);
    const at = this.#held.call("emitter_deadline");
    if (at === 0) return;
    const self = new WeakRef(this);
    const waits = this.#held.call("emitter_is_through") ? undefined : this;
    this.#timer = setTimeout(() => {
      const emitter = waits ?? self.deref();
      if (emitter) emitter.#work();
    }, Math.max(at - Date.now(), 0));
    if (!waits) this.#timer.unref?.();
  }

  /** Nothing more can be written, since another's record stands, or the store does not answer. */
  #stop(error, stands) {
    this.#failed ??= error;
    this.#stands ??= stands;
    this.#waiting.splice(0).forEach(({ reject }) => reject(this.#failed));
    this.#tell();
  }

  #tell() {
    this.#told.splice(0).forEach((told) => told());
  }
}

// Where `using` is compiled away for want of the symbol, it is called by this one.
if (!Symbol.dispose) Emitter.prototype[Symbol.for("Symbol.dispose")] = Emitter.prototype.free;

function why(is, { same, record, code }) {
  if (is === "unreadable") return new LastwordError(code, "The stored record can't be read.");
  if (is === "unseen") return new LastwordError("maybe_stale", "The store does not show this run. It may do so later.");
  if (is !== "lost") return new LastwordError("store_unavailable", "The store is not available.");
  if (!same) return new LastwordError("run_conflict", "A run with this id exists and had another input.");
  return record.status === "started"
    ? new LastwordError("run_active", "Another writes this run.")
    : new LastwordError("run_ended", "The run has ended already.");
}

/** What an emitter is made with besides what its caller says. @param {import("./stores/store.js").Store} store */
function withOwn(store, options) {
  const { maxValue, minInterval, ...traits } = traitsOf(store);
  return { lease: LEASE, ...options, traits: { ...traits, max_value: maxValue, min_interval: minInterval }, writer: `${crypto.randomUUID()}-1` };
}

function made(name, options, ...rest) {
  const exports = core();
  const text = encoder.encode(JSON.stringify(options));
  const sizes = [text, ...rest].map((piece) => piece.length);
  return new Held("emitter_free", withInput(joined(text, ...rest), () => exports[name](...sizes, Date.now())));
}

const placed = ({ scope = "", thread, run }) => JSON.stringify({ scope, thread, run });

function headOf(place) {
  const exports = core();
  return given(withInput(placed(place), (length) => exports.record_key(length)));
}
