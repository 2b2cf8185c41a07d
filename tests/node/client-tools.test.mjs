// A turn that stops on tools of the client, which runs them and posts their results in a new run.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentWithHistory, byGet, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { clientTools, firstCalls, leaks, recording } from "./lib/recordings.mjs";
import { assertWire, readSse } from "./lib/sse.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();

describe("client tools", { concurrency: true }, () => {
  for (const name of ["client-tool", "client-tools-parallel"]) {
    for (const client of VERSIONS) {
      test(`${name}: the results are posted and the answer comes, client ${client}`, () => goOn(name, client));
    }
  }

  test("the run that was posted with the results can be posted again", async () => {
    const tape = recording("client-tool");
    const [thread, question] = [fresh("thread"), fresh("q")];
    const agent = agentWithHistory(worker.url, { thread, question });
    const params = { tools: clientTools(tape.client_tools), forwardedProps: { model: tape.model } };
    await runOracle(agent, params);
    agent.addMessage({ id: fresh("result"), role: "tool", toolCallId: firstCalls("client-tool")[0].id, content: "Thursday" });
    const sent = structuredClone(agent.messages);
    const second = { ...params, runId: fresh("run") };
    const { transcript } = await runOracle(agent, second);
    // As a client does that has lost the reply: it holds what it sent, and sends it once more.
    agent.setMessages(sent);
    assert.deepEqual((await runOracle(agent, second)).transcript, transcript);
    // As a client does that has got the reply and doubts it: what this run produced does not count as another input.
    assert.deepEqual((await runOracle(agent, second)).transcript, transcript);
  });

  test("a join after the end gives the calls with the ids of the live stream", async () => {
    const tape = recording("client-tools-parallel");
    const [thread, question, runId] = [fresh("thread"), fresh("q"), fresh("run")];
    const params = { runId, tools: clientTools(tape.client_tools), forwardedProps: { model: tape.model } };
    const live = await runOracle(agentWithHistory(worker.url, { thread, question }), params);
    const late = agentWithHistory(worker.url, { thread, question, via: byGet(worker.url, runId) });
    const joined = await runOracle(late, params);
    assert.deepEqual(joined.transcript, live.transcript);
    assert.deepEqual(joined.terminal.outcome, live.terminal.outcome);
  });
});

/** Runs until the client's tools are called, posts their results, and gets the answer. */
async function goOn(name, client) {
  const tape = recording(name);
  const agent = agentWithHistory(worker.url, { client });
  const before = structuredClone(agent.messages);
  const params = { tools: clientTools(tape.client_tools), forwardedProps: { model: tape.model } };

  const first = await runOracle(agent, params);
  const calls = firstCalls(name);
  // Only 1.0 knows what is pending by name; the older one is sent the calls and no outcome.
  const outcome = { type: "success", pendingToolCallIds: calls.map(({ id }) => id) };
  assert.deepEqual(first.terminal.outcome, client === "1.0.0" ? outcome : undefined);
  assert.deepEqual(first.transcript.at(-1).toolCalls, calls);

  const results = calls.map(({ id }) => ({ id: fresh("result"), role: "tool", toolCallId: id, content: '{"ok":true}' }));
  agent.addMessages(results);
  const { transcript, terminal } = await runOracle(agent, params);
  assert.equal(terminal.type, "RUN_FINISHED");
  assert.equal(terminal.outcome?.pendingToolCallIds, undefined, "nothing is pending any more");
  assert.deepEqual(transcript.slice(0, -1), [...before, first.transcript.at(-1), ...results]);
  assert.equal(transcript.at(-1).content, tape.answer);
  assert.notEqual(transcript.at(-1).id, first.transcript.at(-1).id, "a new message");
  for (const bytes of agent.captured) {
    assertWire(readSse(bytes).frames);
    assert.deepEqual(leaks(tape.narration, bytes), []);
  }
}
