// The AI SDK's stream resumed: a page that opens or comes back while a run works has its parts once, and 204 where none
// works.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { lastAssistantMessageIsCompleteWithToolCalls as hasResults } from "ai";
import { eventually } from "./lib/http.mjs";
import { ANSWER, assertStored, began, Chat, held, texts } from "./lib/ui-chat.mjs";
import { chat as frames, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const upstream = await startUpstream();
const live = sharedWorker(upstreamVars(upstream));
after(() => upstream.stop());

describe("resume", () => {
  test("a page that is opened while a run works has the answer once", async () => {
    const words = fresh("held");
    const release = held(upstream, words);
    const first = new Chat(live);
    const sent = first.sendMessage({ text: words });
    await began(first);
    first.breakOff();
    await sent;
    assert.equal(first.status, "error");
    assert.ok(first.finished.at(-1).isDisconnect);

    const page = new Chat(live, { id: first.id, messages: await first.stored() });
    assert.deepEqual(page.messages.map(({ role }) => role), ["user"], "the run's own parts come with its stream");
    const resumed = [page.resumeStream(), new Chat(live, { id: first.id, messages: page.messages })];
    resumed[2] = resumed[1].resumeStream();
    await eventually(() => page.messages.length === 2, "the stream was joined");
    release();
    await Promise.all([resumed[0], resumed[2]]);
    for (const chat of [page, resumed[1]]) {
      assert.deepEqual(texts(chat.messages.at(-1)), [ANSWER.join("")]);
      assert.equal(chat.messages.length, 2);
      assert.equal(chat.messages.at(-1).id, first.messages.at(-1).id);
      assert.deepEqual([chat.status, chat.faults], ["ready", []]);
      await assertStored(chat);
    }
    assert.equal(upstream.callsOf(words).length, 1);
  });

  test("a page that lost its connection goes on with its own message", async () => {
    const words = fresh("held");
    const release = held(upstream, words);
    const chat = new Chat(live);
    const sent = chat.sendMessage({ text: words });
    await began(chat);
    chat.breakOff();
    await sent;
    const again = new Chat(live, { id: chat.id, messages: chat.messages });
    const resumed = again.resumeStream();
    await eventually(() => again.status !== "ready", "the stream was joined");
    release();
    await resumed;
    assert.deepEqual(again.messages.map((message) => texts(message).join("")), [words, ANSWER.join("")]);
    await assertStored(again);
  });

  test("204 where nothing runs: no such chat, and one whose run has ended", async () => {
    const chat = new Chat(worker, { body: { model: "replay/narrated-refund" } });
    const none = await fetch(`${chat.path}/stream`);
    assert.deepEqual([none.status, await none.text()], [204, ""]);
    assert.deepEqual(await chat.stored(), []);
    await chat.resumeStream();
    await chat.sendMessage({ text: "Well?" });
    const over = await fetch(`${chat.path}/stream`);
    assert.deepEqual([over.status, await over.text()], [204, ""]);
    const before = structuredClone(chat.messages);
    await chat.resumeStream();
    assert.deepEqual(chat.messages, before);
    assert.equal(chat.status, "ready");
  });
});

/** An upstream that calls `pick` first, and answers once `release` is called. */
function calls(words) {
  let release;
  const released = new Promise((done) => (release = done));
  const delta = { tool_calls: [{ index: 0, id: "call_1", function: { name: "pick", arguments: '{"n":1}' } }] };
  upstream.on(words, async (call) => {
    const [finish, end] = frames([], { finish: "tool_calls" });
    if (call.body.messages.at(-1).role !== "tool") {
      await call.writeAll([`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`, finish, end]);
    } else {
      await released;
      await call.writeAll(frames(ANSWER));
    }
    await call.end();
  });
  return release;
}

test("a message that goes on is resumed with what it had, and no tool runs twice", async () => {
  const words = fresh("calls");
  const release = calls(words);
  const body = { tools: { pick: { description: "Picks.", inputSchema: { type: "object" } } } };
  const first = new Chat(live, { body, sendAutomaticallyWhen: hasResults });
  await first.sendMessage({ text: words });
  const { run } = first.messages.at(-1).metadata;
  await first.addToolOutput({ tool: "pick", toolCallId: "call_1", output: { picked: [1] } });
  await eventually(() => first.messages.at(-1).metadata.run !== run, "it goes on");
  first.breakOff();
  await first.quiet();

  const called = [];
  const onToolCall = ({ toolCall }) => void called.push(toolCall);
  const opened = new Chat(live, { id: first.id, messages: await first.stored(), body, onToolCall, sendAutomaticallyWhen: hasResults });
  const back = new Chat(live, { id: first.id, messages: first.messages, body, onToolCall, sendAutomaticallyWhen: hasResults });
  const resumed = [opened.resumeStream(), back.resumeStream()];
  await eventually(() => [opened, back].every((chat) => chat.status !== "ready"), "the stream was joined");
  release();
  await Promise.all(resumed);
  for (const chat of [opened, back]) {
    assert.deepEqual(chat.messages.map(({ role }) => role), ["user", "assistant"]);
    const { parts } = chat.messages[1];
    assert.deepEqual(parts.map(({ type }) => type), ["step-start", "tool-pick", "step-start", "text"]);
    assert.deepEqual([parts[1].state, parts[1].input, parts[1].output], ["output-available", { n: 1 }, { picked: [1] }]);
    assert.deepEqual(texts(chat.messages[1]), [ANSWER.join("")]);
    assert.deepEqual(chat.posts, [], "nothing is posted by itself");
    await assertStored(chat);
  }
  assert.deepEqual(called, []);
  assert.equal(upstream.callsOf(words).length, 2);
});
