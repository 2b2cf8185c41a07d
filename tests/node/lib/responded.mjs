// What comes of a stream that is given to `respond`: the message that the AI SDK's own client makes of it, and the outcome.

import assert from "node:assert/strict";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { respond } from "../../../build/js/node.mjs";

/** What a client of the AI SDK has of a response: the text of its message, what went wrong, and the body. */
export async function readByClient(response) {
  const [chunks, errors] = [[], []];
  const kept = new TransformStream({ transform: (chunk, to) => (chunks.push(chunk), to.enqueue(chunk)) });
  const fetch = async () => new Response(response.body.pipeThrough(kept), response);
  const messages = [{ id: "q", role: "user", parts: [{ type: "text", text: "Well?" }] }];
  const stream = await new DefaultChatTransport({ fetch }).sendMessages({ chatId: "c", trigger: "submit-message", messages });
  let message;
  for await (const now of readUIMessageStream({ stream, onError: (error) => errors.push(error.message) })) message = now;
  const said = (message?.parts ?? []).filter(({ type }) => type !== "step-start");
  return { said: said.map(({ type, text, toolName }) => [type, text ?? toolName]), errors, body: String(Buffer.concat(chunks)) };
}

/** Has a stream published on the UI stream's wire. */
export async function responded(upstream, options = {}) {
  const { response, done, run, thread } = respond(upstream, { to: "ui-stream", ...options });
  const client = await readByClient(response);
  const { run: itsRun, thread: itsThread, ...outcome } = await done;
  assert.deepEqual([itsRun, itsThread], [run, thread]);
  assertDefined(outcome);
  return { ...client, outcome };
}

/** No key stands for nothing: JSON is the same. */
export const assertDefined = (outcome) => assert.deepEqual(outcome, JSON.parse(JSON.stringify(outcome)));

/** The client has this answer and nothing else; of the outcome only what it has cost is besides. */
export function assertAnswered({ said, errors, body, outcome }, answer, tokens, withheld = []) {
  assert.deepEqual(errors, []);
  assert.deepEqual(said, [["text", answer]]);
  const { usage, ...rest } = outcome;
  assert.deepEqual(rest, { status: "succeeded", answer });
  assert.deepEqual(usage?.map(({ input_tokens, output_tokens, total_tokens }) => [input_tokens, output_tokens, total_tokens]), tokens && [tokens]);
  for (const words of withheld) assert.ok(!body.includes(words), words);
}

/** The client has nothing but the failure, and the outcome says the same. */
export function assertFailure({ said, errors, body, outcome }, code, withheld = []) {
  assert.deepEqual(said, []);
  assert.equal(errors.length, 1);
  assert.deepEqual([outcome.status, outcome.failure?.code, outcome.answer], ["failed", code, undefined]);
  assert.ok(errors[0].startsWith(outcome.failure.message), errors[0]);
  for (const words of withheld) assert.ok(!body.includes(words), words);
}

/** A framework's stream that knows how many objects were read of it, how often it was let go, and when that is `over`. */
export function watched(stream) {
  const state = { read: 0, returned: 0 };
  state.stream = {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          if (!next.done) state.read += 1;
          return next;
        },
        return() {
          state.returned += 1;
          return (state.over = Promise.resolve(iterator.return?.() ?? { done: true }));
        },
      };
    },
  };
  return state;
}
