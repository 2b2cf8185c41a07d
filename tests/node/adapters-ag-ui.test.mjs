// AG-UI events as objects: what the official client gives of a run, and every recording of what agents are known to send.
// They mean what they mean as bytes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import { lastValueFrom, toArray } from "rxjs";
import { adapted, assertAnswer, assertCalls, assertFailed, stage, stream } from "./lib/adapted.mjs";
import { quirksOf } from "./lib/quirks.mjs";
import { clientTools, recording } from "./lib/recordings.mjs";
import { runInput, sharedWorker } from "./lib/worker.mjs";

const play = await stage("ag-ui");
const recorded = sharedWorker();

/** The events of a recording's run, as the official client gives them. */
async function eventsOf(name, rest = {}) {
  const agent = new HttpAgent({ url: `${recorded.url}/agui` });
  return lastValueFrom(agent.run(runInput({ model: `replay/${name}`, ...rest })).pipe(toArray()));
}

describe("events of the official client", { concurrency: 4 }, () => {
  test("an answer", async () => {
    const { name, bytes } = await adapted(await eventsOf("narrated-refund"));
    assert.equal(name, "ag-ui", "it is detected");
    assertAnswer(await play(bytes), recording("narrated-refund").answer);
  });

  test("calls for the client", async () => {
    const { client_tools: tools } = recording("client-tool");
    const { bytes } = await adapted(await eventsOf("client-tool", { tools: clientTools(tools) }));
    const played = await play(bytes, { tools });
    assert.deepEqual(played.added[0].toolCalls.map((call) => call.function.name), tools);
  });

  test("a run that fails", async () => {
    const { bytes } = await adapted(await eventsOf("filtered"));
    assertFailed(await play(bytes), "upstream_unavailable");
  });
});

describe("what agents are known to send", { concurrency: 4 }, () => {
  // What concerns bytes alone has no objects.
  const quirks = quirksOf("agui").filter(({ name, type }) => type === "text/event-stream" && !["framing", "no-json"].includes(name));
  for (const { name, about, bytes, ...expected } of quirks) {
    test(`${name}: ${about}`, async () => {
      const events = String(bytes).split(/\n\n/).filter((block) => /^data:/.test(block)).map((block) => JSON.parse(block.slice("data:".length)));
      const { bytes: sent, fault } = await adapted(events, "ag-ui");
      const tools = (expected.calls ?? []).map(([tool]) => tool);
      const played = await play(sent, { tools });
      if (expected.code) return assertFailed(played, expected.code, ["Half"]);
      assert.equal(fault, undefined);
      // No arguments are said to a client as they came.
      const calls = played.added[0]?.toolCalls?.map((call) => [call.function.name, call.function.arguments || "{}"]);
      if (expected.calls) return assert.deepEqual(calls, expected.calls);
      assert.deepEqual(played.added.map(({ content }) => content), expected.answer === "" ? [] : [expected.answer]);
      assert.deepEqual([played.last.fallback, played.last.usage?.[0].total_tokens], [expected.fallback, expected.total]);
    });
  }
});

describe("events of one's own", { concurrency: 4 }, () => {
  const event = (fields) => EventSchema.parse(fields);
  const text = (delta, messageId = "m") => event({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  const finished = event({ type: "RUN_FINISHED", threadId: "t", runId: "r" });

  test("narration, a tool, the answer, and what an event was made from", async () => {
    const cyclic = {};
    cyclic.itself = cyclic;
    const { sent, bytes } = await adapted([
      event({ type: "RUN_STARTED", threadId: "t", runId: "r" }),
      { ...text("Let me look.", "n"), rawEvent: cyclic },
      event({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look" }),
      event({ type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "found" }),
      text("Fine \ud83d"),
      text("\ude00."),
      finished,
      text("Never mind."),
    ]);
    assert.equal(sent.length, 7, "nothing behind the end is sent");
    assertAnswer(await play(bytes), "Fine 😀.", ["Let me look."]);
  });

  test("a call for the client", async () => {
    const { bytes } = await adapted([event({ type: "TOOL_CALL_CHUNK", toolCallId: "k1", toolCallName: "ask", delta: '{"a":1}' }), finished]);
    assertCalls(await play(bytes, { tools: ["ask"] }), [["k1", "ask", '{"a":1}']]);
  });

  test("a stream that breaks off, one that throws, one that has none of them", async () => {
    for (const [parts, thrown, code] of [
      [[text("Half")], undefined, "upstream_unavailable"],
      [[text("Half")], new Error("It broke."), "upstream_unavailable"],
      [[text("Half"), { delta: "of it" }, finished], undefined, "upstream_malformed"],
      [[text("Half"), "of it", finished], undefined, "upstream_malformed"],
      [[text("Half"), event({ type: "STATE_SNAPSHOT", snapshot: 1 }), { type: "STATE_SNAPSHOT", snapshot: 1n }, finished], undefined, "upstream_malformed"],
    ]) {
      const { bytes, fault } = await adapted(stream(parts, thrown));
      assert.equal(fault?.code ?? fault, thrown ?? (code === "upstream_malformed" ? code : undefined));
      assertFailed(await play(bytes), code, ["Half"]);
    }
  });
});
