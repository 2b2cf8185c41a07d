// The publishing rule: what of a turn is its answer.

import { core, given, Held, withInput } from "./core.mjs";
import { plain } from "./filter.mjs";
import { ClientCalls, EarlyAnswer, made, Published } from "./token.mjs";

export { ClientCalls, EarlyAnswer, Published } from "./token.mjs";

/** Holds a turn's text, decides each response, and yields at most one answer. */
export class TurnOutput {
  #held;

  constructor(options = {}) {
    const exports = core();
    this.#held = new Held("turn_free", withInput(JSON.stringify(options, plain), (length) => exports.turn_new(length)));
  }

  /** Takes one signal. A decision comes with the signal that ends the response. */
  signal(signal) {
    return decision(this.#with("turn_signal", JSON.stringify(signal)));
  }

  /** Takes a piece of the open message's text, or opens one. */
  push(text) {
    this.#with("turn_push", String(text));
  }

  /** Ends the open message. One that is not the assistant's changes nothing. */
  messageEnded(role = "assistant") {
    this.#held.call("turn_message_ended", role === "assistant" ? 1 : 0);
  }

  /** Releases what the filter holds back into the open message. */
  flush() {
    this.#held.call("turn_flush");
  }

  /** Ends the response and decides it. */
  responseEnded(stop = "complete") {
    return decision(this.#with("turn_response_ended", stop));
  }

  /** Drops an attempt that failed and is made again: its text, its calls, and what the filter holds back. */
  attemptReset() {
    this.#held.call("turn_attempt_reset");
  }

  /** The text of the message that may end the turn, if there is one. */
  get candidate() {
    const text = given(this.#held.call("turn_candidate"));
    return text === "" ? undefined : JSON.parse(text);
  }

  /** The narration of the response that halted the turn; else what is pending. */
  get haltText() {
    return given(this.#held.call("turn_halt_text"));
  }

  /** Yields the answer, once: the candidate, or what replaces it. */
  publish(text) {
    const publish = (length) => this.#held.call("turn_publish", text === undefined ? 0 : 1, length);
    return made(Published, withInput(text === undefined ? "" : String(text), publish));
  }

  /** Yields the calls that the client is to run, which end the turn in the answer's place. */
  handOver(calls) {
    return made(ClientCalls, this.#with("turn_hand_over", JSON.stringify(calls)));
  }

  /** What is to be written, in order. */
  takeEvents() {
    const text = given(this.#held.call("turn_events"));
    return text === "" ? [] : JSON.parse(text).map(({ type, audience, data }) => ({ type, audience, ...data }));
  }

  /** What of an answer that streams early is to be written behind that; nothing if it is nothing. */
  takeEarly() {
    const number = this.#held.call("turn_early");
    return number === 0 ? undefined : made(EarlyAnswer, number);
  }

  /** Frees what the turn takes of the module's memory. It can't be used after that. */
  free() {
    this.#held.free();
  }

  [Symbol.dispose]() {
    this.free();
  }

  #with(name, text) {
    return withInput(text, (length) => this.#held.call(name, length));
  }
}

// Where `using` is compiled away for want of the symbol, it is called by this one.
if (!Symbol.dispose) TurnOutput.prototype[Symbol.for("Symbol.dispose")] = TurnOutput.prototype.free;

function decision(said) {
  const text = given(said);
  return text === "" ? undefined : JSON.parse(text);
}
