// `early: final_answer`: a message that its provider marks as the final answer streams live, and what becomes of it if
// the mark was wrong. An agent of the test's own speaks signals, word by word.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { agentWithHistory, assertAnswer, byGet, runOracle } from "./lib/oracle.mjs";
import { assertWire, readSse } from "./lib/sse.mjs";
import { startUpstream } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const worker = sharedWorker({
  LASTWORD_PROVIDER: "signals",
  LASTWORD_UPSTREAM_URL: `${upstream.url}/agent`,
  LASTWORD_EARLY: "final_answer",
  LASTWORD_PUBLIC: "intermediate=true,thinking=true",
});

const say = (signal) => Buffer.from(`data: ${JSON.stringify(signal)}\n\n`);
const begin = say({ type: "item_start", phase: "final_answer" });
const words = (text) => text.split(/(?<= )/).map((delta) => say({ type: "text", delta }));
const end = say({ type: "response_end" });

describe("an answer that streams early", { concurrency: 4 }, () => {
  /**
   * Starts a client whose agent says "It is in " and waits. `live` is a second reader that has seen those words;
   * `go(chunks)` lets the agent say the rest, and gives what came of it.
   */
  async function started({ first = [begin, ...words("It is in ")], more = [] } = {}) {
    const [text, runId, thread, question] = [fresh("early"), fresh("run"), fresh("thread"), fresh("q")];
    let going;
    const gate = new Promise((open) => (going = open));
    let calls = 0;
    upstream.on(text, async (call) => {
      if (calls++ > 0) return (await call.writeAll(more), call.end());
      await call.writeAll(first, 5);
      const { chunks, cut } = await gate;
      await call.writeAll(chunks, 5);
      await (cut ? call.destroy() : call.end());
    });
    const agent = agentWithHistory(worker.url, { text, thread, question });
    const history = structuredClone(agent.messages);
    const run = runOracle(agent, { runId });
    run.catch(() => {});
    const sent = () => agent.captured[0]?.toString() ?? "";
    for (const deadline = Date.now() + 20_000; !sent().includes("in "); await new Promise((done) => setTimeout(done, 20))) {
      assert.ok(Date.now() < deadline, `the words never came live: ${sent()}`);
    }
    const finish = async () => {
      const { transcript, terminal } = await run;
      const record = (await worker.record(runId)).json;
      const told = await worker.eventsOf(runId);
      const late = agentWithHistory(worker.url, { text, thread, question, via: byGet(worker.url, runId) });
      const after = await runOracle(late, { runId });
      for (const bytes of [...agent.captured, ...late.captured]) assertWire(readSse(bytes).frames);
      return { history, transcript, terminal, record, told, sent: sent(), late: after };
    };
    const go = (chunks, cut = false) => (going({ chunks, cut }), finish());
    return { go, finish, runId, thread, question, text, history };
  }

  const kinds = (told) => told.map(({ type }) => type).filter((type) => type !== "content" && !type.startsWith("intermediate"));

  test("is read while it is made, and only closed by the end", async () => {
    const { go } = await started();
    const { history, transcript, told, record, sent, late } = await go([...words("Porto."), say({ type: "item_end" }), end]);
    const id = assertAnswer(transcript, history, "It is in Porto.");
    assert.match(id, /-a$/, "the id that it would have anyway");
    assert.deepEqual(kinds(told), ["task_started", "content_start", "content_end", "task_completed"]);
    assert.equal(sent.match(/Porto/g).length, 1, "nothing is repeated");
    assert.equal("withdrawn" in record, false);
    assert.deepEqual(late.transcript, transcript);
  });

  test("is whole for a client that joins in the middle of it", async () => {
    const { go, runId, thread, question, text } = await started();
    const joiner = agentWithHistory(worker.url, { text, thread, question, via: byGet(worker.url, runId) });
    const joined = runOracle(joiner, { runId });
    const has = () => joiner.captured[0]?.toString().includes("TEXT_MESSAGE_START");
    for (const deadline = Date.now() + 20_000; !has(); await new Promise((done) => setTimeout(done, 20))) {
      assert.ok(Date.now() < deadline, "the joiner never got the open message");
    }
    const [first] = readSse(joiner.captured[0]).frames.filter(({ json }) => json.type === "MESSAGES_SNAPSHOT");
    assert.equal(first.json.messages.at(-1).content, "It is in ", "the partial text");
    const { transcript } = await go([...words("Porto."), say({ type: "item_end" }), end]);
    assert.deepEqual((await joined).transcript, transcript);
  });

  test("beside public thinking and public narration", async () => {
    const first = [say({ type: "item_start", phase: "commentary" }), ...words("Hm, so. "), say({ type: "item_end" })];
    first.push(say({ type: "reasoning", delta: "Let me think." }), begin, ...words("It is in "));
    const { go } = await started({ first });
    const { transcript, history, late } = await go([say({ type: "reasoning", delta: "Sure." }), ...words("Porto."), end]);
    const added = transcript.slice(history.length).map(({ role, content }) => [role, content]);
    assert.deepEqual(added.filter(([role]) => role === "assistant"), [["assistant", "It is in Porto."]]);
    const thought = added.filter(([role]) => role === "reasoning").map(([, content]) => content);
    assert.deepEqual(thought, ["Let me think.", "Sure.", "Hm, so. "]);
    assert.deepEqual(late.transcript, transcript);
  });

  test("is withdrawn if the response calls a function, and the turn answers anew", async () => {
    const more = [begin, ...words("No, in Lisbon."), end];
    const { go } = await started({ more });
    const call = [say({ type: "call_start", id: "c1", name: "look" }), say({ type: "call_args", delta: "{}" }), end];
    const { history, transcript, told, record, sent, late } = await go([...words("Porto."), ...call]);
    // Once decided it is public narration too, in this Worker.
    const added = transcript.slice(history.length).filter(({ role }) => role === "assistant");
    assert.deepEqual(added.map(({ content }) => content), ["It is in ", "No, in Lisbon."], "what was read was read; the filter held the rest");
    assert.equal(record.withdrawn, added[0].id);
    assert.ok(sent.includes(`"name":"lastword.withdrawn","value":{"messageId":"${added[0].id}"}`), "and is named");
    const once = ["content_start", "content_end"];
    assert.deepEqual(kinds(told), ["task_started", ...once, "content_withdrawn", ...once, "task_completed"]);
    assert.deepEqual(late.transcript, transcript, "whoever comes later reads the same");
    assert.ok(late.events.some(({ name, value }) => name === "lastword.withdrawn" && value.messageId === added[0].id));
  });

  for (const [name, chunks, cut, code] of [
    ["the stream dies", words("Porto."), true, "upstream_unavailable"],
    ["the end mark is missing", words("Porto."), false, "upstream_unavailable"],
    ["the provider says that it failed", [say({ type: "error" })], false, "upstream_unavailable"],
    ["the provider filters it", [say({ type: "response_end", stop: "content_filter" })], false, "content_filter"],
    ["the stream is garbage", [Buffer.from("data: {]\n\n")], false, "upstream_malformed"],
  ]) {
    test(`is closed and withdrawn before the failure if ${name}`, async () => {
      const { go } = await started();
      const { transcript, terminal, told, record, late } = await go(chunks, cut);
      assert.deepEqual([terminal.type, terminal.code], ["RUN_ERROR", code]);
      assert.deepEqual(kinds(told).slice(-3), ["content_end", "content_withdrawn", "task_failed"]);
      assert.deepEqual([record.status, record.withdrawn], ["failed", told.find(({ type }) => type === "content_start").message]);
      assert.deepEqual(late.transcript, transcript);
      assert.ok(late.events.some(({ name }) => name === "lastword.withdrawn"), "whoever comes later is told too");
    });
  }

  test("is closed and withdrawn before a cancel is told", async () => {
    const { finish, runId } = await started();
    assert.equal((await worker.cancel(runId)).json.status, "cancelled");
    const { terminal, told, record } = await finish();
    assert.equal(terminal.outcome.type, "cancelled");
    assert.deepEqual(kinds(told).slice(-3), ["content_end", "content_withdrawn", "task_cancelled"]);
    assert.deepEqual([record.status, typeof record.withdrawn], ["cancelled", "string"]);
  });
});
