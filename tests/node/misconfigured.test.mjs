// A configuration that is wrong says so, and what ran before it can still be read and ended.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alarmsOf } from "./lib/disk.mjs";
import { eventually } from "./lib/http.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

let folder;
before(async () => (folder = await stateFolder()));
after(() => removeFolder(folder));

test("a default model that is not on offer stops new runs alone", async () => {
  const [thread, lost] = [fresh("thread"), fresh("run")];
  const good = await new Worker().start({}, folder);
  const input = runInput({ run: lost, thread, model: "replay/long-answer" });
  await (await good.post(input)).until(({ frames }) => frames.length > 0);
  await good.kill();

  const bad = await new Worker().start({ LASTWORD_MODEL: "replay/nothing" }, folder);
  try {
    assert.equal((await bad.record(lost)).json.failure.code, "worker_lost", "recovery needs no model, and is over once it answers");
    const refused = await (await bad.post(runInput({ thread }))).end();
    assert.equal(refused.status, 400);
    assert.equal(JSON.parse(refused.text).error.code, "unknown_model");
    const named = runInput({ thread, model: "replay/empty-answer" });
    assert.equal((await (await bad.post(named)).end()).status, 200);
    assert.equal((await bad.ended(named.runId)).status, "succeeded");
  } finally {
    await bad.stop();
  }
});

test("a variable that is not valid is named, and nobody is served", async () => {
  const worker = await new Worker().start({ LASTWORD_HEARTBEAT: "soon" }, folder);
  try {
    const refused = await (await worker.post(runInput())).end();
    assert.equal(refused.status, 503);
    const { error } = JSON.parse(refused.text);
    assert.equal(error.code, "not_configured");
    assert.match(error.message, /LASTWORD_HEARTBEAT/);
  } finally {
    await worker.stop();
  }
});

test("an alarm that finds a variable that is not valid comes again", async (t) => {
  const own = await stateFolder();
  const good = await new Worker().start({ LASTWORD_RETENTION: "2" }, own);
  assert.equal((await (await good.post(runInput({ model: "replay/empty-answer" }))).end()).status, 200);
  const [first] = await eventually(() => alarmsOf(own, "ThreadObject").length === 1 && alarmsOf(own, "ThreadObject"), "the alarm");
  await good.kill();
  const bad = await new Worker().start({ LASTWORD_RETENTION: "soon" }, own);
  t.after(() => bad.stop().then(() => removeFolder(own)));
  const isLater = ([alarm]) => alarm !== undefined && BigInt(alarm) > BigInt(first);
  await eventually(() => isLater(alarmsOf(own, "ThreadObject")), "an alarm after that one");
});
