// The list of runs: whose they are, in which order, and how a page is continued.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pool, whole } from "./lib/http.mjs";
import { ACME, as, browserToken, GLOBEX, OPERATOR, TOKENS } from "./lib/tokens.mjs";
import { fresh, removeFolder, runInput, sharedWorker, stateFolder, Worker } from "./lib/worker.mjs";

const worker = sharedWorker(TOKENS);

/** Headers of an end user that no other test has. */
const somebody = () => as(ACME, { "lastword-user": fresh("user") });

/** Runs to the end, or as far as `until`. */
async function ran(headers, { model = "replay/empty-answer", until, ...rest } = {}) {
  const input = runInput({ model, ...rest });
  const began = await worker.post(input, headers);
  assert.equal(began.status, 200);
  if (!until) await began.end();
  else await began.until(until);
  return { ...input, began };
}

async function page(headers, query = {}, on = worker) {
  const { status, text } = await whole(`${on.url}/v1/runs?${new URLSearchParams(query)}`, { headers });
  return { status, ...JSON.parse(text) };
}

/** All pages, one after the other. */
async function all(headers, query = {}, on = worker) {
  const runs = [];
  for (let next; next !== null; ) {
    const { status, error, ...got } = await page(headers, { ...query, ...(next && { after: next }) }, on);
    assert.equal(status, 200, JSON.stringify(error));
    assert.ok(got.runs.length <= Number(query.limit ?? 20));
    runs.push(...got.runs);
    next = got.next;
  }
  return runs;
}

const ids = (runs) => runs.map(({ run }) => run);

describe("the list of runs", { concurrency: true }, () => {
  test("holds each record, the newest first, and is cut into pages", async () => {
    const headers = somebody();
    assert.deepEqual(await page(headers), { status: 200, runs: [], next: null });
    const begun = [];
    for (let run = 0; run < 23; run += 1) begun.unshift((await ran(headers, run % 2 ? {} : { thread: "one" })).runId);
    for (const limit of ["1", "7", "22", "23", "100"]) assert.deepEqual(ids(await all(headers, { limit })), begun, limit);
    const first = await page(headers);
    assert.deepEqual([first.runs.length, typeof first.next], [20, "string"]);
    for (const record of first.runs.slice(0, 3)) {
      const { text } = await whole(`${worker.url}/v1/runs/${record.run}`, { headers });
      assert.deepEqual(record, JSON.parse(text));
    }
    assert.deepEqual((await page(headers, { limit: "23" })).next, null, "there is nothing behind the last");
    const one = await all(headers, { thread: "one", limit: "5" });
    assert.deepEqual([one.length, new Set(one.map(({ thread }) => thread))], [12, new Set(["one"])]);
    assert.deepEqual(await all(headers, { thread: "none" }), []);
  });

  test("is not moved by what begins and goes meanwhile", async () => {
    const headers = somebody();
    const begun = [];
    for (let run = 0; run < 6; run += 1) begun.unshift((await ran(headers)).runId);
    const first = await page(headers, { limit: "2" });
    await ran(headers);
    for (const run of [begun[1], begun[3]]) {
      assert.equal((await whole(`${worker.url}/v1/runs/${run}`, { method: "DELETE", headers })).status, 204);
    }
    const rest = await page(headers, { limit: "9", after: first.next });
    assert.deepEqual([ids(first.runs), ids(rest.runs), rest.next], [begun.slice(0, 2), [begun[2], ...begun.slice(4)], null]);
  });

  test("tells how a run stands now", async () => {
    const headers = somebody();
    const { runId, began } = await ran(headers, { model: "replay/long-answer", until: ({ frames }) => frames.length > 0 });
    const [live] = (await page(headers)).runs;
    assert.deepEqual([live.run, live.status], [runId, "started"]);
    await whole(`${worker.url}/v1/runs/${runId}/cancel`, { method: "POST", headers });
    await began.end();
    const [ended] = (await page(headers)).runs;
    assert.deepEqual([ended.run, ended.status], [runId, "cancelled"]);
    assert.ok(ended.ended_at >= ended.started_at);
  });

  test("has each run once, however often and by how many it was asked for", async () => {
    const headers = somebody();
    const inputs = Array.from({ length: 8 }, () => runInput({ model: "replay/empty-answer" }));
    const asked = inputs.flatMap((input) => [input, input, { ...input, messages: [{ id: "o", role: "user", content: "Other" }] }]);
    await pool(asked, 12, async (input) => (await worker.post(input, headers)).end());
    const listed = await all(headers, { limit: "3" });
    assert.deepEqual(ids(listed).sort(), inputs.map(({ runId }) => runId).sort());
    const { text } = await whole(`${worker.url}/agui`, { method: "POST", headers, body: { ...inputs[0], threadId: "other" } });
    assert.equal(JSON.parse(text).error.code, "run_conflict");
    assert.deepEqual(await all(headers, { limit: "3" }), listed, "a refused claim leaves nothing in it");
  });

  test("is the caller's own", async () => {
    const user = fresh("user");
    const [ann, globex] = [as(ACME, { "lastword-user": user }), as(GLOBEX, { "lastword-user": user })];
    const { runId, threadId } = await ran(ann);
    await ran(ann);
    await ran(globex, { run: runId, thread: threadId });
    assert.equal((await all(ann)).length, 2);
    assert.deepEqual(ids(await all(globex)), [runId]);
    assert.ok(!ids(await all(as(ACME))).includes(runId));
    const operator = as(OPERATOR, { "lastword-scope": "acme", "lastword-user": user });
    assert.equal((await all(operator)).length, 2);
    assert.equal((await page({})).error.code, "unauthorized");

    const browser = (claims) => as(browserToken({ user, ...claims }));
    assert.equal((await all(browser({}))).length, 2);
    assert.deepEqual(ids(await all(browser({ thread: threadId }))), [runId], "a token of one thread sees that one's");
    assert.deepEqual(ids(await all(browser({ thread: threadId }), { thread: threadId })), [runId]);
    const forbidden = await page(browser({ thread: threadId }), { thread: "other" });
    assert.deepEqual([forbidden.status, forbidden.error.code], [403, "forbidden"]);
    const query = await page({}, { token: browserToken({ user }) });
    assert.equal(query.error.code, "unauthorized", "an address is no place for a token where a header can be set");
  });

  test("refuses what is no limit and no cursor", async () => {
    const headers = somebody();
    for (const limit of ["0", "101", "-1", "x", ""]) assert.equal((await page(headers, { limit })).error.code, "invalid_input");
    for (const after of ["x", "../head", "0000000000000000-a/b"]) {
      assert.equal((await page(headers, { after })).error.code, "bad_cursor");
    }
    const [, text] = [0, (await whole(`${worker.url}/v1/runs`, { method: "POST", headers, body: {} })).text];
    assert.equal(JSON.parse(text).error.code, "method_not_allowed");
  });

  test("keeps ids of every kind", async () => {
    const headers = somebody();
    const runs = ["a/b", "..", "line\nbreak", "\u{1F600}", "!list", "x".repeat(4096)];
    const messages = [{ id: "q", role: "user", content: "Hello?" }];
    for (const run of runs) await ran(headers, { run, thread: `of ${run.slice(0, 10)}`, messages });
    assert.deepEqual(ids(await all(headers, { limit: "1" })), runs.toReversed());
    assert.deepEqual(ids(await all(headers, { thread: "of line\nbreak" })), ["line\nbreak"]);
  });
});

test("a run whose worker was lost is listed as lost, not as one under way", async (t) => {
  const folder = await stateFolder();
  let own = await new Worker().start({}, folder);
  t.after(() => own.stop().then(() => removeFolder(folder)));
  const input = runInput({ model: "replay/long-answer" });
  await (await own.post(input)).until(({ frames }) => frames.length > 0);
  await own.kill();
  own = await new Worker().start({}, folder);
  const [listed] = await all({}, {}, own);
  assert.deepEqual([listed.run, listed.status, listed.failure.code], [input.runId, "failed", "worker_lost"]);
});
