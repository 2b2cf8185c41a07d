// The AI SDK's own streams through the adapter, over its own providers, which ask models on loopback: how each cuts a
// step into parts, and what it makes of the model's end.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { adapted, assertAnswer, assertFailed, short, stage } from "./lib/adapted.mjs";
import { scripted } from "./lib/says.mjs";
import { KEY, startUpstream } from "./lib/upstream.mjs";
import { fresh } from "./lib/worker.mjs";

const play = await stage("signals");
const upstream = await startUpstream();
after(() => upstream.stop());

const openai = createOpenAI({ apiKey: KEY, baseURL: upstream.url });
const anthropic = createAnthropic({ apiKey: KEY, baseURL: upstream.url });
const tools = { look: tool({ description: "Looks.", inputSchema: z.object({}), execute: async () => "found" }) };
const search = { web_search: openai.tools.webSearch({}) };

const stream = (model, prompt, rest = { tools }) =>
  adapted(streamText({ model, prompt, stopWhen: isStepCount(5), maxRetries: 0, onError: () => {}, ...rest }).stream);

for (const [wire, model] of [["Responses", openai.responses("test-model")], ["Chat Completions", openai.chat("test-model")]]) {
  describe(`OpenAI's ${wire}`, { concurrency: 4 }, () => {
    const turn = (responses, rest) => {
      const prompt = fresh("turn");
      scripted(upstream, prompt, responses);
      return stream(model, prompt, rest);
    };

    test("narration, a tool, the answer", async () => {
      const { bytes } = await turn([{ text: ["Let me ", "look."], calls: [{ id: "c1", name: "look" }] }, { text: ["Fine ", "😀."] }]);
      const played = await play(bytes);
      assertAnswer(played, "Fine 😀.", ["Let me look."]);
      assert.equal(played.last.usage[0].total_tokens, 30);
    });

    test("a stream without its end", async () => {
      const { bytes } = await turn([{ text: ["Half"], cut: true }]);
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    });

    test("a stream that fails", async () => {
      const { bytes } = await turn([{ text: ["Half"], fails: true }]);
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    });

    test("an answer that is cut by its length", async () => {
      const played = await play((await turn([{ text: ["Half"], finish: "length" }])).bytes);
      assertAnswer(played, "Half");
      assert.equal(played.last.truncated, true);
    });

    test("a refusal, which the SDK gives as text", async () => {
      const { bytes } = await turn([{ refusal: ["I can't ", "do that."] }]);
      assertAnswer(await play(bytes), "I can't do that.");
    });

    test("the provider's filter", async () => {
      assertFailed(await play((await turn([{ text: ["Half"], finish: "content_filter" }])).bytes), "content_filter", ["Half"]);
    });
  });
}

describe("what each provider has of its own", { concurrency: 4 }, () => {
  const turn = (model, responses, rest) => {
    const prompt = fresh("turn");
    scripted(upstream, prompt, responses);
    return stream(model, prompt, rest);
  };


  test("phases, and a tool of the provider's between them", async () => {
    const response = { reasoning: ["Hm."], text: ["Searching."], phase: "commentary", search: true, after: ["Found."] };
    const { sent, bytes } = await turn(openai.responses("test-model"), [response], { tools: search });
    const told = short(sent).slice(0, 8);
    assert.deepEqual(told[0], ["reasoning", "Hm."]);
    assert.deepEqual(told.slice(1, 4), [["item_start", "commentary"], ["text", "Searching."], ["item_end"]]);
    assert.deepEqual(told.slice(4, 7), [["provider_tool", "web_search"], ["item_start", "final_answer"], ["text", "Found."]]);
    assertAnswer(await play(bytes), "Found.", ["Searching."]);
  });

  test("two messages without phases: the last is the answer", async () => {
    const { bytes } = await turn(openai.responses("test-model"), [{ text: ["Searching."], search: true, after: ["Found."] }], { tools: search });
    assertAnswer(await play(bytes), "Found.", ["Searching."]);
  });

  test("Anthropic's text in several blocks, in the second step too", async () => {
    const event = (data) => Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    const block = (index, content_block, delta) => [
      event({ type: "content_block_start", index, content_block }),
      event({ type: "content_block_delta", index, delta }),
      event({ type: "content_block_stop", index }),
    ];
    const said = (index, text) => block(index, { type: "text", text: "" }, { type: "text_delta", text });
    const MESSAGE = { id: "m", type: "message", role: "assistant", model: "test-model" };
    const message = (stop_reason, blocks) => [
      event({ type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } }),
      ...blocks,
      event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } }),
      event({ type: "message_stop" }),
    ];
    const called = block(2, { type: "tool_use", id: "c1", name: "look", input: {} }, { type: "input_json_delta", partial_json: "{}" });
    const responses = [
      message("tool_use", [...said(0, "Let me "), ...said(1, "look."), ...called]),
      message("end_turn", [...said(0, "It "), ...said(1, "is "), ...said(2, "done.")]),
    ];
    const prompt = fresh("blocks");
    upstream.on(prompt, async (call) => {
      await call.writeAll(responses[upstream.callsOf(prompt).length - 1]);
      await call.end();
    });
    const { bytes } = await stream(anthropic("test-model"), prompt);
    assertAnswer(await play(bytes), "It is done.", ["Let me look."]);
  });
});
