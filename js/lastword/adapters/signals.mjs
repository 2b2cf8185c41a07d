// Signals, for an agent of one's own: plain objects that say what a turn says. Each is checked, and sent on. What is no
// signal is `upstream_malformed`: an unknown type, a field that is not of its kind, anything but an object. Whether it
// may stand where it stands, and whether it is in its bounds, the core asks.

import { malformed, Reading, typeOf } from "./teller.mjs";

export const format = "signals";

export const reader = () => new Signals();

const text = (value) => typeof value === "string";
const count = (value) => Number.isSafeInteger(value) && value >= 0;
const one = (...words) => (value) => words.includes(value);
/** Null stands for what is absent. */
const maybe = (is) => (value) => value === undefined || value === null || is(value);

const DELTA = { delta: text };
const SNAPSHOT = { snapshot: (value) => value !== undefined };
const INDEX = { index: maybe(count) };
const NAME = { name: maybe(text) };
const COUNTS = ["input", "output", "total", "reasoning", "cached_input", "cache_write"];

/** The fields of each type. */
const TYPES = new Map(
  Object.entries({
    response_start: { model: maybe(text) },
    item_start: { role: maybe(text), phase: maybe(one("commentary", "final_answer")) },
    text: DELTA,
    reasoning: DELTA,
    refusal: DELTA,
    was_reasoning: {},
    item_end: { text: maybe(text) },
    call_start: { ...INDEX, id: maybe(text), ...NAME },
    call_name: { ...INDEX, ...NAME },
    call_args: { ...INDEX, ...DELTA },
    call_end: INDEX,
    provider_tool: NAME,
    usage: Object.fromEntries(COUNTS.map((name) => [name, maybe(count)])),
    state: SNAPSHOT,
    kept: SNAPSHOT,
    response_end: { stop: maybe(one("complete", "length", "content_filter", "pause")) },
    error: {},
  }),
);

/** True if that is the type of a signal. */
export const isSignal = (type) => TYPES.has(type);

class Signals extends Reading {
  push(signal) {
    if (this.turn.over) return [];
    const type = typeOf(signal);
    const fields = TYPES.get(type);
    if (!fields) throw malformed(`There is no signal of the type ${JSON.stringify(type.slice(0, 64))}.`);
    const sent = { type };
    for (const [name, is] of Object.entries(fields)) {
      if (!is(signal[name])) throw malformed(`The field ${name} of a signal ${type} is not of its kind.`);
      if (signal[name] !== undefined) sent[name] = signal[name];
    }
    this.turn.over = type === "response_end" || type === "error";
    return [sent];
  }
}
