// The AI SDK of versions 5, 6 and 7: turns of `streamText` over models that say what a test tells them to.

import * as ai7 from "ai";
import * as test7 from "ai/test";
import * as ai5 from "ai-v5";
import * as test5 from "ai-v5/test";
import * as ai6 from "ai-v6";
import * as test6 from "ai-v6/test";
import { z } from "zod";

/** What a step of the model says, in the parts of either version. */
export const text = (id, ...deltas) => [{ type: "text-start", id }, ...deltas.map((delta) => ({ type: "text-delta", id, delta })), { type: "text-end", id }];
export const reasoning = (delta) => [{ type: "reasoning-start", id: "r" }, { type: "reasoning-delta", id: "r", delta }, { type: "reasoning-end", id: "r" }];
export const call = (id, toolName, input = "{}", rest = {}) => [
  { type: "tool-input-start", id, toolName, ...rest },
  { type: "tool-input-delta", id, delta: input },
  { type: "tool-input-end", id },
  { type: "tool-call", toolCallId: id, toolName, input, ...rest },
];
export const finish = (reason, raw = reason) => ({ type: "finish", reason, raw });

const COUNTS5 = { inputTokens: 3, outputTokens: 4, totalTokens: 7, reasoningTokens: 1, cachedInputTokens: 2 };
const COUNTS = { inputTokens: { total: 3, noCache: 1, cacheRead: 2 }, outputTokens: { total: 4, text: 3, reasoning: 1 } };
export const spent = (steps) => ["usage", 3 * steps, 4 * steps, 7 * steps, steps, 2 * steps];

const finished = ({ reason, raw }) => ({ type: "finish", finishReason: { unified: reason, raw }, usage: COUNTS });

export const VERSIONS = {
  7: { ...ai7, steps: ai7.isStepCount, Model: test7.MockLanguageModelV4, finish: finished, stream: (result) => result.stream },
  6: { ...ai6, steps: ai6.stepCountIs, Model: test6.MockLanguageModelV3, finish: finished, stream: (result) => result.fullStream },
  5: {
    ...ai5,
    steps: ai5.stepCountIs,
    Model: test5.MockLanguageModelV2,
    finish: ({ reason }) => ({ type: "finish", finishReason: reason, usage: COUNTS5 }),
    stream: (result) => result.fullStream,
  },
};

/** A turn with tools in each version: `turn(said, options)` is the stream of one whose model says these steps, lists of parts or what it throws. */
export function turns(version) {
  const { tool, steps, Model } = version;
  const TOOLS = {
    look: tool({ description: "Looks.", inputSchema: z.object({ q: z.number().optional() }), execute: async () => "found" }),
    fails: tool({ description: "Fails.", inputSchema: z.object({}), execute: async () => Promise.reject(new Error("It broke.")) }),
    slow: tool({ description: "Tells more and more.", inputSchema: z.object({}), async *execute() { yield "1"; yield "2"; } }),
    ask: tool({ description: "The client's.", inputSchema: z.object({ a: z.number() }) }),
  };
  return function turn(said, options = {}) {
    let at = 0;
    const doStream = async () => {
      const parts = said[(at += 1) - 1];
      if (parts instanceof Error) throw parts;
      const chunks = [{ type: "stream-start", warnings: [] }, ...parts.map((part) => (part.type === "finish" ? version.finish(part) : part))];
      return { stream: version.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    };
    const settings = { model: new Model({ doStream }), prompt: "Hi", tools: TOOLS, stopWhen: steps(5), maxRetries: 0, onError: () => {} };
    return version.stream(version.streamText({ ...settings, ...options }));
  };
}

/** Narration, two tools of which one fails, an apology, a tool, the answer. */
export const NARRATED = [
  [...reasoning("Hm."), ...text("0", "Let me ", "look."), ...call("c1", "look", '{"q":1}'), ...call("c2", "fails"), finish("tool-calls")],
  [...text("0", "Sorry, ", "once more."), ...call("c3", "look"), finish("tool-calls")],
  [...text("0", "It is ", "done."), finish("stop")],
];
