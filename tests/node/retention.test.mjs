// How long what has ended is kept: what goes by itself, what a client deletes, and what is left of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alarmsOf, keysOf, stored } from "./lib/disk.mjs";
import { eventually, open, whole } from "./lib/http.mjs";
import { ACME, as, browserToken, GLOBEX, OPERATOR, TOKENS } from "./lib/tokens.mjs";
import { fresh, removeFolder, runInput, sharedWorker, stateFolder, Worker } from "./lib/worker.mjs";

const path = (kind, id) => `/v1/${kind}/${encodeURIComponent(id)}`;
const remove = (worker, kind, id, headers = {}) => whole(`${worker.url}${path(kind, id)}`, { method: "DELETE", headers });
const told = ({ status, text }) => [status, JSON.parse(text).error.code];

/** A Worker on a folder of its own, and what it holds there. */
async function onDisk(t, vars) {
  const folder = await stateFolder();
  const setup = { folder, worker: await new Worker().start(vars, folder) };
  setup.restart = async () => {
    await setup.worker.kill();
    setup.worker = await new Worker().start(vars, folder);
  };
  t.after(() => setup.worker.stop().then(() => removeFolder(folder)));
  return setup;
}

/** Runs to the end. */
async function ran(worker, { model = "replay/empty-answer", headers, ...rest }) {
  const input = runInput({ model, ...rest });
  const { status, frames } = await (await worker.post(input, headers)).end();
  assert.equal(status, 200);
  assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
  return input;
}

/** Nothing is left of these runs but that they were there, and no alarm. */
async function assertGone({ folder, worker }, inputs) {
  await eventually(() => alarmsOf(folder, "ThreadObject").length === 0, "the end of all alarms");
  assert.deepEqual(
    keysOf(folder, "ThreadObject").sort(),
    [...new Set(inputs.map(({ threadId }) => `1/dev/${threadId}/!active`))].sort(),
  );
  const tombstones = stored(folder, "").map(([, value]) => JSON.parse(value));
  assert.deepEqual(keysOf(folder, "IndexObject"), inputs.map(() => ""), "an index entry each, and nothing in the list");
  for (const { deleted_at: at, ...rest } of tombstones) {
    assert.ok(at > 0);
    assert.deepEqual(rest, { v: 1, run: "", thread: "", fingerprint: "" });
  }
  for (const { threadId } of inputs) {
    const [[, entry]] = stored(folder, `1/dev/${threadId}/!active`);
    assert.deepEqual([JSON.parse(entry).run, JSON.parse(entry).thread], ["", ""]);
  }
  for (const input of inputs) await assertDeleted(worker, input);
  assert.deepEqual(JSON.parse((await whole(`${worker.url}/v1/runs`)).text), { runs: [], next: null });
}

/** Whoever names the run is told that it was deleted, in every way. */
async function assertDeleted(worker, input, headers = {}) {
  const run = encodeURIComponent(input.runId);
  const ways = [
    ["GET", `/v1/runs/${run}`],
    ["GET", `/v1/runs/${run}/events`],
    ["GET", `/agui/runs/${run}`],
    ["POST", `/v1/runs/${run}/cancel`],
    ["POST", "/agui", input],
    ["POST", "/agui", { ...input, threadId: fresh("thread") }],
  ];
  for (const [method, way, body] of ways) {
    const reply = await whole(`${worker.url}${way}`, { method, body, headers });
    assert.deepEqual(told(reply), [410, "run_deleted"], `${method} ${way}`);
  }
  assert.equal((await remove(worker, "runs", input.runId, headers)).status, 204, "it is as it was asked to be");
}

describe("what has been kept long enough", { concurrency: true }, () => {
  test("goes by the alarm alone, with all its rows, and then there is no alarm", async (t) => {
    const setup = await onDisk(t, { LASTWORD_RETENTION: "2" });
    const [one, two] = [fresh("thread"), fresh("thread")];
    const inputs = [];
    for (const thread of [one, two, one, one]) inputs.push(await ran(setup.worker, { thread }));
    assert.ok(keysOf(setup.folder, "ThreadObject").length > 12);
    assert.equal(alarmsOf(setup.folder, "ThreadObject").length, 2, "one for each object");
    await eventually(() => keysOf(setup.folder, "ThreadObject").length === 2, "all that goes");
    await assertGone(setup, inputs);
    await setup.restart();
    await assertGone(setup, inputs);
    // The thread goes on, and no ordinal comes again.
    const next = await ran(setup.worker, { thread: one });
    const follow = await setup.worker.follow(one);
    await follow.until(({ frames }) => frames.some(({ json }) => json.type === "task_completed"));
    follow.leave();
    const ids = follow.frames.map(({ id }) => id).filter(Boolean);
    assert.ok(ids.length > 0 && ids.every((id) => id.startsWith("4-")), ids.join());
    await eventually(() => keysOf(setup.folder, "ThreadObject").length === 2, "that it goes too");
    await assertGone(setup, [...inputs, next]);
  });

  test("goes although its instance is lost before", async (t) => {
    const setup = await onDisk(t, { LASTWORD_RETENTION: "3" });
    const inputs = [await ran(setup.worker, {}), await ran(setup.worker, {})];
    await setup.restart();
    assert.equal((await setup.worker.record(inputs[0].runId)).status, 200);
    await eventually(() => keysOf(setup.folder, "ThreadObject").length === 2, "all that goes");
    await assertGone(setup, inputs);
  });

  test("goes one by one, while the thread goes on", async (t) => {
    const { worker, folder } = await onDisk(t, { LASTWORD_RETENTION: "2" });
    const thread = fresh("thread");
    const first = await ran(worker, { thread });
    const follow = await worker.follow(thread, { after: "latest" });
    const later = [];
    const last = runInput({ thread, model: "replay/long-answer" });
    while ((await worker.record(first.runId)).status === 200) {
      later.push(await ran(worker, { thread }));
      await new Promise((done) => setTimeout(done, 300));
    }
    const began = await worker.post(last);
    await began.until(({ frames }) => frames.length > 0);
    await new Promise((done) => setTimeout(done, 2500));
    assert.equal((await worker.record(last.runId)).json.status, "started", "longer at work than what has ended is kept");
    assert.equal((await worker.cancel(last.runId)).json.status, "cancelled");
    await began.end();
    await follow.until(({ frames }) => frames.filter(({ json }) => json.type === "task_completed").length === later.length);
    follow.leave();
    await eventually(() => keysOf(folder, "ThreadObject").length === 1, "the last of it");
  });

  test("is its private part alone, where that is to go sooner: then nobody can answer, and the thread goes on", async (t) => {
    const { worker, folder } = await onDisk(t, { LASTWORD_PRIVATE_RETENTION: "1" });
    const first = runInput({ model: "replay/approval" });
    const { frames } = await (await worker.post(first)).end();
    const { interrupts } = frames.at(-1).json.outcome;
    const isPrivate = (key) => key.includes("/private/");
    await eventually(() => !keysOf(folder, "ThreadObject").some(isPrivate), "the end of what is private");
    // The alarm goes once it is written down that this is gone.
    await eventually(() => alarmsOf(folder, "ThreadObject").length === 0, "nothing else that is to go");
    assert.equal((await worker.record(first.runId)).json.status, "interrupted");
    assert.equal((await (await worker.join(first.runId, "0")).end()).frames.at(-1).json.type, "RUN_FINISHED");
    const resume = interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
    const answer = { ...first, runId: fresh("run"), resume };
    const reply = await whole(`${worker.url}/agui`, { method: "POST", body: answer });
    assert.deepEqual(told(reply), [409, "interrupt_expired"]);
    await ran(worker, { thread: first.threadId });
  });

  test("is nothing by default", async (t) => {
    const { worker, folder } = await onDisk(t, {});
    const { runId } = await ran(worker, { model: "replay/narrated-refund" });
    await eventually(() => alarmsOf(folder, "ThreadObject").length === 0, "the end of all alarms");
    assert.equal((await worker.record(runId)).status, 200);
  });
});

describe("what a client deletes", { concurrency: true }, () => {
  const worker = sharedWorker();

  test("is gone at once, with all its rows, and stays so after a restart", async (t) => {
    const setup = await onDisk(t, {});
    const [thread, other] = [fresh("thread"), fresh("thread")];
    const inputs = [];
    for (let run = 0; run < 3; run += 1) inputs.push(await ran(setup.worker, { thread, model: "replay/narrated-refund" }));
    inputs.push(await ran(setup.worker, { thread: other }));
    const [first, second, third, last] = inputs;
    const under = (input) => keysOf(setup.folder, "ThreadObject").filter((key) => key.includes(`/${input.runId}/`));
    assert.ok(under(second).length > 2);
    assert.equal((await remove(setup.worker, "runs", second.runId)).status, 204);
    assert.deepEqual(under(second), []);
    await assertDeleted(setup.worker, second);
    for (const input of [first, third]) assert.equal((await setup.worker.record(input.runId)).status, 200);
    const { frames } = await (await setup.worker.post(first, { "last-event-id": "0" })).end();
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED", "the others are replayed");
    for (let again = 0; again < 2; again += 1) assert.equal((await remove(setup.worker, "threads", thread)).status, 204);
    assert.equal((await remove(setup.worker, "runs", last.runId)).status, 204);
    await setup.restart();
    assert.equal((await remove(setup.worker, "threads", other)).status, 204);
    await assertGone(setup, inputs);
  });

  test("has ended: a run under way is refused, and its thread too", async () => {
    const input = runInput({ model: "replay/long-answer" });
    const began = await worker.post(input);
    await began.until(({ frames }) => frames.length > 0);
    assert.deepEqual(told(await remove(worker, "runs", input.runId)), [409, "run_active"]);
    assert.deepEqual(told(await remove(worker, "threads", input.threadId)), [409, "run_active"]);
    assert.equal((await worker.cancel(input.runId)).json.status, "cancelled");
    await began.end();
    assert.equal((await remove(worker, "runs", input.runId)).status, 204);
    await assertDeleted(worker, input);
  });

  test("was there: an unknown run is unknown, and a thread that never was is gone already", async () => {
    assert.deepEqual(told(await remove(worker, "runs", fresh("nobody"))), [404, "unknown_run"]);
    assert.equal((await remove(worker, "threads", fresh("nobody"))).status, 204);
    const { headers } = await whole(`${worker.url}/v1/runs/r`, { method: "OPTIONS" });
    assert.deepEqual([headers.allow, headers["access-control-allow-methods"]], ["GET, DELETE, OPTIONS", "GET, DELETE"]);
    const wrong = await whole(`${worker.url}/v1/threads/t`);
    assert.deepEqual([...told(wrong), wrong.headers.allow], [405, "method_not_allowed", "DELETE, OPTIONS"]);
  });

  test("may have any id", async () => {
    for (const run of ["a/b", "..", "line\nbreak", "\u{1F600}", "x".repeat(4096), "!active", "head"].map((id) => id + fresh(""))) {
      const messages = [{ id: "q", role: "user", content: "Hello?" }];
      const input = await ran(worker, { run: run.slice(-4096), thread: `t/${run.slice(-4000)}`, messages });
      assert.equal((await remove(worker, "runs", input.runId)).status, 204);
      await assertDeleted(worker, input);
      assert.equal((await remove(worker, "threads", input.threadId)).status, 204);
    }
  });

  test("is an open question: the thread is then free, and nobody can answer", async () => {
    const first = runInput({ model: "replay/approval" });
    const { frames } = await (await worker.post(first)).end();
    const resume = frames.at(-1).json.outcome.interrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" }));
    assert.equal((await remove(worker, "runs", first.runId)).status, 204);
    const late = await whole(`${worker.url}/agui`, { method: "POST", body: { ...first, runId: fresh("run"), resume } });
    assert.deepEqual(told(late), [409, "interrupt_not_open"]);
    await ran(worker, { thread: first.threadId });
  });

  test("is passed over by whoever follows the thread, and one who waits goes on with what comes", async () => {
    const thread = fresh("thread");
    const [, second] = [await ran(worker, { thread }), await ran(worker, { thread }), await ran(worker, { thread })];
    const waiting = await worker.follow(thread);
    await waiting.until(({ frames }) => frames.filter(({ json }) => json.type === "task_completed").length === 3);
    assert.equal((await remove(worker, "runs", second.runId)).status, 204);
    const late = await worker.follow(thread);
    await late.until(({ frames }) => frames.filter(({ json }) => json.type === "task_completed").length === 2);
    assert.equal((await remove(worker, "threads", thread)).status, 204);
    const next = await ran(worker, { thread });
    for (const reader of [waiting, late]) {
      await reader.until(({ frames }) => frames.some(({ json }) => json.type === "task_completed" && json.meta.run === next.runId));
      const ordinals = new Set(reader.frames.filter(({ id }) => id).map(({ id }) => id.split("-")[0]));
      assert.deepEqual([...ordinals], reader === waiting ? ["1", "2", "3", "4"] : ["1", "3", "4"]);
      reader.leave();
    }
  });

  test("is asked for by many at once", async () => {
    const input = await ran(worker, {});
    const asked = Array.from({ length: 12 }, (_, at) =>
      at % 3 === 0 ? remove(worker, "threads", input.threadId)
      : at % 3 === 1 ? remove(worker, "runs", input.runId)
      : whole(`${worker.url}/agui`, { method: "POST", body: input }),
    );
    for (const { status } of await Promise.all(asked)) assert.ok([200, 204, 404, 410].includes(status), `${status}`);
    await assertDeleted(worker, input);
  });
});

describe("who may delete", { concurrency: true }, () => {
  const worker = sharedWorker(TOKENS);
  const of = (headers) => ran(worker, { headers });
  const bearer = (token, more) => as(token, more);

  test("is whoever may read, but no browser", async () => {
    const ann = { "lastword-user": "ann" };
    const input = await of(bearer(ACME, ann));
    for (const headers of [bearer(ACME), bearer(GLOBEX, ann), bearer(ACME, { "lastword-user": "bob" })]) {
      assert.deepEqual(told(await remove(worker, "runs", input.runId, headers)), [404, "unknown_run"]);
      assert.equal((await remove(worker, "threads", input.threadId, headers)).status, 204, "another thread of that name");
    }
    for (const claims of [{ user: "ann" }, { user: "ann", thread: input.threadId }, { user: "ann", thread: "other" }]) {
      for (const [kind, id] of [["runs", input.runId], ["threads", input.threadId]]) {
        assert.deepEqual(told(await remove(worker, kind, id, bearer(browserToken(claims)))), [403, "forbidden"]);
      }
    }
    assert.deepEqual(told(await remove(worker, "runs", input.runId)), [401, "unauthorized"]);
    const reply = await whole(`${worker.url}/v1/runs/${input.runId}`, { headers: bearer(ACME, ann) });
    assert.equal(reply.status, 200, "it is still there");
    assert.equal((await remove(worker, "runs", input.runId, bearer(ACME, ann))).status, 204);
    await assertDeleted(worker, input, bearer(ACME, ann));
  });

  test("is an operator, who names scope and user", async () => {
    const [headers, operator] = [bearer(ACME, { "lastword-user": "eve" }), bearer(OPERATOR, { "lastword-scope": "acme" })];
    const input = await of(headers);
    assert.deepEqual(told(await remove(worker, "runs", input.runId, operator)), [404, "unknown_run"]);
    assert.equal((await remove(worker, "runs", input.runId, { ...operator, "lastword-user": "eve" })).status, 204);
    await assertDeleted(worker, input, headers);
    const opened = await open(`${worker.url}/v1/threads/${input.threadId}/events`, { headers });
    assert.equal(opened.status, 200);
    opened.leave();
  });
});
