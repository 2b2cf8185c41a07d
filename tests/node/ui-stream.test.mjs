// The AI SDK's own client reads every recording, one byte at a time: the answer and nothing else, a failure as a
// failure, each part one that versions 7 and 5 take.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DefaultChatTransport, readUIMessageStream, uiMessageChunkSchema } from "ai";
import * as v5 from "ai-v5";
import { clientTools, firstCalls, leaks, recording, recordings } from "./lib/recordings.mjs";
import { content } from "./lib/ui-chat.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const loud = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=true,tools=true,working=true" });

/** The only part that version 5 does not know. */
const SINCE_6 = ["tool-approval-request"];

/** A fetch that keeps what came, and hands it on a byte at a time, or as many as `size`. */
function slow(kept, size) {
  return async (...request) => {
    const response = await fetch(...request);
    kept.headers = Object.fromEntries(response.headers);
    const chunks = [];
    const bytes = new TransformStream({
      transform(chunk, controller) {
        chunks.push(chunk);
        for (let at = 0; at < chunk.length; at += size) controller.enqueue(chunk.slice(at, at + size));
      },
      flush() {
        kept.bytes = Buffer.concat(chunks);
      },
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(bytes), { status, headers });
  };
}

/** Posts a question as `useChat` does, and reads the message that comes of it. */
async function ask(at, tape, sdk = { DefaultChatTransport, readUIMessageStream }) {
  const kept = { errors: [] };
  const chatId = fresh("chat");
  const body = { model: tape.model, tools: clientTools(tape.client_tools) };
  // The longest answer takes half a minute byte by byte, and shows nothing more.
  const size = tape.name === "long-answer" ? 61 : 1;
  const transport = new sdk.DefaultChatTransport({ api: `${at.url}/api/chat`, fetch: slow(kept, size), body });
  const messages = [{ id: fresh("q"), role: "user", parts: [{ type: "text", text: "Well?" }] }];
  const stream = await transport.sendMessages({ chatId, trigger: "submit-message", messages });
  const onError = (error) => kept.errors.push(error.message);
  for await (const message of sdk.readUIMessageStream({ stream, onError })) kept.message = message;
  return { ...kept, parts: partsOf(kept.bytes), chatId, messages };
}

/** The parts of a stream that is whole: frames of one `data` line each, comments between them, and the end mark. */
function partsOf(bytes) {
  const blocks = bytes.toString().split("\n\n").filter((block) => !block.startsWith(":"));
  assert.equal(blocks.pop(), "", "the last frame is whole");
  assert.equal(blocks.pop(), "data: [DONE]");
  for (const block of blocks) assert.match(block, /^data: {"type":".*}$/);
  return blocks.map((block) => JSON.parse(block.slice(6)));
}

const texts = (message) => message.parts.filter(({ type }) => type === "text").map(({ text }) => text);

async function assertTaken(parts) {
  for (const part of parts) {
    const taken = await uiMessageChunkSchema().validate(part);
    assert.ok(taken.success, `7: ${JSON.stringify(part)}`);
    const older = await v5.uiMessageChunkSchema().validate(part);
    assert.equal(older.success, !SINCE_6.includes(part.type), `5: ${JSON.stringify(part)}`);
  }
}

/** The parts keep the order in which the client needs them. */
function assertOrder(parts) {
  const types = parts.map(({ type }) => type);
  assert.deepEqual(types.slice(0, 2), ["start", "start-step"]);
  assert.ok(["finish", "abort", "error"].includes(types.at(-1)), types.at(-1));
  assert.equal(types.filter((type) => ["start", "finish", "abort", "error"].includes(type)).length, 2);
  let open = null;
  let step = false;
  for (const { type, id } of parts) {
    if (type === "start-step" || type === "finish-step") {
      assert.equal(step, type === "finish-step");
      step = !step;
    }
    const [, kind, act] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
    if (act === "start") open = `${kind} ${id}`;
    if (act) assert.equal(open, `${kind} ${id}`);
    if (act === "end") open = null;
  }
  assert.equal(step, false);
}

/** What the message comes to, where the recording ends so. */
function assertEnd(tape, { message, errors, parts, chatId, headers }) {
  assert.equal(headers["x-vercel-ai-ui-message-stream"], "v1");
  assert.match(headers["content-type"], /^text\/event-stream/);
  assert.equal(message.metadata.thread, chatId);
  assert.equal(message.id, `${message.metadata.run}-ui`);
  assert.equal(message.metadata.model, tape.model);
  const last = parts.at(-1);
  if (tape.failure) {
    assert.deepEqual([errors.length, texts(message)], [1, []], "an error, and nothing half");
    assert.ok(errors[0].includes(tape.failure), errors[0]);
    assert.equal(message.metadata.error.code, tape.failure);
    return;
  }
  assert.deepEqual(errors, []);
  assert.equal(last.type, "finish");
  assert.equal(typeof message.metadata.timing?.total_ms, message.metadata.interrupts ? "undefined" : "number");
  if (message.metadata.interrupts) {
    const asked = message.parts.filter(({ state }) => state === "approval-requested");
    assert.equal(asked.length, message.metadata.interrupts.length);
    assert.deepEqual(texts(message), []);
  } else if (tape.client_tools.length > 0) {
    assert.equal(last.finishReason, "tool-calls");
    const calls = message.parts.filter(({ type }) => type.startsWith("tool-") && !type.endsWith("approval"));
    const expected = firstCalls(tape.name).filter((call) => tape.client_tools.includes(call.function.name));
    assert.deepEqual(calls.map(({ toolCallId, state, type }) => [toolCallId, state, type]), expected.map(
      (call) => [call.id, "input-available", `tool-${call.function.name}`],
    ));
    assert.deepEqual(calls.map(({ input }) => input), expected.map((call) => JSON.parse(call.function.arguments)));
  } else {
    assert.deepEqual(texts(message).join(""), tape.answer ?? "");
    assert.equal(last.finishReason, message.metadata.truncated ? "length" : "stop");
  }
}

describe("every recording", { concurrency: 8 }, () => {
  for (const tape of recordings) {
    test(tape.name, async () => {
      const result = await ask(worker, tape);
      await assertTaken(result.parts);
      assertOrder(result.parts);
      assertEnd(tape, result);
      assert.deepEqual(leaks(tape.narration, result.bytes), [], "narration");
      assert.deepEqual(result.message.parts.filter(({ type }) => type === "reasoning"), [], "thinking");
    });

    test(`${tape.name}, with all that can be public`, async () => {
      const result = await ask(loud, tape);
      await assertTaken(result.parts);
      assertOrder(result.parts);
      if (!tape.failure) assert.deepEqual(texts(result.message).join(""), expectedText(tape));
      const transient = result.parts.filter(({ type }) => ["data-intermediate", "data-working"].includes(type));
      assert.ok(transient.length > 0 && transient.every((part) => part.transient === true));
      assert.deepEqual(result.message.parts.filter(({ type }) => type.startsWith("data-")), [], "none of it is kept");
      if (!tape.failure) await assertStored(loud, result);
    });
  }
});

/** What the server has of the chat is what the client holds; only the error of a tool of ours reads as its output there. */
async function assertStored(at, { chatId, messages, message }) {
  const stored = await (await fetch(`${at.url}/api/chat/${chatId}`)).json();
  const plain = (part) => (part.state === "output-error" ? { ...part, state: "output-available", output: part.errorText } : part);
  const held = [...messages, { ...message, parts: message.parts.map(plain) }];
  // A message that says nothing is none.
  if (message.parts.every(({ type }) => type === "step-start")) held.pop();
  assert.deepEqual(JSON.parse(JSON.stringify(stored.map(content))), JSON.parse(JSON.stringify(held.map(content))));
}

const WITHOUT_ANSWER = /^(approval|approvals-parallel|approval-beside-client-tool|client-tools?(-parallel)?|empty-answer)$/;
const expectedText = ({ name, answer }) => (WITHOUT_ANSWER.test(name) ? "" : (answer ?? ""));

test("version 5 of the client reads the same", async () => {
  for (const name of ["narrated-refund", "client-tool", "early-death"]) {
    const result = await ask(worker, recording(name), v5);
    assertEnd(recording(name), result);
  }
});

test("public narration goes to `onData` and thinking to the message", async () => {
  const tape = recording("narrated-refund");
  const { parts, message } = await ask(loud, tape);
  const narrated = parts.filter(({ type }) => type === "data-intermediate").map(({ data }) => data.text).join("");
  for (const word of tape.narration) assert.ok(narrated.includes(word), word);
  const calls = message.parts.filter(({ type }) => type.startsWith("tool-"));
  assert.ok(calls.length > 0);
  assert.ok(calls.every((call) => call.providerExecuted === true && /^output-/.test(call.state)), JSON.stringify(calls));
});
