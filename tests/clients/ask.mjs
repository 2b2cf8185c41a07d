// Asks Lastword by the clients that JavaScript has. Tasks and results are as of ask.py.

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, jsonSchema, streamText, tool as defineTool } from "ai";
import OpenAI from "openai";

const result = (rest) => ({ text: "", refusal: null, calls: [], error: null, ...rest });
/** The base URL: that of the Worker, unless the task names one. */
const base = (task, path) => task.base ?? task.url + path;
const headers = ({ key }) => ({ "Idempotency-Key": key });
const openai = (task) => new OpenAI({ apiKey: "none", baseURL: base(task, "/v1"), maxRetries: 0, defaultHeaders: headers(task) });

function ofResponse(response) {
  const parts = response.output.filter(({ type }) => type === "message").flatMap(({ content }) => content);
  return result({
    text: response.output_text ?? parts.filter(({ type }) => type === "output_text").map(({ text }) => text).join(""),
    refusal: parts.find(({ type }) => type === "refusal")?.refusal ?? null,
    calls: response.output.filter(({ type }) => type === "function_call").map((call) => [call.name, call.arguments]),
    error: ["failed", "cancelled"].includes(response.status) ? response.error.code : null,
  });
}

const toResponses = ({ model, text, tool }) => ({
  model,
  input: text,
  tools: tool ? [{ type: "function", name: tool, description: "", parameters: { type: "object" }, strict: false }] : [],
});

async function responsesRaw(task) {
  const client = openai(task);
  let last;
  for await (const event of await client.responses.create({ ...toResponses(task), stream: true })) {
    last = event;
    if (event.sequence_number !== task.after) continue;
    const { id } = event.response;
    for await (const more of await client.responses.retrieve(id, { stream: true, starting_after: task.after })) last = more;
    break;
  }
  return last?.response ? ofResponse(last.response) : result({ error: "no end" });
}

const toChat = ({ model, text, tool }) => ({
  model,
  messages: [{ role: "user", content: text }],
  ...(tool ? { tools: [{ type: "function", function: { name: tool, parameters: { type: "object" } } }] } : {}),
});

const ofCompletion = ({ choices: [{ message }] }) =>
  result({ text: message.content ?? "", refusal: message.refusal, calls: (message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]) });

async function chatRaw(task) {
  const [said, calls] = [{ text: "", refusal: "", finish: null }, []];
  for await (const { choices } of await openai(task).chat.completions.create({ ...toChat(task), stream: true })) {
    for (const { delta, finish_reason } of choices) {
      said.text += delta.content ?? "";
      said.refusal += delta.refusal ?? "";
      said.finish = finish_reason ?? said.finish;
      for (const { index, function: of } of delta.tool_calls ?? []) {
        calls[index] ??= ["", ""];
        calls[index] = [calls[index][0] + (of.name ?? ""), calls[index][1] + (of.arguments ?? "")];
      }
    }
  }
  return result({ text: said.text, refusal: said.refusal || null, calls, error: said.finish ? null : "no end" });
}

const anthropic = (task) => new Anthropic({ apiKey: "none", baseURL: base(task, ""), maxRetries: 0, defaultHeaders: headers(task) });

const toMessages = ({ model, text, tool }) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: "user", content: text }],
  ...(tool ? { tools: [{ name: tool, input_schema: { type: "object" } }] } : {}),
});

function ofAnthropic({ content, stop_reason }) {
  const text = content.filter(({ type }) => type === "text").map((block) => block.text).join("");
  const calls = content.filter(({ type }) => type === "tool_use").map(({ name, input }) => [name, JSON.stringify(input)]);
  return result({ text, calls, refusal: stop_reason === "refusal" ? text : null, error: stop_reason ? null : "no end" });
}

function aiModel(task) {
  const options = { apiKey: "none", baseURL: base(task, "/v1"), headers: headers(task) };
  if (task.wire === "responses") return createOpenAI(options).responses(task.model);
  if (task.wire === "messages") return createAnthropic(options)(task.model);
  return createOpenAICompatible({ name: "lastword", ...options })(task.model);
}

const toAi = (task) => ({
  model: aiModel(task),
  prompt: task.text,
  maxRetries: 0,
  ...(task.tool ? { tools: { [task.tool]: defineTool({ inputSchema: jsonSchema({ type: "object" }) }) } } : {}),
});

const aiCalls = (calls) => calls.map(({ toolName, input }) => [toolName, JSON.stringify(input)]);

async function aiStream(task) {
  let [text, error] = ["", null];
  const stream = streamText({ ...toAi(task), onError: () => {} });
  for await (const part of stream.fullStream) {
    if (part.type === "text-delta") text += part.text;
    if (part.type === "error") error = String(part.error?.message ?? JSON.stringify(part.error));
  }
  if (error) return result({ error });
  return result({ text, calls: aiCalls(await stream.toolCalls) });
}

async function aiWhole(task) {
  const { text, toolCalls } = await generateText(toAi(task));
  return result({ text, calls: aiCalls(toolCalls) });
}

function langchain(task) {
  const configuration = { baseURL: base(task, "/v1"), defaultHeaders: headers(task) };
  const model = new ChatOpenAI({ model: task.model, apiKey: "none", maxRetries: 0, useResponsesApi: task.wire === "responses", configuration });
  const parameters = { type: "object", properties: {} };
  return task.tool ? model.bindTools([{ type: "function", function: { name: task.tool, description: "", parameters } }]) : model;
}

const ofMessage = (message) =>
  result({ text: message.text, refusal: message.additional_kwargs?.refusal ?? null, calls: (message.tool_calls ?? []).map(({ name, args }) => [name, JSON.stringify(args)]) });

async function langchainStream(task) {
  let whole;
  for await (const chunk of await langchain(task).stream(task.text)) whole = whole ? whole.concat(chunk) : chunk;
  return whole ? ofMessage(whole) : result({ error: "nothing" });
}

const CLIENTS = {
  responses: {
    "openai raw": responsesRaw,
    "openai stream": async (task) => ofResponse(await openai(task).responses.stream(toResponses(task)).finalResponse()),
    "openai whole": async (task) => ofResponse(await openai(task).responses.create(toResponses(task))),
    "ai-sdk stream": aiStream,
    "ai-sdk whole": aiWhole,
    "langchain stream": langchainStream,
    "langchain whole": async (task) => ofMessage(await langchain(task).invoke(task.text)),
  },
  chat: {
    "openai raw": chatRaw,
    "openai stream": async (task) => ofCompletion(await openai(task).chat.completions.stream(toChat(task)).finalChatCompletion()),
    "openai whole": async (task) => ofCompletion(await openai(task).chat.completions.create(toChat(task))),
    "ai-sdk stream": aiStream,
    "ai-sdk whole": aiWhole,
    "langchain stream": langchainStream,
    "langchain whole": async (task) => ofMessage(await langchain(task).invoke(task.text)),
  },
  messages: {
    "anthropic stream": async (task) => ofAnthropic(await anthropic(task).messages.stream(toMessages(task)).finalMessage()),
    "anthropic whole": async (task) => ofAnthropic(await anthropic(task).messages.create(toMessages(task))),
    "ai-sdk stream": aiStream,
    "ai-sdk whole": aiWhole,
  },
};

/** How long a task may take, in milliseconds. */
const LONGEST = 150_000;

/** The names of the clients of a wire. */
export const clientsOf = (wire) => Object.keys(CLIENTS[wire]);

/** Does a task; whatever a client throws is the result. */
export async function ask(task) {
  const late = new Promise((_, failed) => setTimeout(() => failed(new Error("it never ends")), LONGEST).unref());
  try {
    return await Promise.race([CLIENTS[task.wire][task.client](task), late]);
  } catch (error) {
    return result({ error: `${error?.constructor?.name}: ${error?.message ?? JSON.stringify(error)}` });
  }
}
