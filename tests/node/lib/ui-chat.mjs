// `AbstractChat`, which is `useChat` without React: a chat over real connections, and what the server has of it.

import assert from "node:assert/strict";
import { AbstractChat, DefaultChatTransport } from "ai";
import { eventually } from "./http.mjs";
import { chat as frames } from "./upstream.mjs";
import { fresh } from "./worker.mjs";

export const ANSWER = ["It ", "is ", "done."];

export class Chat extends AbstractChat {
  constructor(at, { id = fresh("chat"), messages = [], body = {}, ...init } = {}) {
    const cut = new AbortController();
    const posts = [];
    const faults = [];
    const finished = [];
    const state = {
      status: "ready",
      error: undefined,
      messages,
      snapshot: (value) => structuredClone(value),
      pushMessage: (message) => (state.messages = [...state.messages, structuredClone(message)]),
      popMessage: () => (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => (state.messages = state.messages.with(index, structuredClone(message))),
    };
    const send = async (url, request = {}) => {
      if (request.method === "POST") posts.push(JSON.parse(request.body));
      const response = await fetch(url, request);
      // A connection that breaks is an error of the network to the client, not its own `stop`.
      const body = response.body?.pipeThrough(new TransformStream(), { signal: cut.signal });
      return new Response(body ?? null, response);
    };
    const transport = new DefaultChatTransport({ api: `${at.url}/api/chat`, fetch: send, body });
    super({ id, state, transport, onError: (error) => faults.push(error.message), onFinish: (end) => finished.push(end), ...init });
    Object.assign(this, { at, posts, faults, finished, state, breakOff: () => cut.abort(new TypeError("network error")) });
  }

  get path() {
    return `${this.at.url}/api/chat/${encodeURIComponent(this.id)}`;
  }

  /** The chat as the server has it. */
  async stored() {
    const response = await fetch(this.path);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    return response.json();
  }

  quiet() {
    return eventually(() => this.status === "ready" || this.status === "error", "the chat is quiet");
  }
}

/** What a message says, without what only a stream or only a store knows of it. */
export const content = ({ id, role, parts }) => ({
  id,
  role,
  parts: parts.map(({ type, text, toolCallId, state, input, output, approval }) => ({
    type, text, toolCallId, input, output, approved: approval?.approved, state: type.startsWith("tool-") ? state : undefined,
  })),
});

export async function assertStored(chat) {
  const plain = (messages) => JSON.parse(JSON.stringify(messages.map(content)));
  assert.deepEqual(plain(await chat.stored()), plain(chat.messages));
}

export const texts = (message) => message.parts.filter(({ type }) => type === "text").map(({ text }) => text);

/** An upstream that has begun to think, and answers once `release` is called. */
export function held(upstream, words) {
  let release;
  const released = new Promise((done) => (release = done));
  upstream.on(words, async (call) => {
    const [first, ...rest] = frames(ANSWER);
    await call.write(first);
    await released;
    await call.writeAll(rest);
    await call.end();
  });
  return release;
}

export const began = (chat) => eventually(() => chat.messages.at(-1)?.role === "assistant", "the run has begun");
