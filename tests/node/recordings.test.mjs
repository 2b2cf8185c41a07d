// Every recording, through both official clients: the answer and nothing else reaches the customer, and the
// operator sees what the model said while it says it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentWithHistory, byGet, HISTORY, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { assertOutcome } from "./lib/outcome.mjs";
import { clientTools, leaks, providerNames, recording, recordings, said } from "./lib/recordings.mjs";
import { assertWire, readSse } from "./lib/sse.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker({ LASTWORD_HEARTBEAT: "1" });

/** The recordings whose turn fails, and with what code. */
const FAILURES = Object.fromEntries(recordings.flatMap(({ name, failure }) => (failure ? [[name, failure]] : [])));

/** Those that play long enough for a reader to come in the middle. */
const LONG = ["narrated-refund", "prose-monologue", "long-answer"];

/** All that the customer's view of the canonical wire may hold. */
const CUSTOMER_TYPES =
  /^(task_(started|completed|failed|cancelled)|approval_requested|content(_start|_end)?|tool_call(_args|_end)?|state)$/;

test("the earlier turns hold no word of any narration", () => {
  for (const { narration } of recordings) assert.deepEqual(leaks(narration, JSON.stringify(HISTORY)), []);
});

describe("over AG-UI", { concurrency: 8 }, () => {
  for (const tape of recordings) {
    for (const version of VERSIONS) test(`${tape.name}, client ${version}`, () => play(tape, version));
  }
});

async function play(tape, version) {
  const [thread, runId, question] = [fresh("thread"), fresh("run"), fresh("q")];
  const params = { runId, tools: clientTools(tape.client_tools), forwardedProps: { model: tape.model } };
  const expected = { version, code: FAILURES[tape.name] };
  let operator;
  const onHeaders = () => (operator ??= watch(runId, tape));
  const agent = agentWithHistory(worker.url, { thread, question, client: version, onHeaders });
  const before = structuredClone(agent.messages);
  const live = await runOracle(agent, params);
  assertOutcome(tape, before, live, expected);

  const via = byGet(worker.url, runId);
  const joined = agentWithHistory(worker.url, { thread, question, client: version, via });
  const late = await runOracle(joined, params);
  assertOutcome(tape, before, late, expected);
  assert.deepEqual(late.transcript, live.transcript, "ids and all");
  assert.deepEqual(late.terminal, live.terminal);

  await assertOperatorSaw(tape, await operator);
  await assertNothingLeaked(tape, runId, [agent.captured[0], joined.captured[0]]);
}

/** Reads the operator's view from the start, and asks for the record at the first word of the model. */
async function watch(run, tape) {
  const exchange = await worker.events(run, { view: "operator" });
  let during;
  if (LONG.includes(tape.name)) {
    await exchange.until(({ frames }) => frames.some(({ json }) => json.type === "intermediate"), "narration");
    during = (await worker.record(run)).json;
  }
  return { exchange: await exchange.end(), during };
}

async function assertOperatorSaw(tape, { exchange, during }) {
  assert.equal(exchange.status, 200);
  assertWire(exchange.frames);
  const events = exchange.frames.map(({ json }) => json);
  const text = (type) => events.filter((event) => event.type === type).map((event) => event.delta).join("");
  const heard = text("thinking") + text("intermediate");
  const words = tape.narration.filter((word) => said(tape).includes(word));
  assert.deepEqual(words.filter((word) => !heard.includes(word)), [], "the operator sees the narration");
  const unsaid = tape.narration.filter((word) => !words.includes(word));
  assert.deepEqual(leaks(unsaid, exchange.text), [], "what is only in an error's text reaches nobody");
  assert.ok(tape.approvals || tape.answer === null || text("intermediate").includes(tape.answer) || tape.client_tools.length > 0);
  if (during) assert.equal(during.status, "started", "the operator sees it while the run is under way");
  if (tape.name === "long-answer") assertPaced(exchange.frames);
}

/** The 2,000 deltas come as they are made, over many seconds and in many pieces. */
function assertPaced(frames) {
  const pieces = frames.filter(({ json }) => json.type === "intermediate");
  assert.ok(pieces.length > 100, `${pieces.length} pieces`);
  assert.ok(pieces.at(-1).at - pieces[0].at > 8_000, "they come over many seconds");
}

/** No byte of any customer's wire holds a word of the narration. */
async function assertNothingLeaked(tape, run, aguiBytes) {
  const events = await (await worker.events(run)).end();
  const record = await worker.record(run);
  const canonical = events.bytes;
  for (const bytes of [...aguiBytes, canonical]) assertWire(readSse(bytes).frames);
  for (const bytes of [...aguiBytes, canonical, record.text]) {
    assert.deepEqual(leaks(tape.narration, bytes), [], "narration reached a customer");
    assert.deepEqual(leaks(providerNames(tape), bytes), [], "a name of the provider's own reached a customer");
  }
  for (const { json } of events.frames) assert.match(json.type, CUSTOMER_TYPES);
  const text = events.frames.map(({ json }) => (json.type === "content" ? json.delta : "")).join("");
  assert.equal(text, tape.client_tools.length > 0 || tape.approvals ? "" : (tape.answer ?? ""));
  assert.equal(record.status, 200);
  assert.equal(record.json.status, FAILURES[tape.name] ? "failed" : tape.approvals ? "interrupted" : "succeeded");
  assert.equal(record.json.failure?.code, FAILURES[tape.name]);
  assert.deepEqual(leaks(tape.narration, worker.logs.filter((line) => line.includes(run)).join("\n")), []);
  if (tape.name === "long-answer") assertHeartbeats(aguiBytes[0]);
}

/** A customer who waits for 20 seconds gets a heartbeat a second, and the answer only once it is whole. */
function assertHeartbeats(bytes) {
  const beats = readSse(bytes).comments;
  assert.ok(beats >= 8 && beats <= 60, `${beats} heartbeats`);
  const head = bytes.subarray(0, bytes.indexOf("TEXT_MESSAGE_START")).toString();
  assert.ok(head.split("\n").filter((line) => line.startsWith(":")).length >= 8, "before the answer");
}

test("the longest recording is the one of 2,000 deltas", () => {
  const { answer, responses } = recording("long-answer");
  assert.ok(answer.length > 8_000 && responses.length === 1);
});
