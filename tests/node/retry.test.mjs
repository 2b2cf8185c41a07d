// A model call that fails is made again: the official client gets the answer, and nothing of the failed attempts.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { leaks, recording } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, sharedWorker, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const limits = { LASTWORD_RETRIES: "2", LASTWORD_FIRST_BYTE_MS: "1500", LASTWORD_IDLE_MS: "1500" };
const worker = sharedWorker(upstreamVars(upstream, { ...limits, LASTWORD_PUBLIC: "thinking=true" }));

/** How an attempt may fail so that it is made again. Each ends or leaves the call. */
const PASSING = {
  "status 503": (call) => (call.head(503, {}), call.end()),
  "status 429": (call) => (call.head(429, {}), call.end()),
  "status 408": (call) => (call.head(408, {}), call.end()),
  "no answer": (call) => call.destroy(),
  "cut in the middle": async (call) => {
    await call.writeAll(chat(["Abandoned words"]).slice(0, 1), 50);
    call.destroy();
  },
  "no end mark": async (call) => {
    await call.writeAll(chat(["Abandoned words"]).slice(0, 1));
    await call.end();
  },
  "an error in the stream": async (call) => {
    await call.writeAll(chat(["Abandoned words"]).slice(0, 1));
    await call.write(Buffer.from('data: {"error":{"message":"Abandoned too"}}\n\n'));
    await call.end();
  },
  "no first byte": () => {},
  "a stall": (call) => call.writeAll(chat(["Abandoned words"]).slice(0, 1)),
};

/** How an attempt may fail so that it would fail again. */
const LASTING = {
  "status 400": ["upstream_rejected", (call) => (call.head(400, {}), call.end())],
  "status 401": ["upstream_rejected", (call) => (call.head(401, {}), call.end())],
  "a content filter": ["content_filter", async (call) => (await call.writeAll(chat([], { finish: "content_filter" })), call.end())],
  garbage: ["upstream_malformed", async (call) => (await call.write(Buffer.from("data: {]\n\n")), call.end())],
};

const answers = async (call) => {
  await call.writeAll(chat(["Here ", "it is."], { reasoning: ["Well."] }));
  await call.end();
};

describe("a failed attempt", { concurrency: 4 }, () => {
  /** Runs a client whose attempts get these scripts, one after the other. */
  async function run(scripts) {
    const [text, runId] = [fresh("flaky"), fresh("run")];
    let attempt = 0;
    upstream.on(text, (call) => scripts[attempt++](call));
    const agent = agentWithHistory(worker.url, { text });
    const history = structuredClone(agent.messages);
    const { transcript, terminal } = await runOracle(agent, { runId });
    const operator = await worker.eventsOf(runId, "operator");
    const resets = operator.filter(({ type }) => type === "attempt_reset").map(({ ordinal }) => ordinal);
    const customer = JSON.stringify(await worker.eventsOf(runId)) + agent.captured[0];
    assert.doesNotMatch(customer, /Abandoned|attempt/, "nothing of a failed attempt reaches a customer");
    return { history, transcript, terminal, resets, operator, calls: upstream.callsOf(text) };
  }

  /** The transcript without the thinking, which the client keeps too. */
  const said = (transcript) => transcript.filter(({ role }) => role !== "reasoning");

  for (const [name, fails] of Object.entries(PASSING)) {
    test(`by ${name} is made again`, async () => {
      const { history, transcript, terminal, resets, calls } = await run([fails, answers]);
      assert.equal(terminal.type, "RUN_FINISHED");
      assertAnswer(said(transcript), history, "Here it is.");
      assert.deepEqual(resets, [1]);
      assert.equal(calls.length, 2);
      assert.equal(calls[1].text, calls[0].text, "the same request");
    });
  }

  for (const [name, [code, fails]] of Object.entries(LASTING)) {
    test(`by ${name} is not made again`, async () => {
      const { history, transcript, terminal, resets, calls } = await run([fails, answers]);
      assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code });
      assert.deepEqual(transcript, history);
      assert.deepEqual([resets, calls.length], [[], 1]);
    });
  }

  test("is made again no more often than is configured", async () => {
    const { "status 503": fails } = PASSING;
    const { terminal, resets, calls } = await run([fails, fails, fails, answers]);
    assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: "upstream_unavailable" });
    assert.deepEqual([resets, calls.length], [[1, 1], 3]);
  });

  test("of a recording is played its next response", async (t) => {
    const [tape, state] = [recording("failed-attempt"), await stateFolder()];
    const replaying = await new Worker().start({ LASTWORD_RETRIES: "1" }, state);
    t.after(() => replaying.stop().then(() => removeFolder(state)));
    const agent = agentWithHistory(replaying.url);
    const history = structuredClone(agent.messages);
    const { transcript } = await runOracle(agent, { forwardedProps: { model: tape.model } });
    assertAnswer(transcript, history, tape.retried);
    assert.deepEqual(leaks(tape.narration, agent.captured[0]), []);
  });

  test("shows the operator what it said and that it is void, and closes public thinking", async () => {
    const half = async (call) => {
      await call.writeAll(chat(["Abandoned words"], { reasoning: ["Hm, so."] }).slice(0, 2));
      await call.end();
    };
    const { transcript, operator } = await run([half, answers]);
    const types = operator.map(({ type }) => type);
    const said = operator.filter(({ type }) => type === "intermediate").map(({ delta }) => delta);
    assert.equal(said.join(""), "Abandoned Here it is.", "but for what the filter held when it died: a last word may be half of something");
    assert.ok(types.indexOf("intermediate_end") < types.indexOf("attempt_reset"));
    const thinking = transcript.filter(({ role }) => role === "reasoning").map(({ content }) => content);
    assert.deepEqual(thinking, ["Hm, so.", "Well."], "two messages, each closed");
  });
});
