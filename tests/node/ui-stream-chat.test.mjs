// `AbstractChat`, which is `useChat` without React, over real connections: stopped, failed, asked again, with tools of the
// client's and with approvals. What the chat holds is what `GET /api/chat/{chat}` gives.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as hasAnswers,
  lastAssistantMessageIsCompleteWithToolCalls as hasResults,
} from "ai";
import { eventually } from "./lib/http.mjs";
import { clientTools, recording } from "./lib/recordings.mjs";
import { ANSWER, assertStored, began, Chat, held, texts } from "./lib/ui-chat.mjs";
import { chat as frames, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const shows = sharedWorker({ LASTWORD_PUBLIC: "tools=true" });
const upstream = await startUpstream();
const live = sharedWorker(upstreamVars(upstream));
after(() => upstream.stop());

test("the same POST again is the same run", async () => {
  const words = fresh("twice");
  upstream.on(words, async (call) => {
    await call.writeAll(frames(ANSWER));
    await call.end();
  });
  const chat = new Chat(live);
  await chat.sendMessage({ text: words });
  const post = () => fetch(`${live.url}/api/chat`, { method: "POST", body: JSON.stringify(chat.posts[0]), headers: { "content-type": "application/json" } });
  const bodies = await Promise.all([post(), post()].map(async (response) => (await response).text()));
  const frame = (text) => text.split("\n\n").filter((block) => block.startsWith("data:"));
  assert.deepEqual(frame(bodies[0]), frame(bodies[1]));
  assert.ok(bodies[0].includes(chat.messages.at(-1).id));
  assert.equal(upstream.callsOf(words).length, 1);
});

test("turns follow each other, and an answer is asked for again", async () => {
  const words = fresh("turns");
  let count = 0;
  upstream.on(words, async (call) => {
    await call.writeAll(frames([`Answer ${(count += 1)}.`]));
    await call.end();
  });
  const chat = new Chat(live);
  await chat.sendMessage({ text: words });
  await chat.regenerate();
  await chat.regenerate();
  assert.equal(chat.messages.length, 2);
  assert.deepEqual(texts(chat.messages.at(-1)), ["Answer 3."], "each is a run of its own");
  await assertStored(chat);
  await chat.sendMessage({ text: words });
  assert.deepEqual(chat.messages.map((message) => texts(message)[0]), [words, "Answer 3.", words, "Answer 4."]);
  await chat.sendMessage({ text: words, messageId: chat.messages[2].id });
  assert.deepEqual(chat.messages.map((message) => texts(message)[0]), [words, "Answer 3.", words, "Answer 5."]);
  await assertStored(chat);
  assert.deepEqual(chat.faults, []);
});

test("a regeneration that is posted twice is one run where a key says so", async () => {
  const words = fresh("key");
  upstream.on(words, async (call) => {
    await call.writeAll(frames(ANSWER));
    await call.end();
  });
  const chat = new Chat(live);
  await chat.sendMessage({ text: words });
  const headers = { "Idempotency-Key": fresh("key") };
  const before = structuredClone(chat.messages);
  await chat.regenerate({ headers });
  const { id } = chat.messages.at(-1);
  chat.state.messages = before;
  await chat.regenerate({ headers });
  assert.equal(chat.messages.at(-1).id, id);
  assert.equal(upstream.callsOf(words).length, 2);
});

describe("tools of the client's", () => {
  for (const name of ["client-tool", "client-tools-parallel"]) {
    test(`${name}: results are posted by themselves, and the answer comes in the same message`, async () => {
      const tape = recording(name);
      const called = [];
      const chat = new Chat(worker, {
        body: { model: tape.model, tools: Object.fromEntries(clientTools(tape.client_tools).map((tool) => [tool.name, { description: tool.description, inputSchema: tool.parameters }])) },
        sendAutomaticallyWhen: hasResults,
        onToolCall: ({ toolCall }) => {
          called.push(toolCall.toolName);
          const output = called.length % 2 ? { ok: true, at: [called.length] } : "Thursday";
          void chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output });
        },
      });
      await chat.sendMessage({ text: "Well?" });
      await eventually(() => chat.posts.length === 2 && chat.status === "ready", "the second run has ended");
      assert.deepEqual(chat.messages.map(({ role }) => role), ["user", "assistant"]);
      assert.deepEqual(texts(chat.messages[1]).join(""), tape.answer);
      assert.deepEqual([...new Set(called)].sort(), [...tape.client_tools].sort());
      assert.equal(chat.posts.length, 2, "and no third");
      assert.equal(chat.messages[1].metadata.pending, null, "nothing is pending any more");
      assert.deepEqual(chat.faults, []);
      await assertStored(chat);
      // The chat goes on with what the client has made of it.
      await chat.sendMessage({ text: "And?" });
      assert.deepEqual(chat.faults, []);
    });
  }

  test("an error of a tool is told", async () => {
    const tape = recording("client-tool");
    const chat = new Chat(worker, { body: { model: tape.model, tools: clientTools(tape.client_tools) }, sendAutomaticallyWhen: hasResults });
    await chat.sendMessage({ text: "Well?" });
    const [call] = chat.messages.at(-1).parts.filter(({ type }) => type.startsWith("tool-"));
    await assertStored(chat);
    await chat.addToolOutput({ state: "output-error", tool: call.type.slice(5), toolCallId: call.toolCallId, errorText: "It fell." });
    await eventually(() => chat.posts.length === 2 && chat.status === "ready", "the second run has ended");
    assert.equal(texts(chat.messages[1]).join(""), tape.answer);
    await assertStored(chat);
  });
});

describe("approvals", () => {
  for (const [at, approved] of [[worker, true], [worker, false], [shows, true], [shows, false]]) {
    test(`the person says ${approved ? "yes" : "no"}${at === shows ? ", and sees the tool" : ""}`, async () => {
      const tape = recording("approval");
      const called = [];
      const init = { body: { model: tape.model }, sendAutomaticallyWhen: hasAnswers, onToolCall: ({ toolCall }) => void called.push(toolCall) };
      const first = new Chat(at, init);
      await first.sendMessage({ text: "Well?" });
      await assertStored(first);
      // Another page than the one that asked.
      const chat = new Chat(at, { ...init, id: first.id, messages: await first.stored() });
      const asked = chat.messages.at(-1).parts.at(-1);
      assert.equal(asked.type, "tool-issue_refund");
      assert.equal(asked.state, "approval-requested");
      assert.equal(typeof asked.input.order_id, "string", JSON.stringify(asked.input));
      assert.match(asked.approval.requestReason, /^May issue_refund run with/);
      await chat.addToolApprovalResponse({ id: asked.approval.id, approved });
      await eventually(() => chat.posts.length === 1 && chat.status !== "submitted" && chat.status !== "streaming", "the run goes on");
      assert.deepEqual(chat.faults, []);
      assert.deepEqual(chat.messages.map(({ role }) => role), ["user", "assistant"]);
      const calls = chat.messages[1].parts.filter(({ type }) => type.startsWith("tool-"));
      assert.equal(calls.length, 1, JSON.stringify(chat.messages[1].parts));
      assert.equal(calls[0].state, at === worker ? "approval-responded" : approved ? "output-available" : "output-error");
      assert.equal(texts(chat.messages[1]).join(""), tape.answer);
      assert.deepEqual(called, [], "no call of ours is the client's to run");
      assert.equal(chat.posts.length, 1, "and nothing is posted by itself");
      // Answered once; what it comes to is history from now on.
      await chat.sendMessage({ text: "And?" });
      assert.deepEqual(chat.faults, []);
    });
  }

  test("several at once", async () => {
    const tape = recording("approvals-parallel");
    const chat = new Chat(worker, { body: { model: tape.model }, sendAutomaticallyWhen: hasAnswers });
    await chat.sendMessage({ text: "Well?" });
    const asked = chat.messages.at(-1).parts.filter(({ state }) => state === "approval-requested");
    assert.ok(asked.length > 1);
    for (const { approval } of asked) await chat.addToolApprovalResponse({ id: approval.id, approved: true });
    const next = await eventually(() => chat.messages.at(-1).parts.find(({ state }) => state === "approval-requested"), "another");
    await chat.quiet();
    await assertStored(chat);
    await chat.addToolApprovalResponse({ id: next.approval.id, approved: true });
    await eventually(() => texts(chat.messages.at(-1)).length > 0, "the answer");
    await chat.quiet();
    assert.equal(chat.posts.length, 3);
    assert.equal(chat.messages.length, 2);
    assert.equal(texts(chat.messages.at(-1)).join(""), tape.answer);
  });

  test("who speaks instead of answering is told that the chat waits", async () => {
    const chat = new Chat(worker, { body: { model: "replay/approval" } });
    await chat.sendMessage({ text: "Well?" });
    await chat.sendMessage({ text: "Never mind." });
    assert.equal(chat.status, "error");
    assert.match(chat.faults[0], /interrupt_open/);
  });
});

describe("what does not succeed", () => {
  test("a failure is an error, leaves nothing half, and the chat goes on", async () => {
    const words = fresh("fails");
    const answers = [frames(["Half an "]).slice(0, 1), frames(ANSWER)];
    upstream.on(words, async (call) => {
      const own = answers.shift();
      await call.writeAll(own);
      await (own.length === 1 ? call.reset() : call.end());
    });
    const chat = new Chat(live);
    await chat.sendMessage({ text: words });
    assert.equal(chat.status, "error");
    assert.match(chat.faults[0], /upstream_unavailable/);
    assert.deepEqual(texts(chat.messages.at(-1)), []);
    assert.ok(chat.finished.at(-1).isError);
    await chat.regenerate();
    assert.equal(chat.status, "ready");
    assert.deepEqual(chat.messages.map((message) => texts(message).join("")), [words, ANSWER.join("")]);
    await assertStored(chat);
  });

  test("a refused request is an error that says why", async () => {
    const chat = new Chat(worker, { body: { model: "no-such-model" } });
    await chat.sendMessage({ text: "Well?" });
    assert.equal(chat.status, "error");
    assert.match(chat.faults[0], /unknown_model/);
  });

  test("a cancelled run ends the stream without an error and without an answer", async () => {
    const words = fresh("cancelled");
    const release = held(upstream, words);
    const chat = new Chat(live, { sendAutomaticallyWhen: hasResults });
    const sent = chat.sendMessage({ text: words });
    await began(chat);
    const response = await fetch(`${chat.path}/cancel`, { method: "POST" });
    assert.ok(response.ok, await response.text());
    await sent;
    release();
    assert.deepEqual([chat.status, chat.faults], ["ready", []]);
    assert.deepEqual(texts(chat.messages.at(-1)), []);
    assert.equal(chat.messages.at(-1).metadata.cancelled, true);
    const record = await live.record(chat.messages.at(-1).metadata.run);
    assert.equal(record.json.status, "cancelled");
  });

  test("`stop` only leaves: the run goes on and its answer is there", async () => {
    const words = fresh("stopped");
    const release = held(upstream, words);
    const chat = new Chat(live);
    const sent = chat.sendMessage({ text: words });
    await began(chat);
    await chat.stop();
    await sent;
    release();
    const stored = await eventually(async () => {
      const messages = await chat.stored();
      return messages.length === 2 && messages;
    }, "the answer is stored");
    assert.deepEqual(texts(stored[1]), [ANSWER.join("")]);
    assert.equal(stored[1].id, chat.messages[1].id);
  });
});
