// What fails while streams are open: each says so on its own wire or waits, none ends as if all had been said, the run
// is not touched by what happens to its readers, and the next request is served.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { rewrite, stored, threadsOn } from "./lib/disk.mjs";
import { FAULTS, setFaults } from "./lib/faults.mjs";
import { eventually } from "./lib/http.mjs";
import { frameBytes } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, TRAP, Worker } from "./lib/worker.mjs";

const WIRES = ["agui", "joined", "customer", "operator", "thread"];
/** The form of a reader's own failure on each. */
const FORMS = { agui: "RUN_ERROR", joined: "RUN_ERROR", customer: "error", operator: "error", thread: "stream_end" };
const ENDS = ["task_completed", "task_failed", "task_cancelled", "RUN_FINISHED", "RUN_ERROR"];

let upstream;
before(async () => (upstream = await startUpstream()));
after(() => upstream.stop());

/** A Worker of the test's own, with a run that talks until it is released. */
async function underWay(t, prelude, vars = {}) {
  const folder = await stateFolder();
  const all = upstreamVars(upstream, { LASTWORD_LEASE: "2", LASTWORD_HEARTBEAT: "1", ...vars });
  const setup = { folder, worker: await new Worker().start(all, folder, { prelude }) };
  setup.restart = async () => {
    await setup.worker.stop();
    setup.worker = await new Worker().start(all, folder, { prelude });
  };
  t.after(() => setup.worker.stop().then(() => removeFolder(folder)));
  setup.input = runInput({ text: fresh("talks") });
  let [released, paused] = [false, false];
  setup.release = () => (released = true);
  setup.pause = () => (paused = true);
  upstream.on(setup.input.messages[0].content, async (call) => {
    const [piece, ...rest] = chat(["chatter "]);
    while (!released && (paused || (await call.write(piece)))) await sleep(20);
    await call.writeAll(rest);
    await call.end();
  });
  const { worker, input } = setup;
  const agui = await worker.post(input);
  const [joined, customer, operator, thread] = await Promise.all([
    worker.join(input.runId),
    worker.events(input.runId),
    worker.events(input.runId, { view: "operator" }),
    worker.follow(input.threadId, { view: "operator" }),
  ]);
  setup.streams = { agui, joined, customer, operator, thread };
  for (const [wire, stream] of Object.entries(setup.streams)) {
    await stream.until(({ frames }) => frames.length >= (["operator", "thread"].includes(wire) ? 4 : 1), wire);
  }
  return setup;
}

/** Each stream has ended with its wire's failure, once, last, without a cursor. */
async function assertInterrupted({ streams, input }) {
  for (const [wire, stream] of Object.entries(streams)) {
    const { frames } = await stream.end();
    const failures = frames.filter(({ json }) => json.code !== undefined);
    assert.deepEqual(failures.map(({ id, json }) => [id, json.type, json.code]), [[undefined, FORMS[wire], "stream_interrupted"]], wire);
    assert.equal(frames.at(-1), failures[0], `${wire}: nothing after it`);
    if (FORMS[wire] === "error") assert.equal(failures[0].json.meta.run, input.runId);
    if (FORMS[wire] !== "RUN_ERROR") assert.equal(failures[0].json.meta.thread, input.threadId);
    assert.doesNotMatch(stream.text, /example\.invalid/, "what the platform said stays inside");
  }
}

/** Where each stream goes on: by its last cursor. */
function goOn({ worker, input, streams }) {
  const cursor = (wire) => streams[wire].frames.findLast(({ id }) => id !== undefined).id;
  return Promise.all([
    worker.join(input.runId, cursor("agui")),
    worker.join(input.runId, cursor("joined")),
    worker.events(input.runId, {}, cursor("customer")),
    worker.events(input.runId, { view: "operator" }, cursor("operator")),
    worker.follow(input.threadId, { view: "operator" }, cursor("thread")),
  ]);
}

/** What was sent before and what comes behind it are the whole, without a gap or a repetition. */
async function assertWhole(setup) {
  const { worker, input, streams } = setup;
  const rests = await goOn(setup);
  for (const [index, wire] of WIRES.entries()) {
    const isEnd = ({ json }) => ENDS.includes(json.type);
    await rests[index].until(({ frames }) => frames.some(isEnd), `the end on ${wire}`);
    assert.equal(rests[index].frames.filter(isEnd).length, 1, wire);
    streams[wire].got = [...streams[wire].frames.filter(({ id }) => id !== undefined), ...rests[index].frames];
  }
  const complete = (await (await worker.events(input.runId, { view: "operator" })).end()).frames;
  assert.equal(frameBytes(streams.operator.got), frameBytes(complete));
  assert.deepEqual(streams.thread.got.map(({ json }) => json), complete.map(({ json }) => json));
}

/** The run has stopped without a word to anybody but the log. */
const givenUp = ({ logs }) => eventually(() => logs.map((line) => JSON.parse(line)).some(({ code, run, reader }) => code === "store_unavailable" && run && !reader), "the run gives up");

async function assertServes(worker) {
  const input = runInput({ text: fresh("next") });
  upstream.on(input.messages[0].content, async (call) => {
    await call.writeAll(chat(["Served."]));
    await call.end();
  });
  assert.match((await (await worker.post(input)).end()).text, /Served\..*"type":"RUN_FINISHED"/s);
}

describe("a trap of the instance", { concurrency: true }, () => {
  test("is said on each open stream's wire; recovery ends the run, and the readers go on", async (t) => {
    const setup = await underWay(t, TRAP);
    const { worker, input } = setup;
    const trapped = await worker.record(input.runId).then(() => fetch(`${worker.url}/health`, { headers: { "x-trap": "1" } }));
    assert.equal(trapped.status, 500);
    assert.equal((await trapped.json()).error.code, "internal");
    await assertInterrupted(setup);
    await assertServes(worker);
    assert.equal((await worker.ended(input.runId)).failure.code, "worker_lost");
    await assertWhole(setup);
    assert.equal(upstream.callsOf(input.messages[0].content).length, 1, "the model was not asked again");
  });

  test("is survived by a thread that was followed alone: recovery is the follower's to see", async (t) => {
    const setup = await underWay(t, TRAP, { LASTWORD_LEASE: "3600" });
    const { worker, input, streams } = setup;
    await fetch(`${worker.url}/health`, { headers: { "x-trap": "1" } });
    const { frames } = await streams.thread.end();
    const again = await worker.follow(input.threadId, { view: "operator" }, frames.at(-2).id);
    await again.until(({ frames }) => frames.at(-1)?.json.code === "worker_lost", "its end, without a word to the run");
  });
});

describe("a store that can't be read", () => {
  test("is said on each wire, and the run goes on", async (t) => {
    const setup = await underWay(t, FAULTS);
    const { worker, input } = setup;
    await setFaults(worker, "reads");
    await assertInterrupted(setup);
    assert.equal((await worker.record(input.runId)).json.error.code, "store_unavailable");
    await setFaults(worker);
    await assertServes(worker);
    setup.release();
    assert.equal((await worker.ended(input.runId)).status, "succeeded");
    await assertWhole(setup);
    const codes = new Set(worker.logs.map((line) => JSON.parse(line).code));
    assert.deepEqual([...codes], ["store_unavailable"]);
  });
});

describe("a store that can't be written", { concurrency: true }, () => {
  for (const faults of [["writes"], ["writes", "alarms"]]) {
    test(`(${faults}): no terminal comes before one stands, and one does come`, async (t) => {
      const setup = await underWay(t, FAULTS);
      const { worker, input, streams } = setup;
      await setFaults(worker, ...faults);
      await givenUp(worker);
      const heartbeats = Object.values(streams).map(({ sse }) => sse.comments);
      for (const [at, stream] of Object.values(streams).entries()) {
        await stream.until(({ sse }) => sse.comments > heartbeats[at] + 2, "heartbeats");
        assert.ok(!stream.frames.some(({ json }) => ENDS.includes(json.type)), "no terminal that is not durable");
        assert.equal(stream.closed, undefined);
      }
      await setFaults(worker);
      for (const [wire, stream] of Object.entries(streams)) {
        const last = ({ frames }) => ["task_failed", "RUN_ERROR"].includes(frames.at(-1)?.json.type);
        await stream.until(last, `the end on ${wire}`);
        assert.equal(stream.frames.at(-1).json.code, "worker_lost");
        if (wire !== "thread") await stream.end();
      }
      await assertServes(worker);
      const complete = (await (await worker.events(input.runId, { view: "operator" })).end()).frames;
      assert.equal(frameBytes(streams.operator.frames), frameBytes(complete), "live as replayed");
    });
  }

  for (const faults of [["sync"], ["reads", "writes", "alarms"]]) {
    test(`(${faults}): nobody knows what stands, which each wire says; recovery ends the run`, async (t) => {
      const setup = await underWay(t, FAULTS);
      const { worker, input, streams } = setup;
      await setFaults(worker, ...faults);
      await givenUp(worker);
      await Promise.all(Object.values(streams).map(({ over }) => over));
      await assertInterrupted(setup);
      await setFaults(worker);
      await assertServes(worker);
      assert.equal((await worker.ended(input.runId)).failure.code, "worker_lost");
      await assertWhole(setup);
    });
  }

  test("(slow): what is written and not yet durable is told to nobody", async (t) => {
    const setup = await underWay(t, FAULTS);
    const { worker, input, streams, release, pause } = setup;
    pause();
    const said = await eventually(async () => {
      const before = streams.operator.frames.length;
      await sleep(300);
      return streams.operator.frames.length === before && before;
    }, "all that was said is saved");
    await setFaults(worker, "slow");
    release();
    const heartbeats = streams.operator.sse.comments;
    const late = worker.events(input.runId, { view: "operator" }).then((stream) => stream.end());
    const record = worker.record(input.runId);
    await streams.operator.until(({ sse }) => sse.comments > heartbeats + 3, "heartbeats");
    assert.equal(streams.operator.frames.length, said);
    await setFaults(worker);
    assert.equal((await record).status, 200);
    for (const wire of ["agui", "joined", "customer", "operator"]) await streams[wire].end();
    assert.equal(streams.operator.frames.at(-1).json.type, "task_completed");
    assert.equal(frameBytes((await late).frames), frameBytes(streams.operator.frames));
  });

  test("(lag): what takes longer than a heartbeat to become durable is told while the run goes on", async (t) => {
    const { worker, input, streams, release } = await underWay(t, FAULTS);
    await setFaults(worker, "lag");
    for (const wire of ["operator", "thread"]) {
      const [said, heartbeats] = [streams[wire].frames.length, streams[wire].sse.comments];
      await streams[wire].until(({ frames, sse }) => frames.length > said + 2 && sse.comments > heartbeats + 1, wire);
    }
    assert.equal((await worker.record(input.runId)).json.status, "started");
    release();
    for (const wire of ["agui", "joined", "customer", "operator"]) await streams[wire].end();
    assert.equal(streams.operator.frames.at(-1).json.type, "task_completed");
  });

  test("(writes) at the claim is an answer of its own, and the thread is free afterwards", async (t) => {
    const setup = await underWay(t, FAULTS);
    const { worker, release, input } = setup;
    release();
    await worker.ended(input.runId);
    await setFaults(worker, "writes");
    const refused = await (await worker.post(runInput({ thread: input.threadId }))).end();
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [503, "store_unavailable"]);
    await setFaults(worker);
    const next = runInput({ thread: input.threadId, text: fresh("next") });
    upstream.on(next.messages[0].content, async (call) => {
      await call.writeAll(chat(["Free."]));
      await call.end();
    });
    await (await worker.post(next)).end();
    await setup.streams.thread.until(({ frames }) => frames.at(-1).json.type === "task_completed" && frames.at(-1).id.startsWith("2-"), "the second run is the second");
  });
});

describe("what the serializer can't say", { concurrency: true }, () => {
  const CHANGES = {
    "a segment that is damaged": ["%/journal/%/00000002", () => '{"v":1,"first":'],
    "a segment of a newer version": ["%/journal/%/00000002", (text) => text.replace(/^\{"v":1/, '{"v":2')],
    "a record of a newer serializer": ["%/head", (text) => text.replace('"canonical":1', '"canonical":2').replace('"ag_ui":1', '"ag_ui":2')],
    "a record of a newer version": ["%/head", (text) => text.replace(/^\{"v":2/, '{"v":99')],
  };
  for (const [what, [key, change]] of Object.entries(CHANGES)) {
    test(`${what} is an error on each wire, and the rest is served`, async (t) => {
      const setup = await underWay(t, "");
      const { input, folder, release } = setup;
      release();
      await setup.worker.ended(input.runId);
      const said = (await (await setup.worker.events(input.runId, { view: "operator" })).end()).frames;
      await setup.worker.stop();
      rewrite(folder, key, change);
      const before = stored(folder, `%/${input.runId}/%`);
      await setup.restart();
      const { worker } = setup;
      const opened = await Promise.all([
        worker.post(input, { "last-event-id": "0" }),
        worker.join(input.runId),
        worker.events(input.runId),
        worker.events(input.runId, { view: "operator" }),
        worker.follow(input.threadId, { view: "operator" }),
      ]);
      for (const [at, wire] of WIRES.entries()) {
        // A thread's stream passes over a run that is damaged, and goes on.
        if (wire === "thread" && what.includes("damaged")) {
          await opened[at].until(({ frames }) => frames.at(-1)?.json.type === "error", "that the run is passed over");
          const { id, json } = opened[at].frames.at(-1);
          assert.deepEqual([id, json.code], ["2-0", "record_unreadable"]);
          opened[at].leave();
          continue;
        }
        const stream = await opened[at].end();
        if (stream.status !== 200) {
          assert.deepEqual([what, stream.status, JSON.parse(stream.text).error.code], ["a record of a newer version", 500, "record_too_new"]);
          continue;
        }
        const last = stream.frames.at(-1);
        assert.deepEqual([last.id, last.json.type, last.json.code], [undefined, FORMS[wire], "stream_interrupted"], wire);
        assert.ok(!stream.frames.slice(0, -1).some(({ json }) => ENDS.includes(json.type)), wire);
      }
      const operator = opened[3].frames?.slice(0, -1) ?? [];
      assert.equal(frameBytes(operator), frameBytes(said.slice(0, operator.length)), "what came is a prefix");
      await assertServes(worker);
      const codes = new Set(worker.logs.map((line) => JSON.parse(line).code));
      assert.deepEqual([...codes], [what.includes("damaged") ? "record_unreadable" : "record_too_new"]);
      await worker.stop();
      assert.deepEqual(stored(folder, `%/${input.runId}/%`), before, "the run is not touched");
    });
  }
});

test("a thread that is only read keeps nothing", async (t) => {
  const folder = await stateFolder();
  const worker = await new Worker().start({}, folder);
  t.after(() => removeFolder(folder));
  const followers = await Promise.all([1, 2, 3].map(() => worker.follow(fresh("nobody's"))));
  for (const follower of followers) await follower.until(({ sse }) => sse.comments > 0, "the first byte");
  await (await worker.post(runInput({ model: "replay/multibyte-cuts" }))).end();
  await worker.stop();
  assert.equal(threadsOn(folder), 1);
});
