// The body of a response that is an event stream, out of anything that gives events.

import { encodeSse } from "./sse-frame.mjs";
import { iteratorOf } from "./source.mjs";

/** A comment that says only that the connection lives. */
export const PING = ": ping\n\n";

/** The headers of every response that is an event stream: nobody on the way compresses, buffers or keeps it. */
export const SSE_HEADERS = Object.freeze({
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
});

/** The silence in milliseconds after which a heartbeat is due: the strictest proxies cut at 30 to 60 seconds. */
const HEARTBEAT = 15_000;

/** What a client is told of a stream that broke. What went wrong is for `onError` alone. */
const INTERRUPTED = {
  type: "error",
  code: "stream_interrupted",
  message: "The stream was interrupted. The run itself goes on.",
};

/** The longest time of a timer. */
const LONGEST = 2 ** 31 - 1;

const encoder = new TextEncoder();

/**
 * Drains events into the body of a response. The events are asked for as the client takes them, and never cancelled:
 * once the client has gone they are read to their end all the same, and what they say is dropped.
 */
export class SseBody {
  #events;
  #serialize;
  #heartbeat;
  #failure;
  #onError;
  #onGone;
  #headers;
  /** The event that was asked for and has not come. */
  #asked;
  /** When something was written last. */
  #wrote = -Infinity;
  #timer;
  /** Ends the wait for an event, where a heartbeat is due. */
  #wake;
  /** Nothing more is written. */
  #over = false;
  #settle;
  #forget = () => {};

  /**
   * @param {any} events
   * @param {import("./sse.js").SseBodyOptions<any>} options
   */
  constructor(events, { serialize = asJson, heartbeat = HEARTBEAT, headers, failure = asJson(INTERRUPTED), onError, onGone, signal } = {}) {
    this.#events = iteratorOf(events);
    this.#serialize = serialize;
    this.#heartbeat = heartbeat || Infinity;
    this.#failure = framed(failure);
    this.#onError = onError;
    this.#onGone = onGone;
    this.#headers = headers;
    /** Resolves once the events are over, also if the client has gone before; whatever they ended in. */
    this.done = new Promise((resolve) => (this.#settle = resolve));
    let to;
    const source = { start: (controller) => void (to = controller), pull: () => this.#pull(to), cancel: () => this.#gone() };
    /** The bytes. */
    this.stream = new ReadableStream(source, { highWaterMark: 0 });
    if (signal) this.#until(signal, to);
  }

  /** The headers of the response. */
  get headers() {
    return { ...SSE_HEADERS, ...Object.fromEntries(new Headers(this.#headers)) };
  }

  /** The response. */
  response(init) {
    const headers = new Headers(this.headers);
    new Headers(init?.headers).forEach((value, name) => headers.set(name, value));
    return new Response(this.stream, { ...init, headers });
  }

  /** Writes the next frame, or a heartbeat where none comes. */
  async #pull(to) {
    while (!this.#over) {
      let next;
      try {
        next = await this.#next();
      } catch (error) {
        if (!this.#over) this.#settle(this.#fail(error, to));
        return;
      }
      if (this.#over) return;
      if (next?.done) {
        this.#end();
        to.close();
        return this.#settle();
      }
      try {
        const frame = next ? framed(this.#serialize(next.value)) : PING;
        if (frame !== undefined) return this.#write(frame, to);
      } catch (error) {
        this.#fail(error, to);
        return void this.#drain();
      }
      if (this.#silence() <= 0) return this.#write(PING, to);
    }
  }

  /** The next event; nothing if a heartbeat is due before it comes. */
  #next() {
    this.#asked ??= this.#ask();
    this.#arm();
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      this.#asked.then((next) => {
        this.#asked = undefined;
        resolve(next);
      }, reject);
    });
  }

  /** Asks for one event. What throws at once rejects as all else. */
  async #ask() {
    return this.#events.next();
  }

  /** How long the wire may yet be silent. The first byte is due at once: the headers do not wait for the events. */
  #silence() {
    return this.#wrote + this.#heartbeat - Date.now();
  }

  /** One timer for all events: what is written meanwhile puts it off. */
  #arm() {
    const wait = this.#silence();
    if (this.#timer !== undefined || !(wait <= LONGEST)) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#silence() <= 0) this.#wake?.();
      else if (this.#wake) this.#arm();
    }, Math.max(wait, 0));
  }

  #write(frame, to) {
    this.#wake = undefined;
    this.#wrote = Date.now();
    to.enqueue(encoder.encode(frame));
  }

  /** Ends in an error frame. */
  #fail(error, to) {
    this.#write(this.#failure, to);
    this.#end();
    to.close();
    this.#tell(error);
  }

  #end() {
    this.#over = true;
    this.#wake = undefined;
    clearTimeout(this.#timer);
    this.#forget();
  }

  /** The client has gone. */
  #gone() {
    if (this.#over) return;
    this.#end();
    this.#drain();
    this.#onGone?.();
  }

  /** Takes the abort of a request for its client's going. */
  #until(signal, to) {
    const abort = () => {
      if (this.#over) return;
      this.#gone();
      to.error(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    this.#forget = () => signal.removeEventListener("abort", abort);
  }

  /** Reads what is left to its end. It is nobody's any more. */
  async #drain() {
    try {
      for (let next = await (this.#asked ?? this.#ask()); !next.done; next = await this.#ask());
    } catch (error) {
      this.#tell(error);
    }
    this.#settle();
  }

  /** Tells the host of an error. What it throws itself goes nowhere. */
  #tell(error) {
    try {
      this.#onError?.(error);
    } catch {
      // It was told.
    }
  }
}

/** An event as it is. */
function asJson(event) {
  return JSON.stringify(event);
}

/** The text of a frame; nothing for nothing. A string is its data. */
function framed(frame) {
  if (frame === undefined || frame === null) return undefined;
  return encodeSse(typeof frame === "string" ? { data: frame } : frame);
}
