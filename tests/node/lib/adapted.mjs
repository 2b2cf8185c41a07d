// A framework's stream through its adapter, and what a customer of the Worker gets of it: the upstream answers with the
// adapter's bytes.

import assert from "node:assert/strict";
import { after } from "node:test";
import { open } from "../../../js/lastword/adapters/index.mjs";
import { agentWithHistory, runOracle } from "./oracle.mjs";
import { heldMessages } from "./rule.mjs";
import { startUpstream, upstreamVars } from "./upstream.mjs";
import { fresh, sharedWorker } from "./worker.mjs";

/** What the upstream says where it is asked again. */
export const AFTERWARDS = "So be it.";

const event = (object) => Buffer.from(`data: ${JSON.stringify(object)}\n\n`);

/** How it says it, by the format. */
const SAYS = {
  signals: [event({ type: "text", delta: AFTERWARDS }), event({ type: "response_end" })],
  "ag-ui": [event({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: AFTERWARDS }), event({ type: "RUN_FINISHED", threadId: "t", runId: "r" })],
};

/** Reads a stream through its adapter: `{ name, fault, bytes, sent }`, where `sent` are the objects in the bytes. */
export async function adapted(source, from = "auto") {
  const opened = await open(source, from);
  const chunks = [];
  for await (const chunk of opened.chunks) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const sent = String(bytes).split("\n\n").filter(Boolean).map((block) => JSON.parse(block.slice("data: ".length)));
  return { name: opened.name, fault: opened.fault, bytes, sent };
}

/** Signals in short: `[type, what it says]`, pieces joined, and a call in one. */
export function short(signals) {
  const told = [];
  for (const { type, delta, ...rest } of signals) {
    const last = told.at(-1);
    if (type === "call_args") last[3] += delta;
    else if (type === "call_start") told.push(["call", rest.id, rest.name, ""]);
    else if (type === "call_end") continue;
    else if (delta !== undefined && last?.[0] === type) last[1] += delta;
    else told.push([type, delta, ...Object.values(rest)].filter((word) => word !== undefined));
  }
  return told;
}

/** A Worker behind which the upstream speaks that format: `play(bytes)` is a run that gets them as the model's response. */
export async function stage(format) {
  const upstream = await startUpstream();
  after(() => upstream.stop());
  const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_PROVIDER: format }));

  /** `tools` are the client's. What comes of it: `added` to the transcript, `held` as the operator sees it, the ends. */
  return async function play(bytes, { tools = [] } = {}) {
    const [text, runId] = [fresh("adapted"), fresh("run")];
    upstream.on(text, async (call) => {
      await call.writeAll(upstream.callsOf(text).length === 1 ? [bytes] : SAYS[format]);
      await call.end();
    });
    const agent = agentWithHistory(worker.url, { text });
    const before = structuredClone(agent.messages);
    const known = tools.map((name) => ({ name, description: "A tool of the client.", parameters: { type: "object" } }));
    const { transcript, terminal } = await runOracle(agent, { runId, tools: known });
    assert.deepEqual(transcript.slice(0, before.length), before, "what was there is still there");
    const operator = await worker.eventsOf(runId, "operator");
    return {
      added: transcript.slice(before.length).map(({ id, ...message }) => message),
      terminal,
      code: terminal.code,
      asked: upstream.callsOf(text).length,
      held: heldMessages(operator),
      isRefusal: operator.some(({ type, refusal }) => type === "content" && refusal === true),
      last: operator.at(-1),
      customer: String(agent.captured[0]),
    };
  };
}

/** The customer got exactly this answer, and the operator saw what was said before it as no answer. */
export function assertAnswer(played, answer, narration = []) {
  assert.equal(played.terminal.type, "RUN_FINISHED", JSON.stringify(played.terminal));
  assert.deepEqual(played.added, answer === "" ? [] : [{ role: "assistant", content: answer }]);
  const said = answer === "" ? [] : [[answer, true]];
  assert.deepEqual(played.held, [...narration.map((text) => [text, false]), ...said]);
  assert.equal(played.asked, 1);
}

/** The customer got nothing but the failure. */
export function assertFailed(played, code, withheld = []) {
  assert.deepEqual([played.terminal.type, played.code], ["RUN_ERROR", code]);
  assert.deepEqual(played.added, []);
  for (const words of withheld) assert.ok(!played.customer.includes(words), words);
}

/** The customer got these calls, `[id, name, arguments]`, and no text. */
export function assertCalls(played, calls) {
  assert.equal(played.terminal.type, "RUN_FINISHED", JSON.stringify(played.terminal));
  const toolCalls = calls.map(([id, name, args]) => ({ id, type: "function", function: { name, arguments: args } }));
  assert.deepEqual(played.added, [{ role: "assistant", toolCalls }]);
}

/** The pieces of a list as an async iterable that throws at its end, if it is told what. */
export async function* stream(objects, thrown) {
  yield* objects;
  if (thrown) throw thrown;
}
