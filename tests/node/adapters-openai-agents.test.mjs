// Runs of the OpenAI Agents SDK through the adapter: its own models over OpenAI's client, which ask a model on loopback.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool, webSearchTool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { adapted, assertAnswer, assertFailed, short, stage, stream } from "./lib/adapted.mjs";
import { scripted } from "./lib/says.mjs";
import { KEY, startUpstream } from "./lib/upstream.mjs";
import { fresh } from "./lib/worker.mjs";

setTracingDisabled(true);

const play = await stage("signals");
const upstream = await startUpstream();
after(() => upstream.stop());

const client = new OpenAI({ apiKey: KEY, baseURL: upstream.url, maxRetries: 0 });
const look = tool({ name: "look", description: "Looks.", parameters: z.object({}), execute: async () => "It is raining." });
const fails = tool({ name: "fails", description: "Fails.", parameters: z.object({}), execute: async () => Promise.reject(new Error("It broke.")) });
const risky = tool({ name: "risky", description: "Needs a word.", parameters: z.object({}), needsApproval: true, execute: async () => "done" });
const billing = new Agent({ name: "billing", instructions: "You know the bills." });

const NARRATED = [
  { reasoning: ["Hm."], text: ["Let me ", "look."], calls: [{ id: "c1", name: "look" }, { id: "c2", name: "fails" }] },
  { text: ["Sorry, ", "once more."], calls: [{ id: "c3", name: "look" }] },
  { text: ["Fine \u{1f600}", "."] },
];

for (const [wire, useResponses] of [["Responses", true], ["Chat Completions", false]]) {
  /** A run whose model says these responses. */
  function begin(responses, { options, ...settings } = {}) {
    const prompt = fresh("turn");
    scripted(upstream, prompt, responses);
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client, useResponses }) });
    const own = { name: "front", instructions: "Help.", model: "test-model", tools: [look, fails, risky], handoffs: [billing] };
    const agent = new Agent({ ...own, ...settings });
    return runner.run(agent, [{ role: "user", content: prompt }], { stream: true, ...options });
  }

  const turn = async (responses, settings) => adapted(await begin(responses, settings));

  describe(`the Agents SDK over ${wire}`, { concurrency: 4 }, () => {
    test("narration, two tools of which one fails, an apology, a tool, the answer", async () => {
      const { name, sent, bytes } = await turn(NARRATED);
      assert.equal(name, "openai-agents", "it is detected");
      assert.deepEqual(short(sent), [
        ...[["reasoning", "Hm."], ["item_start"], ["text", "Let me look."], ["item_end"], ["usage", 10, 5, 15, 0, 0]],
        ...[["provider_tool", "look"], ["provider_tool", "fails"]],
        ...[["item_start"], ["text", "Sorry, once more."], ["item_end"], ["usage", 20, 10, 30, 0, 0], ["provider_tool", "look"]],
        ...[["item_start"], ["text", "Fine 😀."], ["item_end"], ["usage", 30, 15, 45, 0, 0], ["response_end", "complete"]],
      ]);
      const played = await play(bytes);
      assertAnswer(played, "Fine 😀.", ["Let me look.", "Sorry, once more."]);
      assert.equal(played.last.usage[0].total_tokens, 45);
    });

    test("a handoff: the other agent answers", async () => {
      const { sent, bytes } = await turn([{ text: ["Over to billing."], calls: [{ id: "h1", name: "transfer_to_billing" }] }, { text: ["It is paid."] }]);
      assert.ok(sent.some(({ type, name }) => type === "provider_tool" && name === "transfer_to_billing"));
      assertAnswer(await play(bytes), "It is paid.", ["Over to billing."]);
    });

    test("an approval that nobody gives", async () => {
      const { bytes } = await turn([{ text: ["May I?"], calls: [{ id: "c1", name: "risky" }] }]);
      assertFailed(await play(bytes), "upstream_unavailable", ["May I?"]);
    });

    test("the run goes on once it is approved", async () => {
      const run = await begin([{ text: ["May I?"], calls: [{ id: "c1", name: "risky" }] }, { text: ["I did."] }]);
      await adapted(run);
      for (const asked of run.interruptions) run.state.approve(asked);
      const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client, useResponses }) });
      const { sent, bytes } = await adapted(await runner.run(run.lastAgent, run.state, { stream: true }));
      assert.deepEqual(short(sent)[0], ["provider_tool", "risky"]);
      assertAnswer(await play(bytes), "I did.");
    });

    test("a refusal, for which the run throws", async () => {
      const { sent, bytes, fault } = await turn([{ refusal: ["I can't ", "do that."] }]);
      assert.equal(fault.constructor.name, "ModelRefusalError");
      assert.deepEqual(short(sent).slice(-4, -1), [["item_start"], ["refusal", "I can't do that."], ["item_end"]]);
      const played = await play(bytes);
      assertAnswer(played, "I can't do that.");
      assert.ok(played.isRefusal);
    });

    test("an answer that is cut by its length", async () => {
      const played = await play((await turn([{ text: ["Half"], finish: "length" }])).bytes);
      assertAnswer(played, "Half");
      assert.equal(played.last.truncated, true);
    });

    test("the provider's filter", async () => {
      assertFailed(await play((await turn([{ text: ["Half"], finish: "content_filter" }])).bytes), "content_filter", ["Half"]);
    });

    test("a stream of the provider without its end", async () => {
      assertFailed(await play((await turn([{ text: ["Half"], cut: true }])).bytes), "upstream_unavailable", ["Half"]);
    });

    test("a second response that fails", async () => {
      const { bytes, fault } = await turn([NARRATED[1], { text: ["Half"], fails: true }]);
      assert.ok(fault instanceof Error);
      assertFailed(await play(bytes), "upstream_unavailable", ["Half", "Sorry"]);
    });

    test("too many turns", async () => {
      const { bytes, fault } = await turn(NARRATED, { options: { maxTurns: 1 } });
      assert.equal(fault.constructor.name, "MaxTurnsExceededError");
      assertFailed(await play(bytes), "upstream_unavailable", ["Let me"]);
    });

    test("too many turns, and a word for that", async () => {
      const maxTurns = () => ({ finalOutput: "I have to stop here." });
      const { bytes, fault } = await turn(NARRATED, { options: { maxTurns: 1, errorHandlers: { maxTurns } } });
      assert.equal(fault, undefined);
      assertAnswer(await play(bytes), "I have to stop here.", ["Let me look."]);
    });

    test("a guardrail that trips at the answer", async () => {
      const guardrail = { name: "no weather", execute: async () => ({ tripwireTriggered: true, outputInfo: {} }) };
      const { bytes } = await turn([{ text: ["It rains."] }], { outputGuardrails: [guardrail] });
      assertFailed(await play(bytes), "upstream_unavailable", ["It rains."]);
    });

    test("an agent that stops at its tool: what the tool gave is the answer", async () => {
      const run = await begin([NARRATED[1]], { toolUseBehavior: "stop_on_first_tool" });
      assertAnswer(await play((await adapted(run)).bytes), "It is raining.", ["Sorry, once more."]);
    });

    for (const [when, stop] of [
      ["in mid-text", (event) => event.data?.type === "output_text_delta"],
      ["behind a response that calls", (event) => event.name === "tool_called"],
      ["behind the answer", (event) => event.data?.response?.output.length === 1],
    ]) {
      test(`a run that is aborted ${when}`, async () => {
        const control = new AbortController();
        const run = await begin([NARRATED[1], { text: ["Fine."] }], { options: { signal: control.signal } });
        const events = run[Symbol.asyncIterator].bind(run);
        run[Symbol.asyncIterator] = async function* () {
          for await (const event of { [Symbol.asyncIterator]: events }) {
            yield event;
            if (stop(event)) control.abort();
          }
        };
        const { sent, bytes } = await adapted(run);
        assert.ok(!sent.some(({ type }) => type === "response_end"), "the run ends as if nothing were wrong, and the adapter knows better");
        assertFailed(await play(bytes), "upstream_unavailable", ["Sorry", "Fine."]);
      });
    }
  });
}

describe("the Agents SDK, what only some models say", { concurrency: 4 }, () => {
  const run = async (responses, settings) => {
    const prompt = fresh("turn");
    scripted(upstream, prompt, responses);
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: true }) });
    return adapted(await runner.run(new Agent({ name: "front", model: "test-model", ...settings }), [{ role: "user", content: prompt }], { stream: true }));
  };

  for (const phase of ["commentary", undefined]) {
    test(`a hosted tool in mid-response, ${phase ? "with" : "without"} phases`, async () => {
      const { sent, bytes } = await run([{ text: ["Searching."], search: true, after: ["Found."], phase }], { tools: [webSearchTool()] });
      const phases = phase ? [["commentary"], ["final_answer"]] : [[], []];
      assert.deepEqual(short(sent).slice(0, 6), [
        ["item_start", ...phases[0]], ["text", "Searching."], ["item_end"], ["provider_tool", "web_search"], ["item_start", ...phases[1]], ["text", "Found."],
      ]);
      assertAnswer(await play(bytes), "Found.", ["Searching."]);
    });
  }

  test("an answer that is a message without text", async () => {
    const { sent, bytes } = await run([{ text: [""] }]);
    assert.equal(sent.at(-1).type, "response_end");
    assertAnswer(await play(bytes), "");
  });

  // A model of one's own, which gives its response whole.
  const whole = (output) => ({
    async getResponse() {
      throw new Error("It streams.");
    },
    async *getStreamedResponse() {
      yield { type: "response_done", response: { id: "r", usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, output } };
    },
  });

  test("a response that was not streamed", async () => {
    const reasoning = { type: "reasoning", content: [{ type: "input_text", text: "Hm." }] };
    const message = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Fine." }] };
    const events = await new Runner().run(new Agent({ name: "own", model: whole([reasoning, message]) }), "Hi", { stream: true });
    const { sent, bytes } = await adapted(events);
    assert.deepEqual(short(sent), [["reasoning", "Hm."], ["item_start"], ["text", "Fine."], ["item_end"], ["usage", 1, 2, 3], ["response_end", "complete"]]);
    assertAnswer(await play(bytes), "Fine.");
  });

  test("a stream that breaks off, and one that throws", async () => {
    const delta = { type: "raw_model_stream_event", data: { type: "output_text_delta", delta: "Half" } };
    for (const [thrown, ends] of [[undefined, []], [new Error("It broke."), [["error"]]]]) {
      const { sent, bytes } = await adapted(stream([delta], thrown));
      assert.deepEqual(short(sent), [["item_start"], ["text", "Half"], ...ends]);
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    }
  });
});
