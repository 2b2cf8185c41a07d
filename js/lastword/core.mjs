// The WebAssembly module: how it is started, and the two buffers in its memory through which texts go.

import { LastwordError } from "./errors.mjs";
import load, { initSync as start } from "./lastword.js";

export { LastwordError };

/** The size of the input buffer, in bytes: longer texts go through it in pieces. */
const ROOM = 64 * 1024;
/** Up to so many UTF-16 units a text is written unit by unit: to call an encoder costs more. */
const SHORT = 48;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The module's exports, and the address of its input buffer. */
let wasm;
let input = 0;
/** The module's memory. It is made anew when memory has grown, which leaves the old one without length. */
let view = new Uint8Array();

/**
 * Starts the module. Without an argument it is fetched from beside this file; otherwise it is given as a URL, a
 * response (or a promise of one), bytes or a compiled module. What is started already stays.
 */
export async function init(module = new URL("./lastword.wasm", import.meta.url)) {
  if (!wasm) started(await load({ module_or_path: module }));
}

/** Starts the module from its bytes or a compiled module. What is started already stays. */
export function initSync(module) {
  if (!wasm) started(start({ module }));
}

function started(exports) {
  if (wasm) return;
  input = exports.filter_input(ROOM) >>> 0;
  wasm = exports;
}

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

/** What `use` gives for the length in bytes of a text that is in the input, which makes room for it. */
export function withInput(text, use) {
  const bytes = encoder.encode(text);
  const large = bytes.length > ROOM;
  if (large) input = wasm.filter_input(bytes.length) >>> 0;
  memory().set(bytes, input);
  const result = use(bytes.length);
  if (large) input = wasm.filter_input(ROOM) >>> 0;
  return result;
}

/** So many bytes of the output, as text. */
export function output(length) {
  if (length === 0) return "";
  const at = wasm.filter_output() >>> 0;
  return decoder.decode(memory().subarray(at, at + length));
}
