// The process ends, with a word or without, and a new one goes on from what is stored.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, open } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { recordings } from "./lib/recordings.mjs";
import { frameBytes } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, TRAP, Worker } from "./lib/worker.mjs";

describe("after a restart", () => {
  let folder;
  let worker;
  before(async () => {
    folder = await stateFolder();
    worker = await new Worker().start({}, folder);
  });
  after(async () => {
    await worker.stop();
    await removeFolder(folder);
  });

  test("every run that had ended replays byte for byte, on both wires and in both views", async () => {
    const chosen = recordings.filter(({ name }) => !["long-answer", "prose-monologue"].includes(name));
    const inputs = chosen.map(({ model }) => runInput({ model }));
    const first = await Promise.all(inputs.map(async (input) => (await (await worker.post(input)).end()).frames));
    const read = () => Promise.all(inputs.map(({ runId }) => views(worker, runId)));
    const earlier = await read();
    await worker.stop();
    worker = await new Worker().start({}, folder);
    const later = await read();
    assert.deepEqual(later, earlier);
    for (const [index, frames] of first.entries()) assert.equal(later[index].agui, frameBytes(frames), chosen[index].name);
    const posted = await (await worker.post(inputs[0], { "last-event-id": "0" })).end();
    assert.equal(frameBytes(posted.frames), frameBytes(first[0]), "posting it again replays it");
  });
});

/** All that can be read of a run from its start: the record too, since a replay changes nothing. */
async function views(worker, run) {
  const text = async (opened) => frameBytes((await (await opened).end()).frames);
  const [agui, join, customer, operator, record] = await Promise.all([
    text(worker.join(run, "0")),
    text(worker.join(run)),
    text(worker.events(run)),
    text(worker.events(run, { view: "operator" })),
    worker.record(run),
  ]);
  return { agui, join, customer, operator, record: record.text };
}

/** Talks without end, until the other side closes. */
async function chatter(call) {
  const [piece] = chat(["chatter "]);
  while (await call.write(piece)) await sleep(50);
}

describe("a run whose worker is lost", { concurrency: true }, () => {
  let upstream;
  before(async () => (upstream = await startUpstream()));
  after(() => upstream.stop());

  /** A run under way on a Worker of its own, of which its readers have seen something. */
  async function underWay(t, rest) {
    const folder = await stateFolder();
    const vars = upstreamVars(upstream, { LASTWORD_LEASE: "2" });
    const start = () => new Worker().start(vars, folder, rest);
    const setup = { worker: await start(), text: fresh("lost"), runId: fresh("run"), thread: fresh("thread") };
    setup.restart = async () => (setup.worker = await start());
    t.after(() => setup.worker.stop().then(() => removeFolder(folder)));
    const question = fresh("q");
    setup.agent = () => agentWithHistory(setup.worker.url, { thread: setup.thread, question, text: setup.text });
    upstream.on(setup.text, chatter);
    const input = runInput({ run: setup.runId, thread: setup.thread, messages: setup.agent().messages });
    setup.customer = await setup.worker.post(input);
    setup.operator = await setup.worker.events(setup.runId, { view: "operator" });
    await setup.operator.until(({ frames }) => frames.length >= 4, "some narration");
    return setup;
  }

  /** It is sealed as lost, holds all that was sent, was asked of the model once, and the thread goes on. */
  async function assertSealed({ worker, text, runId, thread, agent, customer, operator }) {
    await Promise.all([customer.over, operator.over]);
    for (const { complete, frames } of [customer, operator]) {
      assert.ok(!complete || frames.at(-1).json.code === "stream_interrupted", "no clean end without a terminal");
    }
    const again = agent();
    const history = structuredClone(again.messages);
    const { terminal, transcript } = await runOracle(again, { runId });
    assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: "worker_lost" });
    assert.deepEqual(transcript, history);
    assert.equal((await worker.record(runId)).json.failure.code, "worker_lost");
    assert.equal(upstream.callsOf(text).length, 1, "the model was not asked again");

    const events = (await (await worker.events(runId, { view: "operator" })).end()).frames;
    const seen = operator.frames.filter(({ id }) => id !== undefined);
    assert.equal(frameBytes(events.slice(0, seen.length)), frameBytes(seen), "what was sent had been stored");
    assert.deepEqual(events.map(({ json }) => json.meta.seq), events.map((_, index) => index + 1));
    const types = events.map(({ json }) => json.type);
    assert.deepEqual(types.slice(-2), ["intermediate_end", "task_failed"], "what was open is closed");
    await assertGoesOn(worker, thread);
    assert.equal((await (await worker.events(runId, { view: "operator" })).end()).frames.length, events.length);
  }

  /** The thread is free for another run. */
  async function assertGoesOn(worker, thread) {
    const text = fresh("next");
    upstream.on(text, async (call) => {
      await call.writeAll(chat(["Back again."]));
      await call.end();
    });
    const agent = agentWithHistory(worker.url, { thread, text });
    const history = structuredClone(agent.messages);
    assertAnswer((await runOracle(agent)).transcript, history, "Back again.");
  }

  test("by a power cut is sealed and never executed again", async (t) => {
    const setup = await underWay(t);
    await setup.worker.kill();
    await setup.restart();
    await assertSealed(setup);
  });

  test("by a power cut is sealed by its alarm if nobody asks for it", async (t) => {
    const { worker, runId, text, restart } = await underWay(t);
    await worker.kill();
    const next = await restart();
    await eventually(() => next.logs.some((line) => line.includes("worker_lost")), "the alarm's word in the log");
    assert.equal((await next.record(runId)).json.failure.code, "worker_lost");
    assert.equal(upstream.callsOf(text).length, 1);
  });

  test("by a trap of the module is sealed too, and late bytes of the provider reach nobody", async (t) => {
    const setup = await underWay(t, { prelude: TRAP });
    const trapped = await open(`${setup.worker.url}/health`, { headers: { "x-trap": "1" } });
    assert.equal(trapped.status, 500);
    await assertSealed(setup);
    const [call] = upstream.callsOf(setup.text);
    await eventually(() => call.isGone, "the connection to the provider is closed");
  });
});
