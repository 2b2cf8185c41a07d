// `respond` given the streams of frameworks as they are: what a client of the AI SDK has of them, and how they ended.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { EventEncoder } from "@ag-ui/encoder";
import Anthropic from "@anthropic-ai/sdk";
import { tool as graphTool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { memory, respond, setLog } from "../../build/js/node.mjs";
import { call, finish, NARRATED as STEPS, text, turns, VERSIONS } from "./lib/ai-sdk.mjs";
import { stream } from "./lib/adapted.mjs";
import { assertAnswered, assertDefined, assertFailure, responded, watched } from "./lib/responded.mjs";
import { scripted } from "./lib/says.mjs";
import { KEY, startUpstream } from "./lib/upstream.mjs";
import { eventually } from "./lib/http.mjs";
import { fresh, runInput } from "./lib/worker.mjs";

setLog(false);
setTracingDisabled(true);

const upstream = await startUpstream();
after(() => upstream.stop());

const WITHHELD = ["Let me", "Sorry", "Hm.", "look"];

/** What models on loopback say, and the first of it, behind which nothing comes. */
const SAID = [
  { reasoning: ["Hm."], text: ["Let me ", "look."], calls: [{ id: "c1", name: "look" }] },
  { text: ["Sorry, ", "once more."], calls: [{ id: "c2", name: "look" }] },
  { text: ["It is ", "done."] },
];

/** A prompt to which the model on loopback says that; or half of something, and no more until `hangs` is over. */
function prompted(responses, hangs) {
  const prompt = fresh("turn");
  const halts = async (call) => {
    await call.writeAll(["Half", " of it"].map((content) => chatFrame({ content })));
    await hangs;
    await call.end();
  };
  if (hangs) upstream.on(prompt, halts);
  else scripted(upstream, prompt, responses);
  return prompt;
}

const CHUNK = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
const chatFrame = (delta) => Buffer.from(`data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);

const client = new OpenAI({ apiKey: KEY, baseURL: upstream.url, maxRetries: 0 });

function agents(responses, hangs) {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: !hangs }) });
  const look = tool({ name: "look", description: "Looks.", parameters: z.object({}), execute: async () => "found" });
  return runner.run(new Agent({ name: "front", model: "test-model", tools: [look] }), prompted(responses, hangs), { stream: true });
}

function graph(responses, hangs) {
  const llm = new ChatOpenAI({ model: "test-model", apiKey: KEY, configuration: { baseURL: upstream.url }, maxRetries: 0 });
  const look = graphTool(async () => "found", { name: "look", description: "Looks.", schema: z.object({}) });
  const messages = [{ role: "user", content: prompted(responses, hangs) }];
  return createReactAgent({ llm, tools: [look] }).stream({ messages }, { streamMode: "messages" });
}

/** The AG-UI events of a turn that an agent says. */
function events(responses) {
  const said = [{ type: "RUN_STARTED", threadId: "t", runId: "r" }];
  responses.forEach(({ text = [], calls = [] }, at) => {
    const messageId = `m${at}`;
    said.push({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }, ...text.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })));
    said.push({ type: "TEXT_MESSAGE_END", messageId });
    for (const { id, name } of calls) {
      const own = { toolCallId: `${at}${id}` };
      said.push({ type: "TOOL_CALL_START", ...own, toolCallName: name }, { type: "TOOL_CALL_ARGS", ...own, delta: "{}" }, { type: "TOOL_CALL_END", ...own });
      said.push({ type: "TOOL_CALL_RESULT", ...own, messageId: `t${at}`, content: "found" });
    }
  });
  return [...said, { type: "RUN_FINISHED", threadId: "t", runId: "r" }];
}

/** What the official client gives of an agent's run, as a stream. */
function agUi(responses, hangs) {
  const [prompt, encoder] = [fresh("turn"), new EventEncoder()];
  upstream.on(prompt, async (call) => {
    const said = events(hangs ? [{ text: ["Half"] }] : responses);
    await call.writeAll((hangs ? said.slice(0, 3) : said).map((event) => encoder.encodeBinary(event)));
    await hangs;
    await call.end();
  });
  const run = new HttpAgent({ url: `${upstream.url}/agent` }).run(runInput({ text: prompt }));
  let told;
  return new ReadableStream({
    start(to) {
      told = run.subscribe({ next: (event) => to.enqueue(event), error: (error) => to.error(error), complete: () => to.close() });
    },
    cancel: () => told.unsubscribe(),
  });
}

/** An agent of one's own. */
async function* signals(responses, hangs) {
  for (const { reasoning = [], text, calls = [] } of hangs ? [{ text: ["Half"] }] : responses) {
    yield* reasoning.map((delta) => ({ type: "reasoning", delta }));
    yield { type: "item_start" };
    yield* text.map((delta) => ({ type: "text", delta }));
    await hangs;
    yield { type: "item_end" };
    yield* calls.map(({ name }) => ({ type: "provider_tool", name }));
  }
  yield { type: "usage", input: 30, output: 15, total: 45 };
  yield { type: "response_end" };
}

/** The same of a model of the AI SDK. */
function hanging({ Model, ...version }, hangs) {
  const parts = [{ type: "stream-start", warnings: [] }, ...text("0", "Half").slice(0, 2)];
  const start = (to) => (parts.forEach((part) => to.enqueue(part)), void hangs.then(() => to.close()));
  const stream = () => new ReadableStream({ start });
  return version.stream(version.streamText({ model: new Model({ doStream: async () => ({ stream: stream() }) }), prompt: "Hi", onError: () => {} }));
}

const aiSdk = (number) => ({
  from: "ai-sdk",
  tokens: [9, 12, 21],
  begin: (_, hangs) => (hangs ? hanging(VERSIONS[number], hangs) : turns(VERSIONS[number])(STEPS)),
});

/** What begins a turn of each framework, and what it says to have cost. */
const FRAMEWORKS = {
  "the AI SDK, 7": aiSdk(7),
  "the AI SDK, 6": aiSdk(6),
  "the AI SDK, 5": aiSdk(5),
  "the Agents SDK": { from: "openai-agents", tokens: [30, 15, 45], begin: agents },
  LangGraph: { from: "langgraph", tokens: [30, 15, 45], begin: graph },
  "AG-UI": { from: "ag-ui", begin: agUi },
  "plain signals": { from: "signals", tokens: [30, 15, 45], begin: signals },
};

for (const [name, { from, tokens, begin }] of Object.entries(FRAMEWORKS)) {
  describe(name, () => {
    for (const named of [from, "auto"]) {
      test(`narration, tools and the answer, from ${named}`, async () => {
        assertAnswered(await responded(begin(SAID), { from: named }), "It is done.", tokens, WITHHELD);
      });
    }

    test("an object of no framework", async () => {
      const objects = await Array.fromAsync(await begin(SAID));
      for (const [at, named] of [[3, from], [3, "auto"], [0, from]]) {
        assertFailure(await responded(stream(objects.toSpliced(at, 0, { odd: 1 })), { from: named }), "upstream_malformed", WITHHELD);
      }
      // As the first it may be a provider's: then the others are none of that.
      const { said, outcome } = await responded(stream([{ odd: 1 }, ...objects]));
      assert.deepEqual([said, outcome.status, outcome.answer], [[], "failed", undefined]);
      assertFailure(await responded([{ odd: 1 }]), "upstream_malformed");
    });

    test("a stream that throws, and one that breaks off", async () => {
      const objects = await Array.fromAsync(await begin(SAID));
      for (const thrown of [new Error("It broke."), undefined]) {
        // LangGraph's stream has no mark of its end, and LangChain keeps why Chat Completions has ended to itself.
        if (from === "langgraph" && thrown === undefined) continue;
        assertFailure(await responded(stream(objects.slice(0, objects.length >> 1), thrown), { from }), "upstream_unavailable", WITHHELD);
      }
    });

    test("a run that is cancelled lets the producer go", async () => {
      const stop = new AbortController();
      const hang = Promise.withResolvers();
      const watch = watched(await begin(SAID, hang.promise));
      const { response, done } = respond(watch.stream, { from, to: "ag-ui", signal: stop.signal });
      await eventually(() => watch.read > 1, "something was read");
      assert.equal(watch.returned, 0);
      stop.abort();
      const body = await response.text();
      const { status, answer } = await done;
      assert.deepEqual([status, answer, watch.returned], ["cancelled", undefined, 1]);
      assert.match(body, /"code":"cancelled"/);
      assert.ok(!body.includes("Half"));
      hang.resolve();
      await watch.over;
    });
  });
}

describe("the AI SDK is to stop behind some step", () => {
  for (const [number, version] of Object.entries(VERSIONS)) {
    test(`tools of ours have all run: nobody goes on (${number})`, async () => {
      for (const limits of [undefined, { steps: 5, retries: 2 }]) {
        const begun = performance.now();
        const played = await responded(turns(version)(STEPS, { stopWhen: version.steps(2) }), { from: "ai-sdk", limits });
        assertFailure(played, "step_limit", WITHHELD);
        assert.ok(performance.now() - begun < 250, "nothing is tried again");
      }
    });

    test(`the answer is its last step (${number})`, async () => {
      assertAnswered(await responded(turns(version)(STEPS, { stopWhen: version.steps(3) })), "It is done.", [9, 12, 21], WITHHELD);
    });

    test(`a call that is the client's (${number})`, async () => {
      const said = [[...text("0", "Which?"), ...call("c1", "look"), ...call("k1", "ask", '{"a":1}'), finish("tool-calls")]];
      const { said: parts, body, outcome } = await responded(turns(version)(said));
      assert.deepEqual(parts, [["tool-ask", undefined]]);
      const { usage, ...rest } = outcome;
      assert.equal(usage[0].total_tokens, 7);
      assert.deepEqual(rest, { status: "succeeded", calls: [{ id: "k1", name: "ask", arguments: '{"a":1}' }] });
      assert.ok(!body.includes("Which?"));
    });
  }
});

describe("a provider's own client", () => {
  const chat = (responses) => client.chat.completions.create({ model: "test-model", messages: [{ role: "user", content: prompted(responses) }], stream: true });
  const responses = (said) => client.responses.create({ model: "test-model", input: [{ role: "user", content: prompted(said) }], stream: true });
  const messages = (said) => {
    const prompt = fresh("turn");
    upstream.on(prompt, async (call) => {
      await call.writeAll(anthropicSays(said[0]));
      await call.end();
    });
    const own = new Anthropic({ apiKey: KEY, baseURL: upstream.url, maxRetries: 0 });
    return own.messages.create({ model: "test-model", max_tokens: 10, messages: [{ role: "user", content: prompt }], stream: true });
  };

  const clients = [["Chat Completions", "chat-completions", chat], ["Responses", "responses", responses], ["Messages", "anthropic", messages]];
  for (const [name, from, ask] of clients) {
    for (const named of [from, "auto"]) {
      test(`${name}: an answer, from ${named}`, async () => {
        assertAnswered(await responded(await ask([{ text: ["It is ", "done."] }]), { from: named }), "It is done.", [10, 5, 15]);
      });

      test(`${name}: what breaks off is no answer, though the client says nothing, from ${named}`, async () => {
        assertFailure(await responded(await ask([{ text: ["Half"], cut: true }]), { from: named }), "upstream_unavailable", ["Half"]);
      });
    }
  }
});

function anthropicSays({ text, cut }) {
  const event = (type, rest) => Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "test-model", content: [], stop_reason: null, usage };
  const said = [
    event("message_start", { message }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...text.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
  ];
  if (cut) return said;
  const end = { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } };
  return [...said, event("content_block_stop", { index: 0 }), event("message_delta", end), event("message_stop", {})];
}

describe("what is given", () => {
  const SIGNALS = [{ type: "text", delta: "It is done." }, { type: "response_end" }];
  const body = SIGNALS.map((signal) => `data: ${JSON.stringify(signal)}\n\n`).join("");
  const bytes = new TextEncoder().encode(body);
  for (const [kind, given] of Object.entries({
    "a text": () => body,
    bytes: () => bytes,
    "a buffer": () => bytes.buffer,
    "a response": () => new Response(body),
    "a promise of one": async () => new Response(body),
    "a stream": () => new Response(body).body,
    "a list of texts": () => [body.slice(0, 30), body.slice(30)],
    "a list of objects": () => SIGNALS,
    "an iterable of bytes": () => stream([bytes]),
  })) {
    test(kind, async () => assertAnswered(await responded(given(), { from: "signals" }), "It is done."));
  }

  for (const [kind, given] of Object.entries({
    "a response that refuses": () => new Response("no", { status: 503 }),
    "a promise that fails": () => Promise.reject(new Error("It broke.")),
    "no stream at all": () => 42,
    nothing: () => undefined,
  })) {
    test(kind, async () => assertFailure(await responded(given(), { from: "signals", limits: { retries: 5 } }), "upstream_unavailable"));
  }
});

describe("an outcome has no key that stands for nothing", () => {
  const END = { type: "response_end" };
  const signals = (parts, options) => respond(parts, { from: "signals", to: "canonical", ...options }).done;

  test("however a run ends", async () => {
    const store = memory();
    const name = { store, thread: "thread-1" };
    const stop = new AbortController();
    const first = respond(new ReadableStream(), { ...name, signal: stop.signal });
    await first.response.body.getReader().read();
    const outcomes = {
      succeeded: await signals([{ type: "text", delta: "Fine." }, END]),
      failed: await signals([{}]),
      cancelled: await signals([], { signal: AbortSignal.abort() }),
      refused: await signals([END], name),
    };
    stop.abort();
    await first.done;
    for (const [status, outcome] of Object.entries(outcomes)) {
      assertDefined(outcome);
      assert.equal(outcome.status, status);
    }
    const { run, thread, ...succeeded } = outcomes.succeeded;
    assert.deepEqual(succeeded, { status: "succeeded", answer: "Fine." });
  });
});
