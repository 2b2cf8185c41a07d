// Every row of the README's table of errors, provoked: each place that a row names has a scenario here, and a row
// without one fails.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { breakTables, rewrite } from "./lib/disk.mjs";
import { eventually, whole } from "./lib/http.mjs";
import { ACME, as, browserToken, TOKENS } from "./lib/tokens.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, sharedWorker, stateFolder, TRAP, Worker } from "./lib/worker.mjs";

/** The table's rows: `{code, status, places, sentence}`. */
const table = readFileSync(inside("README.md"), "utf8").split("| code | status | where | sentence |\n|---|---|---|---|\n")[1];
const rows = table.split("\n\n")[0].trim().split("\n").map((line) => {
  const [code, status, places, sentence] = line.split("|").slice(1, -1).map((cell) => cell.trim());
  return { code: code.replaceAll("`", ""), status: Number(status), places: places.split(", "), sentence };
});

const upstream = await startUpstream();
after(() => upstream.stop());
const plain = sharedWorker();
const guarded = sharedWorker(TOKENS);
const bare = sharedWorker({ LASTWORD_DEV: "" });
const short = sharedWorker({ LASTWORD_STREAM: "1" });
const brief = sharedWorker({ LASTWORD_STEPS: "1" });
const kv = sharedWorker({ LASTWORD_STORE: "kv" });
const LIMITS = { LASTWORD_FIRST_BYTE_MS: "1000", LASTWORD_RUN_MS: "3000", LASTWORD_OUTPUT_BYTES: "64" };
const blocking = sharedWorker(upstreamVars(upstream, { LASTWORD_REDACT: '{"mode":"block"}' }));
const model = sharedWorker(upstreamVars(upstream, LIMITS));

const json = { "content-type": "application/json" };
const ask = (worker, path, options) => ({ worker, reply: whole(`${worker.url}${path}`, options) });
const post = (worker, body, headers = {}) => ask(worker, "/agui", { method: "POST", body, headers: { ...json, ...headers } });
const input = (more = {}) => runInput({ model: "replay/empty-answer", ...more });

/** The request after another one has been answered. */
async function following(worker, first, then) {
  const began = await worker.post(first);
  return { ...then(), tidy: () => began.leave() };
}

/** A new run on a thread whose last one waits for a person, with what `answers` makes of its interrupts. */
async function resuming(name, answers) {
  const first = input({ model: `replay/${name}` });
  const { frames } = await (await plain.post(first)).end();
  const resume = await answers(frames.at(-1).json.outcome.interrupts);
  return post(plain, { ...first, runId: fresh("run"), resume });
}

/** A scenario of a run in front of an upstream that keeps to a script. */
const scripted = (script) => async () => {
  const text = fresh("script");
  upstream.on(text, script);
  return { worker: model, input: runInput({ text }) };
};
const says = (...frames) => scripted(async (call) => {
  for (const frame of frames) await call.write(frame);
  await call.end();
});
const refuses = (status) => scripted(async (call) => {
  call.head(status, json);
  await call.end();
});

/** A Worker that begins anew after something has happened to its state. Ended with the test. */
async function restarted(t, began, harm, vars = {}) {
  const folder = await stateFolder();
  const first = await new Worker().start({}, folder);
  await began(first);
  await first.kill();
  await harm(folder);
  const worker = await new Worker().start(vars, folder);
  t.after(() => worker.stop().then(() => removeFolder(folder)));
  return worker;
}

/** A request for a run whose stored values were harmed in between. */
const harmed = (harm, path = "") => async (t) => {
  const run = fresh("harmed");
  const worker = await restarted(t, async (first) => (await first.post(input({ run }))).end(), (folder) => harm(folder, run));
  return ask(worker, `/v1/runs/${run}${path}`);
};

/** The stream of a thread whose run's segments were changed. It ends soon, if it does not end by that. */
const followed = (change) => async (t) => {
  const first = input();
  const harm = (folder) => rewrite(folder, `%/${first.runId}/public/journal/%`, change);
  const worker = await restarted(t, async (began) => (await began.post(first)).end(), harm, { LASTWORD_STREAM: "1" });
  return ask(worker, `/v1/threads/${first.threadId}/events`);
};

/**
 * By code and place. `answer`: gives `{worker, reply}`. `run`: gives `{worker, input}` of a run that ends so, or
 * `{worker, run}` of one that has. `stream`, `thread`: as `answer`. `crate`: the name of a native test.
 */
const SCENARIOS = {
  malformed_json: { answer: () => post(plain, "{") },
  invalid_input: { answer: () => post(plain, input({ messages: [{}] })) },
  invalid_filter: { crate: "settings_that_are_wrong_say_where" },
  bad_cursor: {
    answer: () => ask(plain, "/agui/runs/r", { headers: { "last-event-id": "soon" } }),
    thread: () => ask(plain, `/v1/threads/${fresh("thread")}/events?after=7-7`),
  },
  unknown_model: { answer: () => post(plain, input({ model: "replay/nothing" })) },
  unauthorized: { answer: () => post(guarded, input()) },
  token_expired: {
    answer: () => post(guarded, input(), as(browserToken({ exp: 1 }))),
    thread: () => {
      const token = browserToken({ exp: Math.ceil(Date.now() / 1000) + 1 });
      return ask(guarded, `/v1/threads/${fresh("thread")}/events?token=${token}`);
    },
  },
  forbidden: { answer: () => ask(guarded, "/v1/runs/r/events?view=operator", { headers: as(ACME) }) },
  not_found: { answer: () => ask(plain, "/nowhere") },
  unknown_run: { answer: () => ask(plain, `/v1/runs/${fresh("nobody")}`) },
  method_not_allowed: { answer: () => ask(plain, "/agui") },
  run_conflict: {
    answer: async () => {
      const first = input();
      return following(plain, first, () => post(plain, { ...first, messages: [{ id: "m", role: "user", content: "Other" }] }));
    },
  },
  run_active: {
    answer: async () => {
      const first = input({ model: "replay/long-answer" });
      return following(plain, first, () => ask(plain, `/v1/runs/${first.runId}`, { method: "DELETE" }));
    },
  },
  thread_busy: {
    answer: async () => {
      const first = input({ model: "replay/long-answer" });
      return following(plain, first, () => post(plain, input({ thread: first.threadId })));
    },
  },
  interrupt_open: { answer: () => resuming("approval", () => []) },
  interrupt_not_open: { answer: () => resuming("approval", () => [{ interruptId: "other", status: "cancelled" }]) },
  interrupt_expired: {
    answer: () =>
      resuming("approvals-parallel", async (interrupts) => {
        await sleep(Math.max(0, Date.parse(interrupts[0].expiresAt) - Date.now() + 50));
        return interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
      }),
  },
  exactly_once_unsupported: { answer: () => post(kv, input({ forwardedProps: { exactlyOnce: "required" } })) },
  run_deleted: {
    answer: async () => {
      const first = input();
      await (await plain.post(first)).end();
      assert.equal((await whole(`${plain.url}/v1/runs/${first.runId}`, { method: "DELETE" })).status, 204);
      return post(plain, first);
    },
  },
  body_too_large: { answer: () => post(plain, input({ text: "x".repeat(1_100_000) })) },
  unsupported_media_type: { answer: () => post(plain, "{}", { "content-type": "text/plain" }) },
  unsupported_part: {
    answer: () => {
      const source = { type: "url", value: "https://example.com/film.mp4" };
      return post(model, runInput({ messages: [{ id: "m", role: "user", content: [{ type: "video", source }] }] }));
    },
  },
  internal: {
    answer: async (t) => {
      const worker = await new Worker().start({}, undefined, { prelude: TRAP });
      t.after(() => worker.stop());
      return ask(worker, "/health", { headers: { "x-trap": "1" } });
    },
  },
  record_unreadable: {
    answer: harmed((folder, run) => rewrite(folder, `%/${run}/head`, () => "{}")),
    thread: followed(() => "{}"),
  },
  record_too_new: {
    answer: harmed((folder, run) => rewrite(folder, `%/${run}/head`, (head) => JSON.stringify({ ...JSON.parse(head), v: 99 }))),
  },
  upstream_rejected: { run: refuses(401) },
  upstream_malformed: { run: says("data: {\n\n") },
  upstream_unavailable: { run: refuses(503) },
  not_configured: { answer: () => ask(bare, "/v1/runs/r") },
  store_unavailable: { answer: harmed((folder, run) => breakTables(folder, `%/${run}/head`)) },
  maybe_stale: { answer: () => ask(kv, `/v1/runs/${fresh("nobody")}`) },
  upstream_timeout: { run: scripted(() => {}) },
  content_filter: { run: says(...chat(["Well"], { finish: "content_filter" })) },
  output_blocked: {
    run: async () => {
      const text = fresh("blocked");
      upstream.on(text, async (call) => {
        await call.writeAll(chat(["Write to ", "ana.souza", "@", "firma.com.br", "."]));
        await call.end();
      });
      return { worker: blocking, input: runInput({ text }) };
    },
  },
  output_limit: { run: says(...chat(["x".repeat(65)])) },
  step_limit: { run: () => ({ worker: brief, input: input({ model: "replay/parallel-tools" }) }) },
  run_timeout: {
    run: scripted(async (call) => {
      while (await call.write(": still here\n\n")) await sleep(50);
    }),
  },
  worker_lost: {
    run: async (t) => {
      const run = fresh("lost");
      const lost = input({ run, model: "replay/long-answer" });
      const began = async (first) => (await first.post(lost)).until(({ frames }) => frames.length > 0);
      const worker = await restarted(t, began, () => {});
      return { worker, run };
    },
  },
  approval_required: {
    "others' wires": async () => {
      const body = { model: "replay/approval", messages: [{ role: "user", content: "Hi" }] };
      return ask(plain, "/v1/chat/completions", { method: "POST", body, headers: json });
    },
  },
  cancelled: {
    run: async () => {
      const { protocolVersion, ...older } = input({ model: "replay/long-answer" });
      assert.ok(protocolVersion);
      const began = await plain.post(older);
      await began.until(({ frames }) => frames.length > 0);
      assert.equal((await plain.cancel(older.runId)).json.status, "cancelled");
      await began.end();
      return { worker: plain, run: older.runId };
    },
  },
  stream_interrupted: {
    stream: harmed((folder, run) => rewrite(folder, `%/${run}/public/journal/%`, () => "{}"), "/events"),
    thread: followed((segment) => segment.replace(/^\{"v":1/, '{"v":99')),
  },
  stream_limit: { thread: () => ask(short, `/v1/threads/${fresh("thread")}/events`) },
  already_published: { crate: "publishes_at_most_once_and_a_replacement_wins" },
  run_ended: { crate: "the_first_end_stands_and_a_second_writes_nothing" },
};

/** What is true of every code's own form, by place. */
const CHECKS = {
  async answer({ code, status, sentence }, { worker, reply, tidy }) {
    const { status: given, headers, text } = await reply;
    tidy?.();
    assert.equal(given, status, text);
    assert.match(headers["content-type"], /^application\/json/);
    const body = JSON.parse(text);
    assert.deepEqual(Object.keys(body), ["error"]);
    assert.equal(body.error.code, code);
    assert.ok(body.error.message.startsWith(sentence), text);
    assert.deepEqual(Object.keys(body.error), ["code", "message", ...(status >= 500 ? ["reference"] : [])]);
    if (status >= 500) await assertLogged(worker, code, body.error.reference);
  },

  /** Where a wire has no word for it. */
  async "others' wires"({ code, status, sentence }, { reply }) {
    const { status: given, text } = await reply;
    assert.equal(given, status, text);
    const { error } = JSON.parse(text);
    assert.deepEqual([error.code, error.message.startsWith(sentence)], [code, true]);
  },

  async run({ code, sentence }, { worker, input, run = input.runId }) {
    const posted = input && (await (await worker.post(input)).end()).frames.at(-1).json;
    const joined = (await (await worker.join(run)).end()).frames.at(-1).json;
    for (const terminal of posted ? [posted, joined] : [joined]) {
      assert.deepEqual([terminal.type, terminal.code], ["RUN_ERROR", code]);
      assert.ok(terminal.message.startsWith(sentence), terminal.message);
    }
    const { json: record } = await worker.record(run);
    if (code === "cancelled") return assert.equal(record.status, "cancelled");
    const event = (await worker.eventsOf(run)).at(-1);
    assert.deepEqual([record.status, event.type], ["failed", "task_failed"]);
    assert.deepEqual([record.failure.code, record.failure.message], [code, sentence]);
    assert.ok(joined.message.includes(record.failure.reference));
    assert.equal((await worker.record(run)).json.failure.reference, record.failure.reference);
    await assertLogged(worker, code, record.failure.reference, run);
  },

  async stream({ code, sentence }, { worker, reply }) {
    const { status, frames } = await reply;
    assert.equal(status, 200);
    const { id, json: told } = frames.at(-1);
    assert.deepEqual([id, told.type, told.code], [undefined, "error", code]);
    const [reference] = told.message.match(/(?<=\(reference )[0-9a-f]{12}(?=\)$)/);
    assert.ok(told.message.startsWith(sentence));
    await assertLogged(worker, "record_unreadable", reference);
  },

  async thread({ code, sentence }, { worker, reply }) {
    const { status, frames } = await reply;
    assert.equal(status, 200);
    // A run that is passed over leads to the next one, and the stream goes on.
    const passed = code === "record_unreadable";
    const { id, json: told } = frames.at(passed ? -2 : -1);
    assert.deepEqual([id, told.type, told.code], passed ? ["2-0", "error", code] : [undefined, "stream_end", code]);
    if (!passed && code !== "stream_interrupted") return assert.equal(told.message, sentence);
    const [reference] = told.message.match(/(?<=\(reference )[0-9a-f]{12}(?=\)$)/);
    assert.ok(told.message.startsWith(sentence));
    await assertLogged(worker, passed ? code : "record_too_new", reference);
  },

  crate({ code }, name) {
    const files = readdirSync(inside("src"), { recursive: true }).filter((file) => file.endsWith(".rs"));
    const body = files.map((file) => readFileSync(inside("src", file), "utf8").split(`fn ${name}() {`)[1]).find(Boolean);
    assert.ok(body, `there is no test ${name}`);
    assert.ok(body.split("#[test]")[0].includes(`"${code}"`), `${name} asserts ${code}`);
  },
};

/** The log has one line with this reference: the class, the run where there is one, and nothing else. */
async function assertLogged(worker, code, reference, run) {
  assert.match(reference, /^[0-9a-f]{12}$/);
  const line = await eventually(() => worker.logs.find((line) => line.includes(reference)), `a line with ${reference}`);
  const { run: told, reader, ...rest } = JSON.parse(line);
  assert.deepEqual(rest, { code, reference });
  if (run) assert.equal(told, run);
}

describe("the README's table of errors", { concurrency: true }, () => {
  before(() => assert.ok(rows.length > 30, "found the table"));

  test("has a row for each scenario", () => {
    assert.deepEqual(Object.keys(SCENARIOS).filter((code) => !rows.some((row) => row.code === code)), []);
  });

  for (const row of rows) {
    for (const place of row.places) {
      test(`${row.code}, as ${place}`, async (t) => {
        const scenario = SCENARIOS[row.code]?.[place];
        assert.ok(scenario, `no scenario provokes ${row.code} as ${place}`);
        await CHECKS[place](row, typeof scenario === "function" ? await scenario(t) : scenario);
      });
    }
  }
});
