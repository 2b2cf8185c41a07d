// What an adapter tells of a turn, as signals: its messages one after the other, its calls, what it has cost.
//
// Bounds: 1,024 messages at once, 128 calls without a result, 1,024 characters of an id or a name, and 1 Mi characters
// each of the arguments of all these calls and of texts that wait. Past a bound: `upstream_malformed`.

import { LastwordError } from "../errors.mjs";

const MAX_OPEN = 1024;
const MAX_CALLS = 128;
const MAX_NAME = 1024;
const MAX_WAITING = 1 << 20;
const MAX_ARGUMENTS = 1 << 20;
/** The longest piece of a text in one signal, in UTF-16 units: however JSON writes it, the signal stays in its bound. */
const PIECE = 1 << 16;

/** What an object is that its format has not, or that is past a bound. */
export const malformed = (message) => new LastwordError("upstream_malformed", message);

/** The object's own type. */
export function typeOf(object) {
  if (typeof object?.type !== "string") throw malformed("An object of the stream has no type.");
  return object.type;
}

/** A reader of a framework's objects: what is its own is `read`, and where the stream alone does not say it, `ended` and `failed`. */
export class Reading {
  turn = new Teller();

  /** Takes an object of the stream, and returns what is to be sent. */
  push(object) {
    try {
      if (!this.turn.over) this.read(object);
    } catch (error) {
      // What is not made as the framework makes it.
      throw error instanceof LastwordError ? error : malformed("An object of the stream is none of the framework's.");
    }
    return this.turn.take();
  }

  /** The stream is over; `source` is what it was read from. */
  end(source) {
    if (!this.turn.over) this.ended(source);
    this.turn.cut();
    return this.turn.take();
  }

  /** The stream threw. */
  fail(error) {
    if (!this.turn.over) this.failed(error);
    return this.turn.take();
  }

  /**
   * @abstract
   * @param {any} _object
   */
  read(_object) {}

  /** @param {unknown} _source */
  ended(_source) {}

  /** @param {unknown} _error */
  failed(_error) {
    this.turn.fail();
  }
}

export class Teller {
  /** True once the turn is over: nothing behind its end is told. */
  over = false;
  #out = [];
  /** The messages that are open: the first is the item, those behind it wait until it has ended. */
  #open = [];
  #waiting = 0;
  /** The calls without a result: `{ name, args }` by their ids. */
  #calls = new Map();
  #arguments = 0;
  #usage = {};

  /** What was told since it was last asked. */
  take() {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** A message begins, if it has not. */
  start(key, phase) {
    if (this.#find(key)) return;
    if (this.#open.length >= MAX_OPEN) throw malformed(`More than ${MAX_OPEN} messages are open.`);
    this.#open.push({ key, start: { type: "item_start", ...(phase && { phase }) }, waits: [], ended: false });
    if (this.#open.length === 1) this.#out.push(this.#open[0].start);
  }

  /** A piece of a message, which begins with it if it has not: of its text, or of a `refusal`. */
  say(key, delta, type = "text") {
    if (check(delta) === "") return;
    this.start(key);
    const message = this.#find(key);
    if (message === this.#open[0]) return this.#pieces({ type }, delta);
    this.#waiting += delta.length;
    if (this.#waiting > MAX_WAITING) throw malformed("More text waits for its turn than the limit.");
    const last = message.waits.at(-1);
    if (last?.type === type) last.delta += delta;
    else message.waits.push({ type, delta });
  }

  /** A message ends: what has waited for that is said. */
  end(key) {
    const message = this.#find(key);
    if (!message) return;
    message.ended = true;
    this.#settle();
  }

  /** Every message ends. */
  close() {
    for (const message of this.#open) message.ended = true;
    this.#settle();
  }

  reason(delta) {
    this.#pieces({ type: "reasoning" }, check(delta));
  }

  /** A tool was run by whoever is upstream. */
  ran(name) {
    this.#out.push({ type: "provider_tool", name: named(name) });
  }

  /** A call begins, or is said anew. */
  call(id, name, args = "") {
    this.drop(id);
    if (this.#calls.size >= MAX_CALLS) throw malformed(`More than ${MAX_CALLS} calls have no result.`);
    this.#calls.set(named(id), { name: named(name), args: "" });
    this.argue(id, args);
  }

  /** A piece of a call's arguments. That of a call that has not begun is nothing. */
  argue(id, delta) {
    const call = this.#calls.get(id);
    if (!call) return;
    call.args += check(delta);
    this.#arguments += delta.length;
    if (this.#arguments > MAX_ARGUMENTS) throw malformed("The arguments of calls are longer than the limit.");
  }

  /** A call has a result, so it is no call for the client. */
  answer(id, name) {
    const call = this.#calls.get(id);
    this.drop(id);
    this.ran(call?.name ?? name);
  }

  /** A call is nobody's any more. */
  drop(id) {
    this.#arguments -= this.#calls.get(id)?.args.length ?? 0;
    this.#calls.delete(id);
  }

  /** The ids of the calls without a result. */
  get calls() {
    return [...this.#calls.keys()];
  }

  /** Tokens of one response more. */
  spend(usage) {
    const sum = { ...this.#usage };
    for (const [name, count] of Object.entries(counted(usage))) sum[name] = (sum[name] ?? 0) + count;
    this.cost(sum);
  }

  /** The tokens of all responses together. */
  cost(usage) {
    this.#usage = counted(usage);
    if (Object.keys(this.#usage).length > 0) this.#out.push({ type: "usage", ...this.#usage });
  }

  /** The turn has ended. The calls without a result are for the client. */
  done(stop = "complete") {
    this.close();
    for (const [id, { name, args }] of this.#calls) {
      this.#out.push({ type: "call_start", id, name });
      this.#pieces({ type: "call_args" }, args);
      this.#out.push({ type: "call_end" });
    }
    this.#out.push({ type: "response_end", stop });
    this.over = true;
  }

  /** The turn died, and said so. */
  fail() {
    this.#out.push({ type: "error" });
    this.over = true;
  }

  /** The turn broke off: it has no end mark. */
  cut() {
    this.over = true;
  }

  #find(key) {
    return this.#open.find((message) => message.key === key && !message.ended);
  }

  #settle() {
    while (this.#open[0]?.ended) {
      this.#open.shift();
      this.#out.push({ type: "item_end" });
      const next = this.#open[0];
      if (!next) return;
      this.#out.push(next.start);
      for (const { type, delta } of next.waits.splice(0)) {
        this.#waiting -= delta.length;
        this.#pieces({ type }, delta);
      }
    }
  }

  #pieces(signal, text) {
    for (let at = 0; at < text.length; at += PIECE) this.#out.push({ ...signal, delta: text.slice(at, at + PIECE) });
  }
}

function check(text) {
  if (typeof text !== "string") throw malformed("A piece of text is no text.");
  return text;
}

function named(name) {
  if (typeof name !== "string") throw malformed("An id or a name is no text.");
  if (name.length > MAX_NAME) throw malformed(`An id or a name is longer than ${MAX_NAME} characters.`);
  return name;
}

/** Those that are counts. */
function counted(usage) {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => Number.isSafeInteger(count) && count >= 0));
}
