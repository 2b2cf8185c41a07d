// Plain HTTP on a connection of its own: the exact bytes of a body as they come, and a client that can leave.

import assert from "node:assert/strict";
import http from "node:http";
import { SseReader } from "./sse.mjs";

/** How long anything may take before a test gives up. Nothing is measured by it. */
export const PATIENCE = 20_000;

/** A response under way. */
export class Exchange {
  chunks = [];
  sse = new SseReader();
  /** True once the body has ended as HTTP says it must, not by a connection that broke. */
  complete = false;
  #request;
  #waiting = new Set();
  #fault;
  /** Settles once the body is over or the connection is gone. */
  over;

  constructor(request, response) {
    this.#request = request;
    this.status = response.statusCode;
    this.headers = response.headers;
    this.isStream = (this.headers["content-type"] ?? "").startsWith("text/event-stream");
    response.on("data", (chunk) => this.#take(chunk));
    response.on("error", () => {});
    this.over = new Promise((done) =>
      response.on("close", () => {
        this.complete = response.complete;
        this.#settle();
        done();
      }),
    );
  }

  get bytes() {
    return Buffer.concat(this.chunks);
  }

  get text() {
    return this.bytes.toString();
  }

  get frames() {
    return this.sse.frames;
  }

  /** Waits until `seen(exchange)` gives something true, and returns it. */
  async until(seen, what = seen) {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      if (this.#fault) throw this.#fault;
      const found = seen(this);
      if (found) return found;
      const left = deadline - Date.now();
      assert.ok(left > 0 && !this.closed, `never came: ${what}\nin: ${this.text.slice(-2000)}`);
      await this.#more(left);
    }
  }

  /** Waits for the end, which must be a clean one, and returns the exchange. */
  async end() {
    await this.over;
    if (this.#fault) throw this.#fault;
    assert.ok(this.complete, `the connection broke: ${this.text.slice(-500)}`);
    if (this.isStream) this.sse.end();
    return this;
  }

  /** Goes away without a word. */
  leave() {
    this.#request.destroy();
  }

  #take(chunk) {
    this.chunks.push(chunk);
    try {
      if (this.isStream) this.sse.feed(chunk);
    } catch (error) {
      this.#fault ??= error;
    }
    this.#wake();
  }

  #settle() {
    this.closed = true;
    this.#wake();
  }

  #wake() {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #more(ms) {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#waiting.add(() => {
        clearTimeout(timer);
        done();
      });
    });
  }
}

/** Sends a request and returns its `Exchange` once the headers are there. A `body` that is no text is sent as JSON. */
export async function open(url, options = {}) {
  // A body that is refused before it is read closes the connection, at times before the answer can be read.
  for (let left = 5; ; left -= 1) {
    try {
      return await once(url, options);
    } catch (error) {
      if (left === 0 || error.code !== "EPIPE") throw error;
    }
  }
}

function once(url, { method = "GET", headers = {}, body }) {
  const isText = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
  const payload = isText ? body : JSON.stringify(body);
  const type = payload === undefined ? {} : { "content-type": "application/json" };
  return new Promise((done, fail) => {
    const request = http.request(url, { method, headers: { ...type, ...headers }, agent: false });
    request.on("response", (response) => done(new Exchange(request, response)));
    request.on("error", fail);
    request.end(payload);
  });
}

/** Sends a request and reads all of its response. */
export const whole = async (url, options) => (await open(url, options)).end();

/** Tries `work` on every item, at most `width` at a time. */
export async function pool(items, width, work) {
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) await work(item, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Asks again until `ask()` gives something true. */
export async function eventually(ask, what, patience = PATIENCE) {
  for (const deadline = Date.now() + patience; Date.now() < deadline; ) {
    const found = await ask();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`never came true: ${what}`);
}
