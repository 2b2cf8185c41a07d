// The output filter: removes secrets and personal data from a text while it streams.

import { core, freed, given, LastwordError, numbered, output, release, whenForgotten, withInput, write, writeShort } from "./core.mjs";
import { through } from "./stream.mjs";


/** A filter over one text at a time. What it gives does not depend on how the text was cut. */
export class OutputFilter {
  /** The module's exports, and which of its filters this is; 0 once it is freed. */
  #core;
  #handle = 0;
  /** What has come and not left, as far as it is known: the module says how much of it leaves. */
  #pending = "";
  /** The first half of a surrogate pair, whose second half is to come. */
  #half = "";
  /** For texts that come as bytes; kept between them. */
  #decoder;
  /** True if the next piece begins with what the last one left unfinished. */
  #unfinished = false;

  constructor(options = {}) {
    this.#core = core();
    this.#handle = withInput(JSON.stringify(options, plain), (length) => numbered(this.#core.filter_new(length)));
    whenForgotten(this, this.#core, "filter_free", this.#handle);
  }

  /** Takes a piece of the text, and returns what may leave now. */
  push(piece) {
    if (this.#handle === 0) throw gone();
    if (typeof piece === "string" && !this.#unfinished && writeShort(piece)) {
      return this.#left(piece, this.#core.filter_push(this.#handle, piece.length));
    }
    return this.#push(typeof piece === "string" ? this.#joined(piece) : this.#decoded(piece));
  }

  /** Ends the text, and returns what was held back. The filter is then as new. */
  flush() {
    if (this.#handle === 0) throw gone();
    const rest = this.#finished();
    const text = rest && this.#push(rest);
    return text + this.#left("", this.#core.filter_flush(this.#handle));
  }

  /** Drops what is held back. The filter is then as new. */
  abort() {
    if (this.#handle === 0) throw gone();
    this.#finished();
    this.#pending = "";
    this.#core.filter_abort(this.#handle);
  }

  /** How often each rule has matched since the filter was made, by its name. */
  get counts() {
    if (this.#handle === 0) throw gone();
    return JSON.parse(given(this.#core.filter_counts(this.#handle)));
  }

  /** Where rules have matched in the last text: `{ rule, start, end }`, in bytes as UTF-8. */
  get spans() {
    if (this.#handle === 0) throw gone();
    return JSON.parse(given(this.#core.filter_spans(this.#handle)));
  }

  /** True once the filter has ended the text, since something matched in mode `block`. */
  get blocked() {
    if (this.#handle === 0) throw gone();
    return this.#core.filter_blocked(this.#handle) !== 0;
  }

  /** How many bytes are held back now. */
  get held() {
    if (this.#handle === 0) throw gone();
    return this.#core.filter_held(this.#handle) >>> 0;
  }

  /** Frees what the filter takes of the module's memory. It can't be used after that. */
  free() {
    if (this.#handle === 0) return;
    freed(this);
    release(this.#core, "filter_free", this.#handle);
    this.#handle = 0;
    this.#pending = "";
  }

  [Symbol.dispose]() {
    this.free();
  }

  /** A `TransformStream` of strings or bytes to strings, or to bytes with `{ bytes: true }`. */
  transform(options) {
    return through(this, options);
  }

  #push(text) {
    text = this.#whole(text);
    let left = "";
    for (let at = 0; at < text.length; ) {
      const rest = at === 0 ? text : text.slice(at);
      const { read, written } = write(rest);
      const piece = read === rest.length ? rest : rest.slice(0, read);
      left += this.#left(piece, this.#core.filter_push(this.#handle, written));
      at += read;
    }
    return left;
  }

  /** What leaves, by what the module has said of it. */
  #left(piece, said) {
    if (said < 0) {
      this.#pending = "";
      return output(-said - 1);
    }
    const text = this.#pending === "" ? piece : this.#pending + piece;
    if (said === text.length) {
      this.#pending = "";
      return text;
    }
    this.#pending = said === 0 ? text : text.slice(said);
    return said === 0 ? "" : text.slice(0, said);
  }

  /** The text without what can't be told yet, and without what is no character. */
  #whole(text) {
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#half = text.at(-1);
      this.#unfinished = true;
      text = text.slice(0, -1);
    }
    return text.toWellFormed?.() ?? text.replace(/\p{Surrogate}/gu, "\ufffd");
  }

  /** The text with the half before it, or behind the end of the bytes before it. */
  #joined(text) {
    const before = this.#half || this.#finished();
    this.#half = "";
    this.#unfinished = false;
    return before + text;
  }

  #decoded(bytes) {
    const before = this.#half && this.#finished();
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    if (!ArrayBuffer.isView(bytes) && !(bytes instanceof ArrayBuffer)) throw new TypeError("A piece is a string or bytes.");
    this.#unfinished = true;
    return before + this.#decoder.decode(bytes, { stream: true });
  }

  /** What stands for what is unfinished, since nothing that finishes it comes. */
  #finished() {
    const text = this.#half ? "\ufffd" : this.#unfinished ? this.#decoder.decode() : "";
    this.#half = "";
    this.#unfinished = false;
    return text;
  }
}

// Where `using` is compiled away for want of the symbol, it is called by this one.
if (!Symbol.dispose) OutputFilter.prototype[Symbol.for("Symbol.dispose")] = OutputFilter.prototype.free;

/** A pair of streams through a filter of their own, or one that is given: strings or bytes in, strings out. */
export class OutputFilterStream {
  constructor(options, how) {
    this.filter = options instanceof OutputFilter ? options : new OutputFilter(options);
    const { readable, writable } = this.filter.transform(how);
    this.readable = readable;
    this.writable = writable;
  }
}

/** Options as JSON has them: of a `RegExp` its text. */
export function plain(_, value) {
  if (!(value instanceof RegExp)) return value;
  if (/[msvy]/.test(value.flags)) throw new LastwordError("invalid_filter", `The flags ${value.flags} of a pattern can't be kept to: only i can.`);
  return (value.ignoreCase ? "(?i)" : "") + value.source;
}

const gone = () => new LastwordError("freed", "This filter was freed.");
