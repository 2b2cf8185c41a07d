// What the official clients do besides running: they stop, they ask for another encoding, they send what they hold.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentFor, agentWithHistory, assertAnswer, byGet, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { recording } from "./lib/recordings.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const refund = recording("narrated-refund");

describe("the official clients", { concurrency: true }, () => {
  for (const client of VERSIONS) {
    test(`${client}: to stop watching is not to cancel`, async () => {
      const [thread, runId, question] = [fresh("thread"), fresh("run"), fresh("q")];
      const params = { runId, forwardedProps: { model: refund.model } };
      const agent = agentWithHistory(worker.url, { thread, question, client });
      const before = structuredClone(agent.messages);
      const stop = { onRunStartedEvent: () => void setTimeout(() => agent.abortRun()) };
      await agent.runAgent(params, stop);
      assert.equal((await worker.ended(runId)).status, "succeeded", "the run went on");

      const back = agentWithHistory(worker.url, { thread, question, client, via: byGet(worker.url, runId) });
      assertAnswer((await runOracle(back, params)).transcript, before, refund.answer);
    });

    test(`${client}: the state that it sent is still there, live and for whoever joins`, async () => {
      const [thread, runId] = [fresh("thread"), fresh("run")];
      const state = { cart: [{ id: 1, note: null }], open: true };
      const messages = [{ id: fresh("q"), role: "user", content: "Hello?" }];
      const params = { runId, forwardedProps: { model: "replay/refusal" } };
      const agent = agentFor(worker.url, { thread, messages, state, client });
      await runOracle(agent, params);
      assert.deepEqual(agent.state, state);
      const late = agentFor(worker.url, { thread, messages: [], client, via: byGet(worker.url, runId) });
      const { transcript } = await runOracle(late, params);
      assert.deepEqual(late.state, state);
      assert.deepEqual(transcript, agent.messages, "and so is all that it said");
    });
  }

  test("a client that asks for the binary encoding gets an event stream", async () => {
    const headers = { accept: "application/vnd.ag-ui.event+proto" };
    const exchange = await (await worker.post(runInput({ model: "replay/refusal" }), headers)).end();
    assert.match(exchange.headers["content-type"], /^text\/event-stream/);
    assert.equal(exchange.frames.at(-1).json.type, "RUN_FINISHED");
  });

  test("a cursor is a frame's `id:` and never a field of the event", async () => {
    const { frames } = await (await worker.post(runInput({ model: refund.model }))).end();
    for (const { id, json } of frames) {
      assert.match(id, /^\d+(\.\d+)?$/);
      for (const key of ["id", "seq", "sequence", "cursor", "metadata"]) assert.equal(json[key], undefined, key);
    }
  });

  test("the protocol's version is said to those that said one, and to no other", async () => {
    for (const [protocolVersion, said] of [["1.0", "1.0"], ["1.7", "1.0"], ["0.9", undefined], [undefined, undefined]]) {
      const { frames } = await (await worker.post(runInput({ model: "replay/refusal", protocolVersion }))).end();
      assert.equal(frames[0].json.protocolVersion, said, `${protocolVersion}`);
      assert.equal(frames.at(-1).json.outcome?.type, said && "success");
      assert.equal(frames.at(-1).json.usage === undefined, said === undefined, "and so with usage");
    }
  });
});
