// Emitter, RunRecord and their readers on their own, over a store.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { cannedAgent } from "./lib/canned.mjs";
import { runOracle } from "./lib/oracle.mjs";
import { answered, api, framesOf, fresh, gate, textOf, typesOf, watched } from "./lib/parts.mjs";

const { decodeSse, Emitter, memory, readRun, RunRecord, TurnOutput } = api;
const WIRES = ["canonical", "ag-ui", "responses", "chat-completions", "ui-stream", "messages"];
const delta = (text, message = "m") => ({ type: "intermediate_delta", message, delta: text });

/** A run that has ended with this answer. */
async function ended(text, more) {
  const options = fresh(more);
  const emitter = await Emitter.start(options);
  const turn = answered(text, { run: options.run, narration: ["Let me look."], ...more?.turn });
  await emitter.write(turn.takeEvents());
  await emitter.succeed(turn.publish());
  return { ...options, emitter };
}

describe("a run", () => {
  test("is begun by its record, before anything else is there", async () => {
    const options = fresh({ model: "model-1" });
    const emitter = await Emitter.start(options);
    const { started_at, ...record } = await RunRecord.load(options.store, options);
    const store = { claim: "atomic", outcome: "atomic" };
    assert.deepEqual(record, { run: options.run, thread: "thread-1", status: "started", sequence: 1, revision: 1, model: "model-1", store });
    assert.ok(Math.abs(started_at - Date.now()) < 60_000);
    assert.deepEqual(emitter.record, { ...record, started_at });
    assert.equal(emitter.began, true);
    emitter.free();
  });

  test("ends with its answer, narration for the operator alone, and what it has cost", async () => {
    const { emitter, store, ...place } = await ended("It was approved.");
    const record = await RunRecord.load(store, place);
    assert.deepEqual(emitter.record, record);
    assert.equal(record.status, "succeeded");
    assert.deepEqual(record.usage, [{ input_tokens: 3, output_tokens: 4 }]);
    const customer = await framesOf(emitter.replay());
    assert.deepEqual(typesOf(customer), ["task_started", "content_start", "content", "content_end", "task_completed"]);
    assert.equal(textOf(customer), "It was approved.");
    const { timing, usage } = JSON.parse(customer.at(-1).data);
    assert.deepEqual(usage, [{ input_tokens: 3, output_tokens: 4 }]);
    assert.deepEqual(Object.keys(timing), ["ttft_ms", "answer_ms", "total_ms"]);
    const operator = await framesOf(readRun(store, { ...place, view: "operator" }));
    assert.ok(operator.some(({ data }) => data.includes("Let me look.")));
    assert.ok(!JSON.stringify(customer).includes("Let me look."));
    assert.throws(() => readRun(store, { ...place, to: "ag-ui", view: "operator" }), { code: "invalid_input" });
  });

  test("is read on each wire, live, late and from a cursor, in the same frames", async () => {
    const options = fresh();
    const emitter = await Emitter.start(options);
    const live = WIRES.map((to) => framesOf(emitter.replay({ to })));
    const turn = answered("It was approved.", { run: options.run });
    await emitter.write(turn.takeEvents());
    await wait(5);
    await emitter.succeed(turn.publish());
    const ends = ["task_completed", "RUN_FINISHED", "[DONE]", "[DONE]", "[DONE]", "message_stop"];
    for (const [at, to] of WIRES.entries()) {
      const frames = await live[at];
      assert.equal(typesOf(frames).at(-1), ends[at], to);
      assert.ok(JSON.stringify(frames).includes("It was approved."), to);
      assert.deepEqual(await framesOf(readRun(options.store, { ...options, to })), frames, to);
      for (let had = 1; had < frames.length; had++) {
        const after = frames[had - 1].id ?? had;
        assert.deepEqual(await framesOf(readRun(options.store, { ...options, to, after })), frames.slice(had), `${to} behind ${after}`);
      }
    }
    const joined = typesOf(await framesOf(emitter.replay({ to: "ag-ui", after: null })));
    assert.deepEqual(joined, ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    const types = await framesOf(emitter.replay({ types: ["content"] }));
    assert.deepEqual(typesOf(types), ["content", "task_completed"]);
    for (const after of ["x", "-1", "1.0"]) assert.throws(() => emitter.replay({ after }), { code: "bad_cursor" });
    assert.throws(() => emitter.replay({ to: "morse" }), { code: "invalid_input" });
  });

  test("is read by the official AG-UI client", async () => {
    const { store, thread, run, input } = await ended("It was approved.");
    const response = readRun(store, { thread, run, to: "ag-ui" }).response();
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const agent = cannedAgent("1.0.0", { threadId: thread, messages: structuredClone(input.messages) });
    agent.give(await response.text());
    const { terminal, transcript } = await runOracle(agent, { runId: run });
    assert.equal(terminal.type, "RUN_FINISHED");
    assert.equal(transcript.at(-1).content, "It was approved.");
  });

  test("has a stream with a heartbeat and the wire's own headers; a client that goes stops the reading alone", async () => {
    const options = fresh();
    const emitter = await Emitter.start(options);
    const body = emitter.replay({ to: "ui-stream" }).body({ heartbeat: 5, headers: { "x-more": "1" } });
    assert.equal(body.headers["x-vercel-ai-ui-message-stream"], "v1");
    assert.equal(body.headers["x-more"], "1");
    const reader = body.stream.getReader();
    const read = async () => Buffer.from((await reader.read()).value).toString();
    assert.match(await read(), /"type":"start"/);
    let more = await read();
    while (more !== ": ping\n\n") more = await read();
    await reader.cancel();
    await body.done;
    const turn = answered("All the same.", { run: options.run });
    assert.equal((await emitter.succeed(turn.publish())).status, "succeeded");
    const late = [];
    for await (const event of decodeSse(readRun(options.store, options).response())) late.push(event);
    assert.equal(textOf(late), "All the same.");
  });
});

describe("the terminal", () => {
  test("is durable before the first byte of it or of the answer leaves", async () => {
    const held = gate();
    let ending = false;
    const inner = memory();
    const store = watched(inner, async ({ head, save }) => {
      if (head && JSON.parse(Buffer.from(head.value)).status !== "started") await ((ending = true), held.promise);
      return save();
    });
    const options = fresh({ store });
    const emitter = await Emitter.start(options);
    const seen = [];
    const reading = (async () => {
      for await (const frame of emitter.replay()) seen.push(frame);
    })();
    const done = emitter.succeed(answered("Yes.").publish());
    while (!ending) await wait(1);
    await wait(20);
    assert.deepEqual(typesOf(seen), ["task_started"]);
    assert.equal((await RunRecord.load(inner, options)).status, "started");
    held.resolve();
    assert.equal((await done).status, "succeeded");
    await reading;
    assert.equal(textOf(seen), "Yes.");
  });

  test("is one, and the first one stands", async () => {
    const { emitter, store, ...place } = await ended("Yes.");
    const before = await framesOf(readRun(store, place));
    for (const again of [() => emitter.cancel(), () => emitter.fail(), () => emitter.succeed(answered("No.").publish()), () => emitter.write(delta("x")), () => emitter.interrupt([{ id: "i", reason: "r" }])]) {
      await assert.rejects(again(), { name: "LastwordError", code: "run_ended" });
    }
    assert.deepEqual(await framesOf(readRun(store, place)), before);
  });

  test("of a cancel, a failure and an interrupt says so on the wire and in the record", async () => {
    const play = async (end) => {
      const options = fresh();
      const emitter = await Emitter.start(options);
      await emitter.write([{ type: "intermediate_start", message: "m" }, delta("Half a sen"), { type: "tool_start", call: "c", name: "pay" }]);
      const record = await end(emitter);
      const frames = await framesOf(emitter.replay({ view: "operator" }));
      return { record, types: typesOf(frames), last: JSON.parse(frames.at(-1).data) };
    };
    const closed = ["task_started", "intermediate_start", "intermediate", "tool_start", "intermediate_end", "tool_end"];
    const cancelled = await play((emitter) => emitter.cancel());
    assert.deepEqual([cancelled.record.status, cancelled.types], ["cancelled", [...closed, "task_cancelled"]]);
    const failed = await play((emitter) => emitter.fail("upstream_timeout"));
    assert.deepEqual([failed.record.status, failed.types], ["failed", [...closed, "task_failed"]]);
    assert.equal(failed.record.failure.code, "upstream_timeout");
    assert.equal(failed.last.message, "The model's provider took too long.");
    assert.deepEqual(failed.last.unknown, ["c"], "what a tool has done is not known");
    const expiresAt = Date.now() + 60_000;
    const interrupts = [{ id: "i1", reason: "confirmation", message: "Really?", responseSchema: { type: "object" }, expiresAt }];
    const waiting = await play((emitter) => emitter.interrupt(interrupts));
    assert.deepEqual([waiting.record.status, waiting.types.at(-1)], ["interrupted", "approval_requested"]);
    assert.equal(waiting.last.interrupts[0].id, "i1");
    assert.equal(JSON.stringify(waiting.last).includes(String(expiresAt)), true);
    assert.equal((await play((emitter) => emitter.fail())).record.failure.code, "internal");
    const emitter = await Emitter.start(fresh());
    await assert.rejects(emitter.fail("no_such_code"), { code: "invalid_input" });
    for (const none of [[], [{ id: "a", reason: "r" }, { id: "a", reason: "r" }], [{ id: 1 }]]) await assert.rejects(emitter.interrupt(none), { code: "invalid_input" });
    assert.equal((await emitter.cancel()).status, "cancelled", "nothing was submitted before");
  });

  test("may hand calls over to the client", async () => {
    const options = fresh();
    const emitter = await Emitter.start(options);
    const turn = new TurnOutput({ run: options.run });
    turn.signal({ type: "call_start", id: "c1", name: "confirm" });
    turn.signal({ type: "call_args", delta: '{"a":1}' });
    const { calls } = turn.signal({ type: "response_end" });
    await emitter.write(turn.takeEvents());
    assert.equal((await emitter.handOver(turn.handOver(calls))).status, "succeeded");
    const frames = await framesOf(emitter.replay());
    assert.deepEqual(typesOf(frames), ["task_started", "tool_call", "tool_call_args", "tool_call_end", "task_completed"]);
    assert.deepEqual(JSON.parse(frames.at(-1).data).pending, ["c1"]);
  });
});

describe("what is written", () => {
  test("is what has no effect, and nothing else: all of it, or none", async () => {
    const options = fresh();
    const emitter = await Emitter.start(options);
    const bad = [
      { type: "answer_start", message: "a", refusal: false },
      { type: "answer_delta", message: "a", delta: "x" },
      { type: "completed" },
      { type: "failed", failure: { code: "x", message: "x", reference: "x" } },
      { type: "call_start", call: "c", name: "n", parent: "p" },
      { type: "content", message: "a", delta: "x" },
      { type: "intermediate_delta", message: "m" },
      { type: "intermediate_start", message: "x".repeat(80) },
      { type: "state", snapshot: "x".repeat(3 << 20) },
      {},
      null,
      "text",
    ];
    for (const event of bad) {
      await assert.rejects(emitter.write([delta("never"), event]), { name: "LastwordError", code: "invalid_input" }, JSON.stringify(event)?.slice(0, 80));
    }
    await emitter.write([]);
    await emitter.cancel();
    assert.deepEqual(typesOf(await framesOf(emitter.replay({ view: "operator" }))), ["task_started", "task_cancelled"]);
  });

  test("comes back as it was, each event for whom it is", async () => {
    const emitter = await Emitter.start(fresh());
    const turn = answered("It rains.", { narration: ["Let me look."], publicIntermediate: true, publicThinking: true });
    turn.signal({ type: "state", snapshot: { step: 2 } });
    await emitter.write(turn.takeEvents());
    await emitter.write({ type: "tool_start", call: "c", name: "look" });
    await emitter.write({ type: "tool_output", call: "c", delta: 'é"\n👩‍👩‍👧' });
    await emitter.succeed(turn.publish());
    const customer = typesOf(await framesOf(emitter.replay()));
    assert.deepEqual(customer, ["task_started", "intermediate_start", "intermediate", "intermediate_end", "state", "content_start", "content", "content_end", "task_completed"]);
    const operator = (await framesOf(emitter.replay({ view: "operator" }))).map(({ data }) => JSON.parse(data));
    assert.equal(operator.find(({ type }) => type === "tool_output").delta, 'é"\n👩‍👩‍👧');
    assert.deepEqual(operator.find(({ type }) => type === "state").snapshot, { step: 2 });
  });

  test("is an answer only as a turn has published it, and once", async () => {
    const emitter = await Emitter.start(fresh());
    for (const none of [undefined, null, "Yes.", {}, { text: "Yes." }, Object.create(api.Published.prototype), answered("x").handOver([])]) {
      await assert.rejects(emitter.succeed(none), { name: "LastwordError", code: "invalid_input" });
    }
    await assert.rejects(emitter.handOver(answered("x").publish()), { code: "invalid_input" });
    const published = answered("Yes.").publish();
    await emitter.succeed(published);
    const other = await Emitter.start(fresh());
    await assert.rejects(other.succeed(published), { code: "invalid_input" }, "it was used");
    await other.cancel();
  });

  test("streams early by option, and is withdrawn where it turns out to be no answer", async () => {
    const options = fresh();
    const emitter = await Emitter.start(options);
    const turn = new TurnOutput({ run: options.run, early: true, filter: false });
    turn.signal({ type: "item_start", phase: "final_answer" });
    turn.signal({ type: "text", delta: "It is 42." });
    await emitter.write(turn.takeEvents());
    await emitter.writeEarly(turn.takeEarly());
    await emitter.writeEarly(turn.takeEarly());
    await emitter.commit();
    const reader = emitter.replay()[Symbol.asyncIterator]();
    const read = async () => JSON.parse((await reader.next()).value.data);
    assert.deepEqual([(await read()).type, (await read()).type, (await read()).delta], ["task_started", "content_start", "It is 42."]);
    turn.signal({ type: "call_start", id: "c", name: "look" });
    await emitter.writeEarly(turn.takeEarly());
    assert.equal((await emitter.cancel()).withdrawn, `${options.run}-a`);
    assert.deepEqual([(await read()).type, (await read()).type, (await read()).type], ["content_end", "content_withdrawn", "task_cancelled"]);
  });
});

describe("a record", () => {
  test("that an earlier version has stored is read, and all that stands behind it as it was", async () => {
    let read = 0;
    for (const folder of ["v1", "v1-early", "v2", "v2-wires"].map((name) => inside("tests/stored", name))) {
      for (const name of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
        const { values, frames } = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
        const load = async (key) => values[key] && { version: "1", value: Buffer.from(values[key]) };
        for (const { run, view, wire, joins, frames: expected } of frames) {
          const place = { scope: "acme", thread: "thread-1", run };
          assert.match((await RunRecord.load({ load }, place)).status, /^(started|succeeded|failed|cancelled|interrupted)$/);
          const reader = readRun({ load }, { ...place, view, to: wire, after: joins ? null : undefined });
          const seen = [];
          if (expected.length > 0) {
            for await (const { id, data } of reader) if (seen.push([id ?? null, data]) === expected.length) break;
          }
          assert.deepEqual(seen, expected, `${name} ${run} ${view} ${wire}`);
          read += seen.length;
        }
      }
    }
    assert.ok(read > 800, `${read}`);
  });

  test("that can't be read is said to be so, and never guessed", async () => {
    const decode = (text, place) => () => RunRecord.decode(Buffer.from(text), place);
    for (const text of ["", "{", "[]", '{"v":2}', '{"v":"2"}']) assert.throws(decode(text), { name: "LastwordError", code: "record_unreadable" }, text);
    assert.throws(decode('{"v":99}'), { code: "record_too_new" });
    const long = "r".repeat(2000);
    const options = fresh({ run: long });
    const emitter = await Emitter.start(options);
    await emitter.cancel();
    let head;
    await RunRecord.load({ load: async (key) => (head = await options.store.load(key)) }, options);
    assert.throws(decode(head.value), { code: "record_unreadable" }, "its name is too long to be in it");
    assert.equal(RunRecord.decode(head.value, options).run, long);
    assert.equal(await RunRecord.load(options.store, { thread: "t", run: "none" }), undefined);
    await assert.rejects(RunRecord.load({ load: async () => { throw new Error("x"); } }, options), { code: "store_unavailable" });
    await assert.rejects(RunRecord.load(options.store, { thread: "t" }), { code: "invalid_input" });
  });

  test("is kept by scope", async () => {
    const options = fresh({ scope: "a" });
    const emitter = await Emitter.start(options);
    await emitter.cancel();
    assert.equal((await RunRecord.load(options.store, options)).status, "cancelled");
    assert.equal(await RunRecord.load(options.store, { ...options, scope: "b" }), undefined);
    assert.equal((await Emitter.start({ ...options, scope: "b" })).began, true);
  });
});
