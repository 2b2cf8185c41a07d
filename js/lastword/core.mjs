// The WebAssembly module: how it is started, started anew after a trap, and the buffers in its memory through which
// texts and bytes go.

import { LastwordError } from "./errors.mjs";
import load, { __wbg_reset_state as restart, initSync as start, onTrap } from "./lastword.js";

export { LastwordError };

/** The size of the input buffer, in bytes: longer texts go through it in pieces. */
const ROOM = 64 * 1024;
/** Up to so many UTF-16 units a text is written unit by unit: to call an encoder costs more. */
const SHORT = 48;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The module's exports, each call of them watched. @type {import("./lastword.js").InitOutput} */
let wasm;
/** The address of its input buffer. */
let input = 0;
/** The module's memory. It is made anew when memory has grown, which leaves the old one without length. */
let view = new Uint8Array();

/** Who is told that an instance was lost. */
const listeners = new Set();

/**
 * Starts the module: it is given as a URL, a response (or a promise of one), bytes or a compiled module. What is
 * started already stays. No place is named here that a bundler would follow: `browser.mjs` does that.
 */
export async function init(module) {
  if (wasm) return;
  if (module === undefined) throw new LastwordError("not_initialized", "Lastword is not initialized: here `init` must be given the module.");
  started(await load({ module_or_path: module }));
}

/** Starts the module from its bytes or a compiled module. What is started already stays. */
export function initSync(module) {
  if (!wasm) started(start({ module }));
}

function started(exports) {
  if (wasm) return;
  view = new Uint8Array();
  wasm = watched(exports);
  input = wasm.port_input(ROOM) >>> 0;
}

/** Has `tell` called whenever an instance was lost. What came of it is gone, and what it was to settle never settles. */
export function onLost(tell) {
  listeners.add(tell);
}

/** Another instance is in the place of one that has trapped, however that came out. */
function renewed() {
  wasm = /** @type {any} */ (undefined);
  started(start(/** @type {any} */ (undefined)));
  for (const tell of listeners) tell();
}

onTrap(renewed);

/**
 * What to throw for what the glue has thrown of a call to these exports: a trap ends the instance, and what belongs to one
 * that is gone is lost.
 */
export function lost(cause, exports) {
  const traps = cause instanceof WebAssembly.RuntimeError;
  if (traps && exports === wasm) {
    restart();
    renewed();
  }
  return traps || / previous wasm instance/i.test(cause?.message) ? gone(cause) : cause;
}

/** The exports, each call watched: a trap ends the instance, and whoever still calls it afterwards is told. */
function watched(exports) {
  const calls = /** @type {any} */ ({ memory: exports.memory });
  const watch = (call) => (a, b, c, d, e, f) => {
    if (wasm !== calls) throw gone();
    try {
      return call(a, b, c, d, e, f);
    } catch (cause) {
      restart();
      renewed();
      throw gone(cause);
    }
  };
  for (const [name, call] of Object.entries(exports)) if (typeof call === "function") calls[name] = watch(call);
  return calls;
}

const gone = (cause) =>
  new LastwordError("instance_lost", "The WebAssembly instance was lost, and with it what it held: make it anew.", { cause });

/** The module's exports, once it is started. */
export function core() {
  if (!wasm) throw new LastwordError("not_initialized", "Lastword is not initialized: `await init()` first, or `initSync(module)`.");
  return wasm;
}

function memory() {
  return view.length > 0 ? view : (view = new Uint8Array(wasm.memory.buffer));
}

/** Writes a short ASCII text to the input. False if it is none. */
export function writeShort(text) {
  const { length } = text;
  if (length > SHORT) return false;
  const bytes = memory();
  let units = 0;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    bytes[input + at] = unit;
    units |= unit;
  }
  return units < 128;
}

/** Writes as much of a text as there is room for to the input: `{ read, written }`, in UTF-16 units and in bytes. */
export function write(text) {
  return encoder.encodeInto(text, memory().subarray(input, input + ROOM));
}

/** What `use` gives for the length in bytes of a text, or of bytes, in the input, which makes room for it. */
export function withInput(data, use) {
  if (typeof data === "string" && data.length * 3 <= ROOM) return use(write(data).written);
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  const large = bytes.length > ROOM;
  if (large) input = core().port_input(bytes.length) >>> 0;
  memory().set(bytes, input);
  try {
    return use(bytes.length);
  } finally {
    if (large) input = core().port_input(ROOM) >>> 0;
  }
}

/** So many bytes of the output, as text. */
export function output(length) {
  if (length === 0) return "";
  const at = wasm.port_output() >>> 0;
  return decoder.decode(memory().subarray(at, at + length));
}

/** So many bytes of the output that is bytes: a copy. */
export function raw(length) {
  const at = wasm.port_raw() >>> 0;
  return memory().slice(at, at + length);
}

/** The text that an export has given by its length, or the error that it has given. */
export function given(said) {
  return said < 0 ? refused(said) : output(said);
}

/** The number that an export has given, or the error. */
export function numbered(said) {
  return said < 0 ? refused(said) : said;
}

/** @returns {never} */
function refused(said) {
  const text = output(-said);
  const end = text.indexOf("\n");
  throw new LastwordError(text.slice(0, end), text.slice(end + 1));
}

/** What nobody has freed is freed once its owner is collected. Workers of old compatibility dates are not told of that. */
const forgotten = globalThis.FinalizationRegistry && new FinalizationRegistry(({ exports, free, number }) => release(exports, free, number));

/** Has a number freed by that export once its owner is collected. */
export function whenForgotten(owner, exports, free, number) {
  forgotten?.register(owner, { exports, free, number }, owner);
}

/** The owner has freed it. */
export function freed(owner) {
  forgotten?.unregister(owner);
}

/** Frees a number. With its instance it is gone already. */
export function release(exports, free, number) {
  if (exports === wasm) exports[free](number);
}

/** What an object holds in the module: a number of the kind that this export frees. */
export class Held {
  #exports = core();
  #number;
  #free;

  constructor(free, number) {
    this.#number = numbered(number);
    this.#free = free;
    whenForgotten(this, this.#exports, free, this.#number);
  }

  /** What an export gives for it and these arguments. */
  call(name, ...rest) {
    if (this.#number === 0) throw new LastwordError("freed", "This was freed.");
    return this.#exports[name](this.#number, ...rest);
  }

  /** Its number, for an export that takes it from its owner. */
  take() {
    const number = this.#number;
    this.#number = 0;
    freed(this);
    return number;
  }

  free() {
    if (this.#number !== 0) release(this.#exports, this.#free, this.take());
  }
}
