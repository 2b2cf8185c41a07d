// What a run costs on Durable Objects, by count: the README's table is held against it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { eventually } from "./lib/http.mjs";
import { costOf, METER } from "./lib/meter.mjs";
import { frameBytes } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

const DELTAS = 2000;

/** The README's table: by what is done, object requests, rows written, syncs and alarms. */
const TABLE = Object.fromEntries(
  readFileSync(inside("README.md"), "utf8")
    .split("## What a run costs")[1]
    .split("\n## ")[0]
    .split("\n")
    .filter((line) => /^\| .*\d/.test(line))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    .map(([what, ...counts]) => [what, counts.map(Number)]),
);

describe("what a run costs", () => {
  let [folder, worker] = [];
  const start = async () => (worker = await new Worker().start(upstreamVars(upstream), folder, { prelude: METER }));
  before(async () => {
    folder = await stateFolder();
    await start();
  });
  after(() => worker.stop().then(() => removeFolder(folder)));

  /** A run whose model says 2,000 deltas, so many of them in one write. */
  function talking({ together = DELTAS + 2, pause, thread } = {}) {
    const input = runInput({ text: fresh("talk"), thread });
    upstream.on(input.messages[0].content, async (call) => {
      const chunks = chat(Array(DELTAS).fill("word "));
      for (let at = 0; at < chunks.length; at += together) {
        await call.write(Buffer.concat(chunks.slice(at, at + together)));
        if (pause) await sleep(pause);
      }
      await call.end();
    });
    return input;
  }

  const play = async (input) => void (await (await worker.post(input)).end());

  /** A thread that has had a run, so that its table is there. */
  async function known() {
    const first = talking();
    await play(first);
    return first.threadId;
  }

  /** As the table has it. A run that took whole seconds here has committed so much oftener, by its own clock. */
  async function assertCost(what, { requests, rowsWritten, syncs, alarms }, run) {
    const seconds = run ? Math.floor((await spanOf(run)) / 1000) : 0;
    const late = Math.max(0, Math.min(seconds, syncs - TABLE[what][2]));
    assert.deepEqual([requests, rowsWritten - 2 * late, syncs - late, alarms], TABLE[what], what);
  }

  async function spanOf(run) {
    const { started_at, ended_at = started_at } = (await worker.record(run)).json;
    return ended_at - started_at;
  }

  test("a claim, and a run of 2,000 deltas that nobody watches: a handful of rows", async () => {
    const input = runInput({ text: fresh("silent"), thread: await known() });
    let go;
    const gate = new Promise((open) => (go = open));
    upstream.on(input.messages[0].content, async (call) => {
      await gate;
      await call.write(Buffer.concat(chat(Array(DELTAS).fill("word "))));
      await call.end();
    });
    let customer;
    const whole = await costOf(worker, async () => {
      const claim = await costOf(worker, async () => {
        customer = await worker.post(input);
        await eventually(() => upstream.callsOf(input.messages[0].content).length === 1, "the model is asked");
      });
      await assertCost("a claim: all before the model is asked", claim, undefined);
      go();
      await customer.end();
    });
    await assertCost("a run of 2,000 deltas, said at once", whole, input.runId);
  });

  test("while nobody watches, a commit a second; a customer alone changes nothing", async () => {
    const input = talking({ together: 20, pause: 25, thread: await known() });
    const { syncs, rowsWritten, alarms } = await costOf(worker, () => play(input));
    const [, rows, base] = TABLE["a run of 2,000 deltas, said at once"];
    const seconds = Math.floor((await spanOf(input.runId)) / 1000);
    assert.ok(seconds >= 2 && syncs > base && syncs <= base + seconds, `${syncs} syncs in ${seconds} s`);
    assert.equal(rowsWritten, rows + 2 * (syncs - base), "a segment and the head a commit");
    assert.equal(alarms, 2);
  });

  test("with an operator, one commit in 30 ms at most", async () => {
    const input = talking({ together: 20, pause: 25, thread: await known() });
    const { syncs, rowsWritten } = await costOf(worker, async () => {
      const customer = await worker.post(input);
      const operators = await Promise.all([1, 2, 3].map(() => worker.events(input.runId, { view: "operator" })));
      await Promise.all([customer, ...operators].map((reader) => reader.end()));
    });
    const [, rows, base] = TABLE["a run of 2,000 deltas, said at once"];
    const span = await spanOf(input.runId);
    assert.ok(syncs > base + span / 1000 && syncs <= base + span / 30, `${syncs} syncs in ${span} ms`);
    assert.equal(rowsWritten, rows + 2 * (syncs - base));
  });

  test("tools: a commit for each response that calls some", async () => {
    const input = runInput({ text: fresh("tools"), thread: await known() });
    const tool = (id) => ({ index: 0, id, type: "function", function: { name: "look_up", arguments: "{}" } });
    const calling = (id) => [{ delta: { tool_calls: [tool(id)] } }, { delta: {}, finish_reason: "tool_calls" }];
    upstream.on(input.messages[0].content, async (call) => {
      const rounds = call.body.messages.filter(({ role }) => role === "tool").length;
      const frames = calling(`call_${rounds}`).map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
      await call.write(rounds < 2 ? Buffer.from(frames.join("")) : Buffer.concat(chat(["Done."])));
      await call.end();
    });
    await assertCost("a run that calls tools in two responses", await costOf(worker, () => play(input)), input.runId);
  });

  test("a join, a replay and a record write nothing, and read each row once, also after a restart", async () => {
    const input = talking({ together: 20, pause: 15 });
    const customer = await worker.post(input);
    const operator = await (await worker.events(input.runId, { view: "operator" })).end();
    await customer.end();
    await worker.stop();
    await start();
    const replay = await costOf(worker, async () => {
      const again = await (await worker.events(input.runId, { view: "operator" })).end();
      assert.equal(frameBytes(again.frames), frameBytes(operator.frames));
    });
    await assertCost("a replay, or a record", replay);
    const segments = Object.entries(replay.reads).filter(([key]) => key.includes("/public/journal/"));
    assert.ok(segments.length > 20, `${segments.length} segments`);
    assert.deepEqual(Object.entries(replay.reads).filter(([, times]) => times !== 1), [], "each value once");
    await assertCost("a replay, or a record", await costOf(worker, () => worker.record(input.runId)));
    await assertCost("a join: the same run posted again", await costOf(worker, () => play(input)));
    const last = operator.frames.at(-1).id;
    const left = await costOf(worker, async () => assert.equal((await (await worker.join(input.runId, last)).end()).status, 204));
    assert.deepEqual(left.rowsRead, 2, "the index and the head");
  });
});
