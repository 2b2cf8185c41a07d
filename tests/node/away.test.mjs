// What a thread does while the platform sets it no alarm, and while the objects beside it fail, or never answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alarmsOf } from "./lib/disk.mjs";
import { eventually, whole } from "./lib/http.mjs";
import { removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

/**
 * A `prelude` for `serve`. The header `x-fail: what=times` of a request lets as many calls of a kind fail from then on:
 * `alarm`, each that sets one; `index`, each query of an object of the index; `silence`, each sync of such an object, which
 * never comes to an end. `x-fail` alone tells how many are left.
 */
const AWAY = `
  const Instance = WebAssembly.Instance;
  const left = { alarm: 0, index: 0, silence: 0 };
  const fails = (what) => left[what] > 0 && (left[what] -= 1, true);
  const ofIndex = new WeakSet();
  let patched = false;
  const watch = ({ storage }, isIndex) => {
    if (isIndex) ofIndex.add(storage).add(storage.sql);
    if (patched) return;
    patched = true;
    const proto = Object.getPrototypeOf(storage);
    const { setAlarm, sync } = proto;
    const queries = Object.getPrototypeOf(storage.sql);
    const { exec } = queries;
    queries.exec = function (...args) {
      if (ofIndex.has(this) && fails("index")) throw new Error("away");
      return exec.apply(this, args);
    };
    proto.setAlarm = function (...args) {
      if (fails("alarm")) throw new Error("no alarm");
      return setAlarm.apply(this, args);
    };
    proto.sync = function () {
      return ofIndex.has(this) && fails("silence") ? new Promise(() => {}) : sync.call(this);
    };
  };
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const fetch = (request, ...rest) => {
      const asked = request.headers.get("x-fail");
      if (asked === null) return exports.fetch(request, ...rest);
      const [what, times] = asked.split("=");
      if (what) left[what] = Number(times);
      return Promise.resolve(Response.json(left));
    };
    const made = (name) => (state, env) => (watch(state, name.startsWith("index")), exports[name](state, env));
    const objects = { threadobject_new: made("threadobject_new"), indexobject_new: made("indexobject_new") };
    return { exports: { ...exports, fetch, ...objects } };
  };
`;

async function serving(t) {
  const folder = await stateFolder();
  const worker = await new Worker().start({}, folder, { prelude: AWAY });
  t.after(() => worker.stop().then(() => removeFolder(folder)));
  const fail = async (what = "") => JSON.parse((await whole(`${worker.url}/health`, { headers: { "x-fail": what } })).text);
  return { worker, folder, fail };
}

const code = ({ text }) => JSON.parse(text).error.code;

describe("while the platform", { concurrency: true }, () => {
  test("sets an alarm only at the third try, no run is under way without one", async (t) => {
    const { worker, folder, fail } = await serving(t);
    await fail("alarm=2");
    const input = runInput({ model: "replay/long-answer" });
    const began = await worker.post(input);
    await began.until(({ frames }) => frames.length > 0);
    assert.equal(alarmsOf(folder, "ThreadObject").length, 1);
    assert.equal((await fail()).alarm, 0);
    assert.equal((await worker.cancel(input.runId)).json.status, "cancelled");
    await began.end();
    await eventually(() => alarmsOf(folder, "ThreadObject").length === 0, "the end of all alarms");
  });

  test("sets no alarm at all, no run begins, and the same one does once it does", async (t) => {
    const { worker, folder, fail } = await serving(t);
    await fail("alarm=1000000");
    const input = runInput({ model: "replay/empty-answer" });
    const refused = await (await worker.post(input)).end();
    assert.deepEqual([refused.status, code(refused)], [503, "store_unavailable"]);
    assert.equal((await worker.record(input.runId)).status, 404, "it has not begun");
    assert.ok(worker.logs.some((line) => line.includes("store_unavailable")));
    await fail("alarm=0");
    const { status, frames } = await (await worker.post(input)).end();
    assert.deepEqual([status, frames.at(-1).json.type], [200, "RUN_FINISHED"]);
    await eventually(() => alarmsOf(folder, "ThreadObject").length === 0, "the end of all alarms");
  });

  test("fails in the index, who asks is told nothing of it", async (t) => {
    const { worker, fail } = await serving(t);
    const input = runInput({ model: "replay/empty-answer" });
    await fail("index=2");
    assert.equal((await (await worker.post(input)).end()).status, 200);
    assert.equal((await fail("index=3")).index, 3);
    assert.equal((await worker.record(input.runId)).json.status, "succeeded");
    assert.equal((await fail("index=1000000")).index, 1000000);
    const refused = await whole(`${worker.url}/v1/runs/${input.runId}`);
    assert.deepEqual([refused.status, code(refused)], [503, "store_unavailable"]);
  });

  test("never answers for the index, the claim goes on, and is executed once", async (t) => {
    const { worker, fail } = await serving(t);
    const input = runInput({ model: "replay/narrated-refund" });
    await fail("silence=1");
    const [first, second] = await Promise.all([worker.post(input), worker.post(input)].map(async (posted) => (await posted).end()));
    assert.equal((await fail()).silence, 0);
    for (const { status, frames } of [first, second]) assert.deepEqual([status, frames.at(-1).json.type], [200, "RUN_FINISHED"]);
    assert.equal((await worker.record(input.runId)).json.status, "succeeded");
  });
});
