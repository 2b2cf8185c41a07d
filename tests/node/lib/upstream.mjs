// A hostile model provider on loopback: it speaks Chat Completions as a script tells it to, byte for byte.

import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The frames of a response: one a piece of text, the finish, and the end mark. Each is bytes. */
export function chat(pieces, { finish = "stop", reasoning = [] } = {}) {
  const frame = (value) => Buffer.from(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);
  const delta = (delta) => frame({ choices: [{ index: 0, delta }] });
  return [
    ...reasoning.map((reasoning_content) => delta({ reasoning_content })),
    ...pieces.map((content) => delta({ content })),
    frame({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    frame("[DONE]"),
  ];
}

/** One request that the upstream got, and the response under way. */
export class Call {
  /** How many writes were taken. */
  writes = 0;
  #response;

  constructor(request, body, response) {
    this.#response = response;
    this.method = request.method;
    this.path = request.url;
    this.headers = request.headers;
    this.text = body;
    /** True once the other side has closed the connection before the response had ended. */
    this.isGone = false;
    /** True once the response is over, however. */
    this.isOver = false;
    response.on("close", () => {
      this.isOver = true;
      this.isGone = !response.writableFinished;
    });
  }

  get body() {
    return JSON.parse(this.text);
  }

  /** Begins the response. Needed only where it is not 200 and an event stream. */
  head(status = 200, headers = { "content-type": "text/event-stream" }) {
    this.#response.writeHead(status, headers).flushHeaders();
  }

  /** Writes bytes; true once the socket has taken them, false if it has been closed. */
  write(bytes) {
    if (this.#response.destroyed) return false;
    if (!this.#response.headersSent) this.head();
    return new Promise((done) =>
      this.#response.write(bytes, (error) => {
        this.writes += error ? 0 : 1;
        done(!error);
      }),
    );
  }

  /** Writes chunks one after the other, so far apart that they stay chunks. */
  async writeAll(chunks, pause = 0) {
    for (const chunk of chunks) {
      await this.write(chunk);
      await sleep(pause);
    }
  }

  /** Ends the body as HTTP says. */
  end() {
    if (!this.#response.headersSent) this.head();
    return new Promise((done) => this.#response.end(done));
  }

  /** Lets the connection die. */
  destroy() {
    this.#response.destroy();
  }

  /** Resets the connection. */
  reset() {
    this.#response.socket?.resetAndDestroy();
  }

  /** Writes to the socket itself, past HTTP. */
  raw(bytes) {
    return new Promise((done) => {
      const { socket } = this.#response;
      if (socket === null || socket.destroyed) return done(false);
      socket.write(bytes, (error) => done(!error));
    });
  }
}

/** The text of the last message that a person sent, in the body of any format: it names the script. */
function lastWords(body) {
  const messages = body.messages ?? body.contents ?? (Array.isArray(body.input) ? body.input : []);
  const texts = messages.filter(({ role }) => role === "user").map(({ content, parts }) => {
    return typeof content === "string" ? content : (content ?? parts)?.find((part) => part.text !== undefined)?.text;
  });
  // Results of tools are a user's messages in some formats.
  return texts.findLast((text) => text !== undefined);
}

/** Starts an upstream on a free port. `on(text, script)` says what a call whose last user message is `text` gets. */
export async function startUpstream() {
  const [scripts, calls] = [new Map(), []];
  const server = http.createServer({ noDelay: true }, async (request, response) => {
    const chunks = await request.toArray();
    const call = new Call(request, Buffer.concat(chunks).toString(), response);
    calls.push(call);
    response.on("error", () => {});
    const script = scripts.get(lastWords(call.body));
    await (script ? script(call) : call.end());
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    calls,
    on: (text, script) => scripts.set(text, script),
    /** The calls that a script got. */
    callsOf: (text) => calls.filter((call) => lastWords(call.body) === text),
    stop: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

/** The Worker's variables for an upstream. The key is made up, and put together here. */
export const upstreamVars = (upstream, more = {}) => ({
  LASTWORD_PROVIDER: "chat-completions",
  LASTWORD_UPSTREAM_URL: upstream.url,
  LASTWORD_MODEL: "test-model",
  LASTWORD_API_KEY: KEY,
  ...more,
});

export const KEY = ["sk", "test", "0123456789abcdef"].join("-");
