// A trap ends the WebAssembly instance and what was under way in it: each run is told so and none hangs, and what comes
// next has another instance. The module runs out of memory for real: it can't get any more, and is made to need it.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { core } from "../../build/js/core.mjs";
import { createHandler, memory, OutputFilter, replay, respond, setLog } from "../../build/js/node.mjs";
import { fileSystem } from "../../build/js/stores/node.mjs";
import { readByClient } from "./lib/responded.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";

setLog(false);
const { error } = console;
console.error = () => {};
after(() => (console.error = error));

/** An instance that is gone has timers still, which keep a process. */
const limits = { idle: 2000, firstByte: 2000 };

const WIRES = ["canonical", "ag-ui", "responses", "chat-completions", "ui-stream", "messages"];
const HALF = [{ type: "item_start" }, { type: "text", delta: "Half" }];
const REST = [{ type: "text", delta: " of it." }, { type: "item_end" }, { type: "response_end" }];

const encoder = new TextEncoder();
const bytes = (signals) => encoder.encode(signals.map((signal) => `data: ${JSON.stringify(signal)}\n\n`).join(""));

/** A stream that says `HALF`, and what it is told later. */
function turn() {
  const state = { cancelled: 0 };
  state.body = new ReadableStream({ start: (to) => (state.to = to), cancel: () => void (state.cancelled += 1) });
  state.say = (signals) => state.to.enqueue(bytes(signals));
  state.say(HALF);
  return state;
}

/** Takes all memory that the module could ever get. */
function exhaust() {
  const { memory } = core();
  for (let pages = 1 << 16; pages > 0; pages >>= 1) {
    try {
      for (;;) memory.grow(pages);
    } catch {
      // So many there are not.
    }
  }
}

/** What comes of a promise, if that is soon. */
const soon = (promise) => Promise.race([promise, sleep(5000, undefined, { ref: false }).then(() => assert.fail("it hangs"))]);

/** A run under way, and what its client reads. */
function begun(to, options = {}) {
  const upstream = turn();
  const { response, ...run } = respond(upstream.body, { from: "signals", to, heartbeat: 20, lease: 1000, limits, ...options });
  const read = response.text().then((body) => ({ body }), ({ code }) => ({ code }));
  return { ...run, to, upstream, read };
}

const lost = (outcome) => {
  assert.match(outcome.failure.message, /instance was lost/);
  return { status: outcome.status, code: outcome.failure.code };
};

const INSTANCE_LOST = { status: "unknown", code: "instance_lost" };

async function assertNextWorks() {
  const next = turn();
  next.say(REST);
  const { response, done } = respond(next.body, { from: "signals", to: "ui-stream" });
  assert.deepEqual((await soon(readByClient(response))).said, [["text", "Half of it."]]);
  assert.equal((await soon(done)).answer, "Half of it.");
}

/** What needs more memory than there is. */
const LARGE = "x".repeat(8_000_000);
const TRAPS = {
  "in a task, by what a run reads": (runs) => runs[0].upstream.say([{ type: "text", delta: LARGE }]),
  "in a call that begins a run": async () => assert.deepEqual(lost(await soon(respond("", { thread: LARGE }).done)), INSTANCE_LOST),
  "in a call that asks for one": () => assert.rejects(soon(replay({ store: memory(), thread: LARGE, run: "r" }).response.text()), { code: "instance_lost" }),
  "in a filter": () => assert.throws(() => new OutputFilter().push(LARGE), { code: "instance_lost" }),
};

for (const [where, trap] of Object.entries(TRAPS)) {
  test(`a trap ${where}: every run under way is told, and the next one works`, async () => {
    const runs = WIRES.map((to) => begun(to));
    const waits = turn();
    const client = respond(waits.body, { from: "signals", to: "ui-stream", lease: 1000, limits });
    const shown = readByClient(client.response);
    await sleep(50);
    exhaust();
    await trap(runs);
    for (const { to, run, thread, done, read, upstream } of runs) {
      const outcome = await soon(done);
      assert.deepEqual([outcome.run, outcome.thread, lost(outcome)], [run, thread, INSTANCE_LOST], to);
      assert.deepEqual(await soon(read), { code: "instance_lost" }, `${to}: it does not end as if all had been said`);
      assert.equal(upstream.cancelled, 1, `${to}: its upstream is let go`);
    }
    const { said, errors } = await soon(shown);
    assert.deepEqual([said, errors.length], [[], 1]);
    await assertNextWorks();
    // What the instance that is gone had waited for: its timers, and answers of stores.
    await sleep(60);
  });
}

describe("a trap, and who comes later", () => {
  test("a run in a store that lasts is sealed, and never executed again", async (t) => {
    const folder = await stateFolder();
    t.after(() => removeFolder(folder));
    const name = { store: fileSystem(folder), thread: "thread-1", run: "run-1" };
    const { done, upstream } = begun("ag-ui", name);
    await sleep(50);
    exhaust();
    upstream.say([{ type: "text", delta: LARGE }]);
    assert.deepEqual(lost(await soon(done)), INSTANCE_LOST);

    const later = replay({ ...name, lease: 1000, to: "ui-stream" });
    const { said, errors } = await soon(readByClient(later.response));
    const { status, failure, answer } = await soon(later.done);
    assert.deepEqual([said, errors.length], [[], 1]);
    assert.deepEqual([status, failure.code, answer], ["failed", "worker_lost", undefined]);
    const again = turn();
    assert.equal((await soon(respond(again.body, { from: "signals", ...name }).done)).failure.code, "worker_lost");
    assert.equal(again.cancelled, 1, "nothing of it is read");
  });

  test("a handler's streams say so on their own wire", async () => {
    const upstreams = [];
    const upstream = () => (upstreams.push(turn()), upstreams.at(-1).body);
    const handler = createHandler({ dev: true, from: "signals", heartbeat: 1000, lease: 1000, limits, upstream });
    const post = (path, body) =>
      handler(new Request(`http://test${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }));
    const messages = [{ id: "m", role: "user", content: "Well?" }];
    const agUi = (run) => post("/agui", { threadId: run, runId: run, messages, tools: [], context: [], state: {} });
    const chat = { model: "m", messages };

    const responses = [await agUi("run-1"), await post("/v1/chat/completions", { ...chat, stream: true }), await post("/v1/chat/completions", chat)];
    const bodies = responses.map((response) => response.text());
    await sleep(50);
    exhaust();
    upstreams[0].say([{ type: "text", delta: LARGE }]);
    const [streamed, completions, whole] = await soon(Promise.all(bodies));
    assert.match(streamed.trimEnd().split("\n\n").at(-1), /^data: \{"type":"RUN_ERROR".*"code":"stream_interrupted"/);
    assert.match(completions.trimEnd().split("\n\n").at(-1), /^data: \{"error":.*"code":"stream_interrupted"/);
    assert.equal(JSON.parse(whole).error.code, "stream_interrupted");
    for (const body of [streamed, completions, whole]) assert.ok(!body.includes("Half"));
    assert.deepEqual(upstreams.map(({ cancelled }) => cancelled), [1, 1, 1]);

    const next = await agUi("run-2");
    const text = next.text();
    upstreams.at(-1).say(REST);
    assert.match(await soon(text), /"type":"RUN_FINISHED"/);
  });
});
