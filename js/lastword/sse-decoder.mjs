// Event streams as clients read them: text or bytes in, events out. Needs no module: to cut a string where it stands
// costs less than to carry an event across the border.

import { LastwordError } from "./errors.mjs";
import { chunksOf } from "./source.mjs";

/** The most UTF-16 units of one unfinished event by default. */
const MAX_EVENT = 16 << 20;

const LF = 10;
const CR = 13;
const SPACE = 32;
const MARK = 0xfeff;
const STREAM = { stream: true };

/**
 * Decodes one event stream by the rules of the WHATWG HTML standard. The same stream gives the same events however it
 * is cut, each as soon as its blank line has ended.
 */
export class SseDecoder {
  #max;
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The pieces of the unfinished line, and how long they are. */
  #held = [];
  #heldLength = 0;
  /** Nothing has come yet: a byte order mark may lead. */
  #atStart = true;
  /** The last line has ended with a CR, to which an LF may belong. */
  #afterCr = false;
  #data;
  #event = "";
  #id;
  #lastId = "";
  #retry;
  /** The retry time that the event itself has stated. */
  #asks;
  /** The event has said something besides its data. */
  #marked = false;
  /** How much of the event is held besides the unfinished line. */
  #size = 0;
  #failed;
  /** What `push` has found. */
  #out;

  constructor({ maxEvent = MAX_EVENT } = {}) {
    this.#max = maxEvent;
  }

  /** Takes the stream's next piece and returns the events that it ends. */
  push(chunk) {
    if (this.#failed !== undefined) throw this.#failed;
    this.#out = undefined;
    const text = typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, STREAM);
    if (text.length > 0) this.#take(text);
    if (this.#out !== undefined) return this.#out;
    if (this.#failed !== undefined) throw this.#failed;
    return [];
  }

  /** The stream is over: what no blank line has ended is no event. The decoder is then as new, for a reconnect. */
  flush() {
    if (this.#failed !== undefined) throw this.#failed;
    this.#reset();
    this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.#atStart = true;
    this.#afterCr = false;
  }

  /** The id to go on behind after a reconnect; empty if there was none. */
  get lastEventId() {
    return this.#lastId;
  }

  /** The reconnection time that the stream has asked for last, in milliseconds. */
  get retry() {
    return this.#retry;
  }

  /** The events of a stream: a `Response`, a `ReadableStream`, or any iterable of pieces. */
  async *iterate(stream) {
    for await (const chunk of chunksOf(stream)) {
      const events = this.push(chunk);
      for (let at = 0; at < events.length; at++) yield events[at];
    }
    this.flush();
  }

  #take(text) {
    let at = 0;
    if (this.#atStart) {
      this.#atStart = false;
      if (text.charCodeAt(0) === MARK) at = 1;
    } else if (this.#afterCr) {
      if (text.charCodeAt(0) === LF) at = 1;
    }
    this.#afterCr = false;
    const cr = text.indexOf("\r", at);
    if (this.#heldLength > 0) {
      const lf = text.indexOf("\n", at);
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      if (end === -1) return this.#hold(text.slice(at));
      this.#held.push(text.slice(at, end));
      const line = this.#held.join("");
      this.#held.length = 0;
      this.#heldLength = 0;
      if (!this.#line(line, 0, line.length)) return;
      at = end + 1;
      if (end === cr) {
        if (text.charCodeAt(at) === LF) at += 1;
        else if (at === text.length) this.#afterCr = true;
      }
    }
    at = cr === -1 ? this.#lines(text, at) : this.#anyLines(text, at);
    if (at < text.length && this.#failed === undefined) this.#hold(at === 0 ? text : text.slice(at));
  }

  /** Reads whole lines that LF alone ends, from there on. Returns where the unfinished one begins. */
  #lines(text, at) {
    for (let end = text.indexOf("\n", at); end !== -1; end = text.indexOf("\n", at)) {
      // An event that is one line of data, as nearly all of them are.
      if (this.#data === undefined && text.charCodeAt(end + 1) === LF && isData(text, at)) {
        if (!this.#admits(end - at)) break;
        const value = text.slice(text.charCodeAt(at + 5) === SPACE ? at + 6 : at + 5, end);
        if (this.#marked) this.#ended(value);
        else this.#give({ data: value }, this.#lastId);
        at = end + 2;
      } else {
        if (!this.#line(text, at, end)) break;
        at = end + 1;
      }
    }
    return at;
  }

  /** The same of lines that end in any way. */
  #anyLines(text, at) {
    let lf = text.indexOf("\n", at);
    let cr = text.indexOf("\r", at);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      if (!this.#line(text, at, end)) break;
      at = end + 1;
      if (end === cr) {
        if (lf === at) at += 1;
        else if (at === text.length) this.#afterCr = true;
        cr = text.indexOf("\r", at);
      }
      if (lf !== -1 && lf < at) lf = text.indexOf("\n", at);
    }
    return at;
  }

  /** Takes a line. False if it is too long. */
  #line(text, at, end) {
    if (at === end) {
      this.#ended(this.#data);
      return true;
    }
    if (!this.#admits(end - at)) return false;
    if (isData(text, at)) {
      this.#add(text.slice(text.charCodeAt(at + 5) === SPACE ? at + 6 : at + 5, end));
      return true;
    }
    if (text.charCodeAt(at) === 101 && text.startsWith("event:", at)) {
      this.#name(text.slice(text.charCodeAt(at + 6) === SPACE ? at + 7 : at + 6, end));
      return true;
    }
    let colon = text.indexOf(":", at);
    if (colon === -1 || colon > end) colon = end;
    const from = text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
    this.#field(text.slice(at, colon), from < end ? text.slice(from, end) : "");
    return true;
  }

  #field(name, value) {
    if (name === "data") return this.#add(value);
    if (name === "event") return this.#name(value);
    this.#marked = true;
    if (name === "id" && !value.includes("\0")) {
      this.#size += value.length - (this.#id ?? "").length;
      this.#id = value;
    } else if (name === "retry" && /^[0-9]+$/.test(value) && Number.isSafeInteger(Number(value))) {
      this.#retry = this.#asks = Number(value);
    }
  }

  #name(value) {
    this.#marked = true;
    this.#size += value.length - this.#event.length;
    this.#event = value;
  }

  #add(value) {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#size += value.length + 1;
  }

  /** A blank line. An id counts though there is no data; without data there is no event. */
  #ended(data) {
    if (this.#id !== undefined) this.#lastId = this.#id;
    if (data !== undefined) {
      const event = this.#event === "" ? { data } : { event: this.#event, data };
      if (this.#asks !== undefined) event.retry = this.#asks;
      this.#give(event, this.#lastId);
    }
    this.#data = this.#id = this.#asks = undefined;
    this.#event = "";
    this.#size = 0;
    this.#marked = false;
  }

  #give(event, id) {
    if (id !== "") event.id = id;
    if (this.#out === undefined) this.#out = [event];
    else this.#out.push(event);
  }

  #hold(piece) {
    this.#held.push(piece);
    this.#heldLength += piece.length;
    this.#admits(this.#heldLength);
  }

  /** Refuses a line that would make the event larger than it may be. What came before it stands. */
  #admits(length) {
    if (this.#size + length <= this.#max) return true;
    this.#reset();
    this.#failed = new LastwordError("event_too_large", `An event is larger than ${this.#max} characters.`);
    return false;
  }

  #reset() {
    this.#held.length = this.#heldLength = this.#size = 0;
    this.#data = this.#id = this.#asks = undefined;
    this.#event = "";
    this.#marked = false;
  }
}

/** The events of a stream. */
export const decodeSse = (stream, options) => new SseDecoder(options).iterate(stream);

function isData(text, at) {
  return (
    text.charCodeAt(at) === 100 &&
    text.charCodeAt(at + 1) === 97 &&
    text.charCodeAt(at + 2) === 116 &&
    text.charCodeAt(at + 3) === 97 &&
    text.charCodeAt(at + 4) === 58
  );
}
