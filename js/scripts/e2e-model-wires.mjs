// One turn over each wire, by the client that people use for it. Each gives `{answer, end, well}`: the text, the wire's own
// word for the end, and whether that is a good one; AG-UI's `run` besides. To be cut at the limit is a good end too: so small a
// model seldom finds one of its own.

import { HttpAgent } from "@ag-ui/client";
import Anthropic from "@anthropic-ai/sdk";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { EventSource } from "eventsource";
import OpenAI from "openai";

const TOKENS = 64;

/** The wires by name. `ask(url, question)` runs a turn against the Worker at `url`. */
export const wires = {
  "AG-UI": agui,
  "the canonical wire": canonical,
  "Responses, streamed": async (url, input) => response(await openai(url).responses.stream(asked({ input })).finalResponse()),
  "Responses, whole": async (url, input) => response(await openai(url).responses.create(asked({ input }))),
  "Chat Completions, streamed": async (url, text) => completion(await openai(url).chat.completions.stream(said(text)).finalChatCompletion()),
  "Chat Completions, whole": async (url, text) => completion(await openai(url).chat.completions.create(said(text))),
  "AI SDK UI stream": uiStream,
  "Messages, streamed": async (url, text) => message(await anthropic(url).messages.stream(said(text)).finalMessage()),
  "Messages, whole": async (url, text) => message(await anthropic(url).messages.create(said(text))),
};

const openai = (url) => new OpenAI({ apiKey: "local", baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = (url) => new Anthropic({ apiKey: "local", baseURL: url, maxRetries: 0 });
const asked = (more) => ({ model: "local", max_output_tokens: TOKENS, ...more });
const said = (content) => ({ model: "local", max_tokens: TOKENS, messages: [{ role: "user", content }] });

let turns = 0;
const fresh = (kind) => `${kind}-${Date.now()}-${(turns += 1)}`;

async function agui(url, content, runId = fresh("run")) {
  const agent = new HttpAgent({ url: `${url}/agui`, threadId: fresh("thread") });
  agent.addMessage({ id: fresh("q"), role: "user", content });
  const types = [];
  await agent.runAgent({ runId }, { onEvent: ({ event }) => void types.push(event.type) });
  const answer = agent.messages.filter(({ role }) => role === "assistant").map(({ content }) => content).join("");
  return { answer, end: types.at(-1), well: types.at(-1) === "RUN_FINISHED", run: runId };
}

/** The canonical wire begins no run: it tells of one that AG-UI has begun. */
async function canonical(url, content) {
  const run = fresh("run");
  await agui(url, content, run);
  const source = new EventSource(`${url}/v1/runs/${run}/events`);
  const { promise, resolve, reject } = Promise.withResolvers();
  let answer = "";
  source.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type === "content") answer += event.delta;
    if (/^task_(completed|failed|cancelled)$/.test(event.type)) resolve(event.type);
  };
  source.onerror = ({ message }) => reject(new Error(`the stream broke: ${message ?? "no more is known"}`));
  try {
    const end = await promise;
    return { answer, end, well: end === "task_completed" };
  } finally {
    source.close();
  }
}

async function uiStream(url, text) {
  const transport = new DefaultChatTransport({ api: `${url}/api/chat` });
  const question = { id: fresh("q"), role: "user", parts: [{ type: "text", text }] };
  const parts = await transport.sendMessages({ chatId: fresh("chat"), trigger: "submit-message", messages: [question] });
  let end;
  const watched = parts.pipeThrough(
    new TransformStream({
      transform(part, controller) {
        end = part.type;
        controller.enqueue(part);
      },
    }),
  );
  let last;
  for await (const message of readUIMessageStream({ stream: watched, terminateOnError: true })) last = message;
  const texts = last.parts.filter(({ type }) => type === "text");
  const whole = texts.every(({ state }) => state === "done");
  return { answer: texts.map(({ text }) => text).join(""), end, well: end === "finish" && whole };
}

function response({ output_text: answer, status: end, incomplete_details }) {
  return { answer, end, well: end === "completed" || (end === "incomplete" && incomplete_details.reason === "max_output_tokens") };
}

function completion({ choices: [{ message, finish_reason: end }] }) {
  return { answer: message.content, end, well: end === "stop" || end === "length" };
}

function message({ content, stop_reason: end }) {
  return { answer: content.map(({ text }) => text).join(""), end, well: end === "end_turn" || end === "max_tokens" };
}
