// Ways from a provider's bytes to a client's: each takes chunks and gives what was said and in how many frames.

import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import { createParser } from "eventsource-parser";
import { respond } from "../../../build/js/node.mjs";
import { body } from "./turn.mjs";

/** Drains a response: the bytes that left. */
export async function drain(response) {
  const reader = response.body.getReader();
  const pieces = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  return pieces;
}

/** What was said in frames, and in how many of them. */
export function said(pieces) {
  const decoder = new TextDecoder();
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
  const deltas = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const event = JSON.parse(line.slice(6));
    if (typeof event.delta === "string" && ["text-delta", "content", "intermediate"].includes(event.type)) deltas.push(event);
  }
  const live = deltas.filter((event) => event.type === "intermediate");
  const counted = live.length > 0 ? live : deltas;
  return { text: counted.map((event) => event.delta).join(""), frames: counted.length };
}

/** The AI SDK: its OpenAI provider, `streamText`, `toUIMessageStreamResponse`. */
export async function aiSdk(pieces) {
  const fetch = async () => new Response(body(pieces), { headers: { "content-type": "text/event-stream" } });
  const model = createOpenAI({ apiKey: "none", fetch }).chat("gpt-5.5-mini");
  return drain(streamText({ model, prompt: "Where is it?" }).toUIMessageStreamResponse());
}

/** As one writes it by hand: eventsource-parser, JSON.parse, JSON.stringify. No rule, no redaction, no record. */
export async function byHand(pieces) {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const frame = (event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
  const source = body(pieces).getReader();
  const stream = new ReadableStream({
    async start(to) {
      const parser = createParser({
        onEvent({ data }) {
          if (data === "[DONE]") return to.enqueue(encoder.encode("data: [DONE]\n\n"));
          const { content } = JSON.parse(data).choices[0]?.delta ?? {};
          if (content) to.enqueue(frame({ type: "text-delta", id: "0", delta: content }));
        },
      });
      to.enqueue(frame({ type: "start" }));
      to.enqueue(frame({ type: "text-start", id: "0" }));
      for (let next = await source.read(); !next.done; next = await source.read()) parser.feed(decoder.decode(next.value, { stream: true }));
      to.enqueue(frame({ type: "text-end", id: "0" }));
      to.enqueue(frame({ type: "finish" }));
      to.close();
    },
  });
  return drain(new Response(stream));
}

const ours = (options) => async (pieces) => drain(respond(body(pieces), { from: "chat-completions", ...options }).response);

/** Live, a frame a token, as an operator sees the turn: rule, redaction and record included. */
export const live = ours({ to: "canonical", view: "operator", deltas: "each" });

/** As people use it: the client gets the answer. */
export const answered = ours({ to: "ui-stream" });
