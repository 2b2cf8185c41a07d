// The continuous stream of a thread: it goes on across runs, and says so when it must end.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EventSource } from "eventsource";
import { eventually, open, pool, whole } from "./lib/http.mjs";
import { assertWire, frameBytes } from "./lib/sse.mjs";
import { ACME, as, browserToken, GLOBEX, OPERATOR, TOKENS } from "./lib/tokens.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, sharedWorker, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" }));
after(() => upstream.stop());

const ENDS = ["task_completed", "task_failed", "task_cancelled"];
const isEnd = ({ json }) => ENDS.includes(json.type);
const ended = (count) => ({ frames }) => frames.filter(isEnd).length >= count;
const upTo = (id) => ({ frames }) => frames.at(-1)?.id === id;

/** A run that answers. */
async function answered(thread, pieces = ["All", " is", " well."]) {
  const input = runInput({ thread, text: fresh("answers") });
  upstream.on(input.messages[0].content, async (call) => {
    await call.writeAll(chat(pieces, { reasoning: ["Well", " then"] }), 5);
    await call.end();
  });
  await (await worker.post(input)).end();
  return input.runId;
}

/** A run that breaks off in the middle of its message. */
async function failed(thread) {
  const input = runInput({ thread, text: fresh("breaks") });
  upstream.on(input.messages[0].content, async (call) => {
    await call.writeAll(chat(["Half of", " what"]).slice(0, 2));
    call.destroy();
  });
  await (await worker.post(input)).end();
  return input.runId;
}

/** A run that talks until it is cancelled. */
async function cancelled(thread) {
  const input = runInput({ thread, text: fresh("endless") });
  upstream.on(input.messages[0].content, async (call) => {
    while (await call.write(chat(["chatter "])[0])) await sleep(20);
  });
  const customer = await worker.post(input);
  await eventually(() => upstream.callsOf(input.messages[0].content)[0]?.writes > 5, "some chatter");
  await worker.cancel(input.runId);
  await customer.end();
  return input.runId;
}

/** A thread with runs of every end, and who followed it from before the first: by view. */
async function lived() {
  const thread = fresh("thread");
  const live = { customer: await worker.follow(thread), operator: await worker.follow(thread, { view: "operator" }) };
  const runs = [];
  for (const run of [answered, failed, cancelled, answered]) runs.push(await run(thread));
  await Promise.all(Object.values(live).map((exchange) => exchange.until(ended(4), "four ends")));
  return { thread, live, runs };
}

let sample;
/** Such a thread, one for all tests that only read it. */
const shared = () => (sample ??= lived());

/** All that the runs' own streams hold, with the runs' ordinals before the ids. */
async function ownStreams(runs, view) {
  const all = [];
  for (const [index, run] of runs.entries()) {
    const { frames } = await (await worker.events(run, { view })).end();
    all.push(...frames.map((frame) => String(frame.raw).replace(/^id: /, `id: ${index + 1}-`)));
  }
  return all.join("");
}

describe("a thread's stream", { concurrency: 4 }, () => {
  for (const view of ["customer", "operator"]) {
    test(`goes on across runs, however they end: ${view}`, async () => {
      const { live, runs } = await shared();
      const { frames } = live[view];
      assertWire(frames);
      assert.deepEqual(frames.filter(isEnd).map(({ json }) => json.type), [...ENDS, "task_completed"]);
      assert.deepEqual([...new Set(frames.map(({ json }) => json.meta.run))], runs);
      assert.equal(frameBytes(frames), await ownStreams(runs, view));
      assert.equal(live[view].closed, undefined, "and is still open");
    });

    test(`behind each event comes exactly the rest, by header and by query: ${view}`, async () => {
      const { live, thread } = await shared();
      const { frames } = live[view];
      const last = frames.at(-1).id;
      await pool([...frames.entries()].slice(0, -1), 8, async ([index, { id }]) => {
        for (const open of [() => worker.follow(thread, { view }, id), () => worker.follow(thread, { view, after: id })]) {
          const tail = await open();
          await tail.until(upTo(last), `the rest behind ${id}`);
          assert.equal(frameBytes(tail.frames), frameBytes(frames.slice(index + 1)), `behind ${id}`);
          tail.leave();
        }
      });
    });
  }

  test("?types= leaves the named ones alone", async () => {
    const { live, thread } = await shared();
    for (const types of [["content"], ["task_failed", "task_started"], ["intermediate", "task_cancelled"]]) {
      const wanted = live.operator.frames.filter(({ json }) => types.includes(json.type));
      const filtered = await worker.follow(thread, { view: "operator", types: types.join() });
      await filtered.until(upTo(wanted.at(-1).id), "the last of them");
      assert.equal(frameBytes(filtered.frames), frameBytes(wanted));
      filtered.leave();
    }
  });

  test("a thread that had no run yet is an empty one; ?after=latest is what comes from now on", async () => {
    const thread = fresh("thread");
    const early = await worker.follow(thread);
    assert.equal(early.status, 200);
    await early.until((exchange) => exchange.sse.comments >= 2, "heartbeats");
    assert.deepEqual(early.frames, []);
    const first = await answered(thread);
    const latest = await worker.follow(thread, { after: "latest" });
    await latest.until((exchange) => exchange.sse.comments >= 1, "the first byte");
    const second = await answered(thread);
    await Promise.all([early.until(ended(2), "both runs"), latest.until(ended(1), "the second")]);
    assert.deepEqual(latest.frames.map(({ json }) => json.meta.run), Array(latest.frames.length).fill(second));
    assert.equal(frameBytes(latest.frames), frameBytes(early.frames.filter(({ json }) => json.meta.run !== first)));
  });

  test("a cursor that the thread never came to is told as such, and one that is none is refused", async () => {
    const { thread } = await shared();
    for (const cursor of ["4-5000", "5-1", "9-0"]) {
      const { frames } = await (await worker.follow(thread, {}, cursor)).end();
      assert.deepEqual(frames.map(({ json }) => [json.type, json.code]), [["stream_end", "bad_cursor"]], cursor);
    }
    for (const cursor of ["5", "0-1", "x-1", "1-1.0"]) {
      const refused = await (await worker.follow(thread, {}, cursor)).end();
      assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [400, "bad_cursor"], cursor);
    }
  });

  test("who follows is a reader of whichever run is at work, until he leaves", async () => {
    const thread = fresh("thread");
    const revisionOf = async (run) => (await worker.record(run)).json.revision;
    /** A run that talks for about a second. */
    const slow = () => answered(thread, Array(150).fill("word "));
    const alone = await revisionOf(await slow());
    const follower = await worker.follow(thread, { view: "operator", after: "latest" });
    const watched = await revisionOf(await slow());
    follower.leave();
    await sleep(200);
    const again = await revisionOf(await slow());
    assert.ok(watched > 2 * alone, `watched ${watched} times, alone ${alone}`);
    assert.ok(again < watched / 2, `watched ${watched} times, left ${again}`);
  });
});

test("a real EventSource goes on across runs and reconnects by itself", async (t) => {
  const folder = await stateFolder();
  const own = await new Worker().start({ LASTWORD_STREAM: "1" }, folder);
  t.after(() => own.stop().then(() => removeFolder(folder)));
  const thread = fresh("thread");
  const source = new EventSource(`${own.url}/v1/threads/${thread}/events`);
  t.after(() => source.close());
  const [events, ends] = [[], []];
  let opened = 0;
  source.onopen = () => (opened += 1);
  source.onmessage = ({ data, lastEventId }) => {
    const json = JSON.parse(data);
    if (json.type === "stream_end") ends.push(json);
    else events.push({ id: lastEventId, json });
  };
  const post = async () => (await own.post(runInput({ thread, model: "replay/multibyte-cuts" }))).end();
  for (let runs = 1; runs <= 4 || opened < 3; runs += 1) {
    await post();
    await eventually(() => events.filter(isEnd).length === runs, `the end of run ${runs}`);
  }
  const whole = await own.follow(thread);
  await whole.until(upTo(events.at(-1).id), "all");
  assert.deepEqual(events, whole.frames.filter(({ id }) => id).map(({ id, json }) => ({ id, json })));
  assert.ok(ends.length >= 2);
  for (const { code, meta } of ends) assert.deepEqual([code, meta], ["stream_limit", { thread }]);
});

test("the time limit of one stream is an event, in the middle of a run too, and no failure", async (t) => {
  const own = await new Worker().start(upstreamVars(upstream, { LASTWORD_STREAM: "1", LASTWORD_HEARTBEAT: "30" }));
  t.after(() => own.stop());
  const input = runInput({ text: fresh("endless") });
  upstream.on(input.messages[0].content, async (call) => {
    while (await call.write(chat(["chatter "])[0])) await sleep(20);
  });
  const quiet = await (await own.follow(fresh("thread"))).end();
  assert.deepEqual(quiet.frames.map(({ json }) => json.code), ["stream_limit"]);
  const customer = await own.post(input);
  const busy = await (await own.follow(input.threadId, { view: "operator" })).end();
  const last = busy.frames.at(-1);
  assert.equal(last.id, undefined);
  const message = "The stream has reached its time limit. Go on after its last event.";
  const meta = { thread: input.threadId };
  assert.deepEqual(last.json, { type: "stream_end", code: "stream_limit", message, meta });
  assert.ok(busy.frames.some(({ json }) => json.type === "intermediate"));
  assert.equal((await own.record(input.runId)).json.status, "started", "the run goes on");
  await own.cancel(input.runId);
  await customer.end();
  const rest = await own.follow(input.threadId, { view: "operator" }, busy.frames.at(-2).id);
  await rest.until(ended(1), "the rest");
  assert.deepEqual(own.logs, []);
});

test("a thread belongs to its scope and user, and the operator's view to the operator", async (t) => {
  const own = await new Worker().start({ ...TOKENS, LASTWORD_STREAM: "1" });
  t.after(() => own.stop());
  const input = runInput({ model: "replay/multibyte-cuts" });
  await (await open(`${own.url}/agui`, { method: "POST", body: input, headers: as(ACME) })).end();
  const path = `${own.url}/v1/threads/${input.threadId}/events`;
  const types = async (url, headers) => (await whole(url, { headers })).frames.map(({ json }) => json.type);
  assert.ok((await types(path, as(ACME))).includes("task_completed"));
  const token = browserToken({ thread: input.threadId });
  assert.ok((await types(`${path}?token=${token}`)).includes("task_completed"), "as an EventSource gives it");
  for (const other of [as(GLOBEX), as(browserToken({ user: "ann" })), as(ACME, { "lastword-user": "ann" })]) {
    assert.deepEqual(await types(path, other), ["stream_end"], "it is another thread");
  }
  assert.ok((await types(`${path}?view=operator`, as(OPERATOR, { "lastword-scope": "acme" }))).includes("decided"));
  const status = async (url, headers) => (await whole(url, { headers })).status;
  assert.equal(await status(`${path}?view=operator`, as(ACME)), 403);
  assert.equal(await status(path, as(browserToken({ thread: "another" }))), 403);
  assert.equal(await status(path), 401);
});
