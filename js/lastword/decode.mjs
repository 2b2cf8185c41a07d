// Providers' streams as signals.

import { core, given, Held, LastwordError, withInput } from "./core.mjs";
import { chunksOf } from "./source.mjs";

/** Decodes one response of a provider. The same bytes give the same signals however they are cut. */
export class Decoder {
  #held;

  constructor(provider, { thinkingTags = false } = {}) {
    const exports = core();
    this.#held = new Held("decode_free", withInput(String(provider), (length) => exports.decode_new(length, thinkingTags ? 1 : 0)));
  }

  /** Takes the next piece, and returns the signals that it ends. */
  push(chunk) {
    return read(withInput(bytesOf(chunk), (length) => this.#held.call("decode_push", length)));
  }

  /** The stream is over. Returns what is still due: the response's end, or the error that it was cut. */
  end() {
    return read(this.#held.call("decode_end"));
  }

  /** With `auto`: the format that the first bytes were of, once that is known. */
  get format() {
    return /** @type {any} */ (given(this.#held.call("decode_format")) || undefined);
  }

  /** Frees what the decoder takes of the module's memory. It can't be used after that. */
  free() {
    this.#held.free();
  }

  [Symbol.dispose]() {
    this.free();
  }
}

// Where `using` is compiled away for want of the symbol, it is called by this one.
if (!Symbol.dispose) Decoder.prototype[Symbol.for("Symbol.dispose")] = Decoder.prototype.free;

/**
 * The signals of one response: of a `Response`, a `ReadableStream`, or any iterable of bytes or strings. The last one is
 * `response_end` or `error`; a stream that breaks off, or fails, is cut. The source is let go of behind that.
 */
export async function* decode(provider, source, options) {
  const decoder = new Decoder(provider, options);
  try {
    const chunks = chunksOf(source);
    for await (const signals of decoded(decoder, chunks)) {
      for (let at = 0; at < signals.length; at++) yield signals[at];
      if (signals.length > 0 && isEnd(signals.at(-1))) return;
    }
  } finally {
    decoder.free();
  }
}

/** The signals of each chunk, and of the end. */
async function* decoded(decoder, chunks) {
  const iterator = chunks[Symbol.asyncIterator]();
  let over = false;
  try {
    while (!over) {
      const { done, value } = await nextOf(iterator);
      over = done;
      yield done ? decoder.end() : decoder.push(value);
    }
  } finally {
    if (!over) await iterator.return?.();
  }
}

/** The next piece. A source that fails is over. */
async function nextOf(iterator) {
  try {
    return await iterator.next();
  } catch {
    return { done: true };
  }
}

const isEnd = ({ type }) => type === "response_end" || type === "error";

const read = (said) => (said === 0 ? [] : JSON.parse(given(said)));

/** A piece as text or bytes. */
export function bytesOf(chunk) {
  if (typeof chunk === "string") return chunk;
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new LastwordError("invalid_input", "A piece is a string or bytes.");
}
