// A reader that nobody wakes finds out by itself, and one that comes at any moment of a claim is never left hanging.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./lib/http.mjs";
import { frameBytes } from "./lib/sse.mjs";
import { stall, STALLS } from "./lib/stalls.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

async function serving(t, vars = {}) {
  const folder = await stateFolder();
  const all = upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1", ...vars });
  const worker = await new Worker().start(all, folder, { prelude: STALLS });
  t.after(() => worker.stop().then(() => removeFolder(folder)));
  return worker;
}

function answering(text) {
  upstream.on(text, async (call) => {
    await call.writeAll(chat(["All", " is", " well."]), 40);
    await call.end();
  });
  return text;
}

test("a reader whose wake was lost reads again at the next heartbeat, and has the rest", async (t) => {
  const worker = await serving(t);
  const input = runInput({ text: answering(fresh("answer")) });
  const { frames: agui } = await (await worker.post(input)).end();
  const view = { view: "operator" };
  const { frames: operator } = await (await worker.events(input.runId, view)).end();
  const readers = [
    [() => worker.join(input.runId, "0"), agui],
    [() => worker.events(input.runId, view), operator],
  ];
  for (const [open, whole] of readers) {
    // The second look is the one whether the run must be sealed: that one sees that it has ended.
    await stall(worker, { "x-old": "1-2" });
    const reader = await open();
    await reader.until(({ frames }) => frames.length === 1, "what the old head names");
    await stall(worker, { "x-old": "no" });
    await reader.end();
    assert.equal(frameBytes(reader.frames), frameBytes(whole));
    assert.ok(reader.sse.comments >= 1, "nobody has woken it");
    assert.ok(reader.sse.comments <= 2, `${reader.sse.comments} heartbeats`);
  }
  assert.equal((await worker.record(input.runId)).json.status, "succeeded");
  assert.deepEqual(worker.logs, []);
});

test("readers that come at every moment of a claim are answered, and read the run to its end", async (t) => {
  const worker = await serving(t);
  const input = runInput({ text: answering(fresh("answer")) });
  const run = input.runId;
  const follower = await worker.follow(input.threadId);
  await stall(worker, { "x-gate": "shut" });
  const posted = worker.post(input);
  const opens = [
    () => worker.join(run, "0"),
    () => worker.join(run),
    () => worker.events(run),
    () => worker.events(run, { view: "operator" }),
    () => worker.post(input, { "last-event-id": "0" }),
  ];
  /** A reader that asks again until the run is there. */
  const read = async (open) => {
    for (;;) {
      const exchange = await open();
      if (exchange.status === 200) return exchange.end();
      assert.equal(exchange.status, 404);
      await sleep(20);
    }
  };
  const reading = [];
  let moments = 0;
  while (upstream.callsOf(input.messages[0].content).length === 0) {
    await eventually(async () => (await stall(worker, { "x-gate": "shut" })) > 0, "a sync that waits");
    reading.push(opens.map(read));
    moments += 1;
    await sleep(100);
    await stall(worker, { "x-gate": "step" });
    await sleep(100);
  }
  await stall(worker, { "x-gate": "open" });
  assert.ok(moments >= 2, `${moments} moments`);
  const first = await (await posted).end();
  for (const round of reading) {
    const [agui, join, customer, operator, again] = await Promise.all(round);
    for (const { frames } of [agui, again]) assert.equal(frameBytes(frames), frameBytes(first.frames));
    assert.equal(join.frames.at(-1).json.type, "RUN_FINISHED");
    for (const { frames } of [customer, operator]) assert.equal(frames.at(-1).json.type, "task_completed");
  }
  await follower.until(({ frames }) => frames.at(-1)?.json.type === "task_completed", "the follower's end");
  follower.leave();
  assert.equal(upstream.callsOf(input.messages[0].content).length, 1);
});

test("a run that crashes its host is sealed and not tried again, however often it crashes", async (t) => {
  const worker = await serving(t, { LASTWORD_LEASE: "2" });
  const input = runInput({ text: fresh("endless") });
  upstream.on(input.messages[0].content, async (call) => {
    while (await call.write(chat(["chatter "])[0])) await sleep(20);
  });
  const customer = await worker.post(input);
  const operator = await worker.events(input.runId, { view: "operator" });
  await operator.until(({ frames }) => frames.length > 4, "some narration");
  // The run's own machine is lost first, then twice whoever looks after it.
  await stall(worker, { "x-crash": "3" });
  await Promise.all([customer.over, operator.over]);
  for (const { frames } of [customer, operator]) assert.equal(frames.at(-1).json.code, "stream_interrupted");
  const told = await eventually(async () => {
    const reader = await worker.events(input.runId, { view: "operator" });
    await reader.over;
    return reader.status === 200 && reader.frames.at(-1).json.type === "task_failed" && reader;
  }, "a reader that waits is told");
  assert.equal(told.frames.at(-1).json.code, "worker_lost");
  assert.equal((await stall(worker, { "x-gate": "open" }, "crashes")), 0, "it has crashed as often as it should");
  assert.equal((await worker.record(input.runId)).json.failure.code, "worker_lost");
  assert.equal(upstream.callsOf(input.messages[0].content).length, 1, "the model was asked once");
  const seen = operator.frames.filter(({ id }) => id !== undefined);
  assert.equal(frameBytes(told.frames.slice(0, seen.length)), frameBytes(seen));
});
