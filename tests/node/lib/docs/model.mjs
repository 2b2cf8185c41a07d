// What the pages have on the other side: a model on this machine, and what a client is to be shown of what it says.

import assert from "node:assert/strict";
import { recording } from "../recordings.mjs";
import { chat, startUpstream } from "../upstream.mjs";

/** What each page asks. */
const QUESTION = "Where is my refund?";
const EMAIL = ["ana.souza", "firma.com.br"].join("@");
const PIECES = ["Your refund was sent to ", EMAIL.slice(0, 7), EMAIL.slice(7), " today."];
export const ANSWER = "Your refund was sent to [REDACTED:email] today.";
const THOUGHT = "The customer must not read this thought.";

/** Starts a model that thinks, and then answers with an address that no customer may read. */
export async function startModel() {
  const upstream = await startUpstream();
  let held;
  upstream.on(QUESTION, async (call) => {
    const [first, ...rest] = chat(PIECES, { reasoning: [THOUGHT] });
    await call.write(first);
    await held;
    await call.writeAll(rest);
    await call.end();
  });
  return {
    port: Number(new URL(upstream.url).port),
    calls: upstream.calls,
    stop: upstream.stop,
    /** Lets the model stop behind its first words, until what this gives is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers();
      held = promise;
      return resolve;
    },
  };
}

/** What is sent to the servers of the pages. */
export const ASKED = JSON.stringify({ messages: [{ role: "user", content: QUESTION }] });

/** The text that a client of a wire shows. */
const TEXTS = {
  "ui-stream": (event) => (event.type === "text-delta" ? event.delta : ""),
  "chat-completions": (event) => event.choices?.[0]?.delta?.content ?? "",
  "ag-ui": (event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : ""),
  canonical: (event) => (event.type === "content" ? event.delta : ""),
};

function said(body, wire) {
  const events = body.split("\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));
  return events.map(TEXTS[wire]).join("");
}

/** Asserts that a stream is the answer of the model on this machine, on that wire, and nothing else of it. */
export function assertAnswer(body, wire = "ui-stream") {
  assert.equal(said(body, wire), ANSWER, body);
  for (const word of [THOUGHT, EMAIL]) assert.ok(!body.includes(word), body);
}

/** The same of the recording that plays where there is no model. */
export function assertRecorded(body, wire = "chat-completions") {
  const { answer, narration } = recording("narrated-refund");
  assert.ok(narration.length > 0);
  assert.equal(said(body, wire), answer, body);
  for (const word of narration) assert.ok(!body.includes(word), body);
}
