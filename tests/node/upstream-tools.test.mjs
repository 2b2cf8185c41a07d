// Calls of a real provider for tools that nobody here can run: the model is told so, and the turn goes on.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const worker = sharedWorker(upstreamVars(upstream));
after(() => upstream.stop());

const CALL = { index: 0, id: "call_1", type: "function", function: { name: "look_up_order", arguments: "{}" } };
const calling = [{ delta: { tool_calls: [CALL] } }, { delta: {}, finish_reason: "tool_calls" }].map((choice) =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`),
);

// A recording holds a result of that tool: a model that is named as the recording is must not get it.
for (const model of [undefined, "replay/narrated-refund", "narrated-refund"]) {
  test(`asked of the model ${model ?? "by default"}`, async () => {
    const text = fresh("tools");
    upstream.on(text, async (call) => {
      const results = call.body.messages.filter((message) => message.role === "tool");
      await call.writeAll(results.length === 0 ? calling : chat(["I can't look that up."]));
      await call.end();
    });
    const agent = agentWithHistory(worker.url, { text });
    const before = structuredClone(agent.messages);
    const { transcript } = await runOracle(agent, { runId: fresh("run"), ...(model && { forwardedProps: { model } }) });
    assertAnswer(transcript, before, "I can't look that up.");
    const [, second, ...more] = upstream.callsOf(text);
    assert.equal(more.length, 0);
    const result = second.body.messages.find((message) => message.role === "tool");
    assert.deepEqual(result, { role: "tool", tool_call_id: "call_1", content: "There is no such tool." });
    if (model) assert.equal(second.body.model, model, "the model that was asked for");
  });
}
