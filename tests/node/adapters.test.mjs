// Adapters by their names, what is detected, how streams of objects are read, plain signals, and bounds.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { adapter, detect, encode, NAMES, open } from "../../js/lastword/adapters/index.mjs";
import { LastwordError } from "../../js/lastword/errors.mjs";
import { adapted, assertAnswer, assertCalls, assertFailed, short, stage, stream } from "./lib/adapted.mjs";

const play = await stage("signals");
const text = (delta) => ({ type: "text", delta });
const END = { type: "response_end" };

const isError = (code, words) => (error) => error instanceof LastwordError && error.code === code && words.test(error.message);

describe("adapters", { concurrency: 4 }, () => {
  test("each by its name, and no other", () => {
    assert.deepEqual(NAMES, ["ai-sdk", "openai-agents", "ag-ui", "langgraph", "signals"]);
    for (const name of NAMES) {
      assert.equal(adapter(name).name, name);
      assert.equal(adapter(name).format, name === "ag-ui" ? "ag-ui" : "signals");
      assert.notEqual(adapter(name).reader(), adapter(name).reader());
    }
    const lists = isError("invalid_input", /ai-sdk, openai-agents, ag-ui, langgraph, signals/);
    for (const name of ["crewai", "toString", undefined]) assert.throws(() => adapter(name), lists);
  });

  test("whose an object is", () => {
    for (const [name, ...objects] of [
      ["ai-sdk", { type: "start" }, { type: "text-delta", id: "0", text: "" }, { type: "tool-input-start" }, { type: "abort" }],
      ["openai-agents", { type: "raw_model_stream_event" }, { type: "run_item_stream_event" }, { type: "agent_updated_stream_event" }],
      ["ag-ui", { type: "RUN_STARTED" }, { type: "CUSTOM" }],
      ["langgraph", [{ type: "ai" }, {}], ["messages", []], [[], []], { event: "metadata", data: {} }],
      ["signals", { type: "response_start" }, text("Fine."), { type: "item_start" }, { type: "state", snapshot: null }],
    ]) {
      for (const object of objects) assert.equal(detect(object), name, JSON.stringify(object));
    }
    for (const object of [undefined, null, 1, "data", {}, { type: 1 }, { type: "something_else" }, { choices: [] }]) {
      assert.throws(() => detect(object), isError("upstream_malformed", /Name the one/));
    }
  });

  test("a stream whose first object nobody knows is refused, and let go", async () => {
    let isLetGo = false;
    const source = (async function* () {
      try {
        yield { choices: [] };
      } finally {
        isLetGo = true;
      }
    })();
    await assert.rejects(open(source), isError("upstream_malformed", /No adapter knows/));
    assert.ok(isLetGo);
    for (const source of [undefined, 1, "text", {}]) await assert.rejects(open(source), isError("invalid_input", /iterable/));
    await assert.rejects(open([], "crewai"), isError("invalid_input", /crewai/));
  });

  test("iterables of every kind", async () => {
    const signals = [text("Fine."), END];
    const readable = () => new ReadableStream({ start: (to) => (signals.forEach((signal) => to.enqueue(signal)), to.close()) });
    // As in browsers that can't iterate their streams.
    const plain = () => Object.defineProperty(readable(), Symbol.asyncIterator, { value: undefined });
    for (const source of [() => signals, () => new Set(signals), () => stream(signals), readable, plain]) {
      for (const from of ["auto", "signals"]) {
        const { name, sent } = await adapted(source(), from);
        assert.deepEqual([name, sent], ["signals", signals]);
      }
    }
    let reason;
    const endless = new ReadableStream({ pull: (to) => to.enqueue(text("Fine.")), cancel: (why) => (reason = { why }) });
    for await (const _ of (await open(Object.defineProperty(endless, Symbol.asyncIterator, { value: undefined }))).chunks) break;
    assert.deepEqual(reason, { why: undefined }, "whoever stops reading lets it go");
  });

  test("a chunk an object, no object before it is asked for", async () => {
    let pulled = 0;
    const source = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: (pulled += 1) > 3, value: text("Fine.") }) }) };
    const { chunks } = await open(source);
    assert.equal(pulled, 1, "one tells whose they are");
    assert.equal(String(Buffer.from((await chunks.next()).value)), 'data: {"type":"text","delta":"Fine."}\n\n');
    assert.equal(pulled, 1);
    await chunks.next();
    assert.equal(pulled, 2);
  });

  test("whoever stops reading lets the stream go", async () => {
    let isLetGo = false;
    const source = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: text("Fine.") }), return: async () => (isLetGo = true) }) };
    for await (const _ of (await open(source)).chunks) break;
    assert.ok(isLetGo);
    isLetGo = false;
    await (await open(source)).chunks.return();
    assert.ok(isLetGo, "before anything was read");
  });

  test("a stream is read to its end, behind the end of the turn too", async () => {
    let isDone = false;
    const source = (async function* () {
      yield* [text("Fine."), END, text("Never mind.")];
      isDone = true;
    })();
    const { sent } = await adapted(source);
    assert.deepEqual(sent.map(({ type }) => type), ["text", "response_end"]);
    assert.ok(isDone);
  });

  test("what can't be JSON", () => {
    const cyclic = {};
    cyclic.itself = cyclic;
    for (const object of [{ snapshot: 1n }, cyclic]) assert.throws(() => encode([object]), isError("upstream_malformed", /JSON/));
    assert.equal(String(Buffer.from(encode([]))), "");
  });
});

describe("plain signals", { concurrency: 4 }, () => {
  test("all of them", async () => {
    const signals = [
      { type: "response_start", model: "mine" },
      { type: "reasoning", delta: "Hm." },
      ...[{ type: "item_start", phase: "commentary" }, text("Let me look."), { type: "item_end" }],
      { type: "provider_tool", name: "look", of: "no concern" },
      { type: "kept", snapshot: { mine: 1 } },
      { type: "state", snapshot: { at: 1 } },
      ...[{ type: "item_start", role: "user" }, text("Never mind."), { type: "item_end", text: null }],
      ...[{ type: "item_start" }, text("So."), { type: "was_reasoning" }, text("Fine \ud83d"), text("\ude00."), { type: "item_end" }],
      { type: "usage", input: 1, output: null, total: 3 },
      { type: "response_end", stop: "length" },
    ];
    const { name, sent, bytes } = await adapted(signals);
    assert.equal(name, "signals");
    assert.deepEqual(sent.map(({ type }) => type), signals.map(({ type }) => type));
    assert.ok(!("of" in sent[5]));
    const played = await play(bytes);
    assert.deepEqual(played.added, [{ role: "assistant", content: "Fine 😀." }]);
    assert.deepEqual([played.last.truncated, played.last.usage[0].total_tokens], [true, 3]);
  });

  test("calls, and a refusal", async () => {
    const call = [{ type: "call_start", id: "k1" }, { type: "call_name", name: "ask" }, { type: "call_args", delta: '{"a":1}' }, { type: "call_end", index: 0 }];
    assertCalls(await play((await adapted([...call, END])).bytes, { tools: ["ask"] }), [["k1", "ask", '{"a":1}']]);
    const played = await play((await adapted([{ type: "refusal", delta: "I can't." }, END])).bytes);
    assertAnswer(played, "I can't.");
    assert.ok(played.isRefusal);
  });

  test("what is no signal", async () => {
    for (const object of [
      ...[null, 1, "text", [], {}, { type: 1 }, { type: "texts" }, { type: "toString" }, { type: "text" }, { type: "text", delta: null }],
      ...[{ type: "item_start", phase: "middle" }, { type: "item_start", role: 1 }, { type: "call_start", index: -1 }, { type: "call_start", id: 1 }],
      ...[{ type: "state" }, { type: "usage", total: 1.5 }, { type: "usage", total: -1 }, { type: "response_end", stop: "done" }, { type: "state", snapshot: 1n }],
    ]) {
      const { bytes, fault } = await adapted([text("Half"), object, END], "signals");
      assert.equal(fault.code, "upstream_malformed", typeof object);
      if (object?.type === "texts" || object === null) assertFailed(await play(bytes), "upstream_malformed", ["Half"]);
    }
  });

  test("a stream that breaks off, one that throws, one that says so", async () => {
    for (const [parts, thrown] of [[[text("Half")]], [[text("Half")], new Error("It broke.")], [[text("Half"), { type: "error" }]]]) {
      const { bytes, fault } = await adapted(stream(parts, thrown));
      assert.equal(fault, thrown);
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    }
  });
});

describe("bounds", { concurrency: 4 }, () => {
  const start = (id) => ({ type: "text-start", id, providerMetadata: { p: { itemId: id } } });
  const delta = (id, text) => ({ type: "text-delta", id, text });
  const finish = { type: "finish", finishReason: "stop" };
  const MI = 1 << 20;

  const past = async (parts) => {
    const { bytes, fault } = await adapted(parts, "ai-sdk");
    assert.equal(fault?.code, "upstream_malformed");
    assertFailed(await play(bytes), "upstream_malformed", ["Half"]);
  };
  const within = async (parts) => assert.equal((await adapted(parts, "ai-sdk")).sent.at(-1).type, "response_end");

  test("text that waits", async () => {
    const parts = (size) => [start("a"), start("b"), delta("a", "Half"), ...Array(16).fill(delta("b", "x".repeat(size / 16))), finish];
    await within(parts(MI));
    await past([...parts(MI).slice(0, -1), delta("b", "x"), finish]);
  });

  test("messages at once", async () => {
    const parts = (count) => [delta("a", "Half"), ...Array.from({ length: count }, (_, at) => start(`${at}`)), finish];
    await within(parts(1023));
    await past(parts(1024));
  });

  test("calls, their arguments and names", async () => {
    const call = (at, input = {}, toolName = "ask") => ({ type: "tool-call", toolCallId: `c${at}`, toolName, input });
    const calls = (count) => Array.from({ length: count }, (_, at) => call(at));
    await within([...calls(128), finish]);
    await past([delta("a", "Half"), ...calls(129), finish]);
    const long = (size) => call(1, { a: "x".repeat(size - '{"a":""}'.length) });
    await within([long(MI), finish]);
    await past([delta("a", "Half"), long(MI + 1), finish]);
    await within([call(1, {}, "x".repeat(1024)), finish]);
    await past([delta("a", "Half"), call(1, {}, "x".repeat(1025)), finish]);
  });

  test("a thousand tools that have run are none too many", async () => {
    const ran = Array.from({ length: 1000 }, (_, at) => [
      { type: "tool-call", toolCallId: `c${at}`, toolName: "look", input: { q: "x".repeat(10_000) } },
      { type: "tool-result", toolCallId: `c${at}`, toolName: "look", output: 1 },
    ]);
    const parts = [{ type: "start-step" }, ...ran.flat(), { type: "finish-step" }, { type: "start-step" }, delta("a", "Fine."), finish];
    assertAnswer(await play((await adapted(parts)).bytes), "Fine.");
  });

  test("a piece as large as an answer may be, whatever it is made of", async () => {
    for (const unit of ["x", "\u0001", "\ud83d\ude00"]) {
      const answer = unit.repeat(Math.floor((MI - 64) / Buffer.byteLength(unit)));
      const { sent, bytes } = await adapted([delta("a", answer), finish], "ai-sdk");
      assert.ok(sent.every((signal) => JSON.stringify(signal).length < MI));
      assert.equal(short(sent)[1][1], answer);
      if (unit !== "\u0001") assert.deepEqual((await play(bytes)).added, [{ role: "assistant", content: answer }]);
    }
  });
});

describe("objects that are not as they should be", { concurrency: 4 }, () => {
  const raw = (data) => ({ type: "raw_model_stream_event", data });
  const event = (event) => raw({ type: "model", event });
  const delta = (itemId, delta) => raw({ type: "output_text_delta", delta, itemId, providerData: { output_index: 0 } });
  const done = (output) => raw({ type: "response_done", response: { usage: { inputTokens: 1, inputTokensDetails: [{ cached_tokens: 1 }] }, output } });
  const ran = (name, rawItem) => ({ type: "run_item_stream_event", name, item: { rawItem } });
  const BARE = { type: "AIMessageChunk", id: "m", tool_call_chunks: [], additional_kwargs: {}, response_metadata: {} };
  const chunk = (content, rest) => [{ ...BARE, content, ...rest }, { langgraph_checkpoint_ns: "a:1|b:2", langgraph_step: 1 }];
  const more = { refusal: "No.", reasoning: { summary: [{ text: "Hm." }] }, tool_outputs: [{ type: "mcp_call", name: "x" }] };
  const whole = { id: "n", content: "Fine.", tool_calls: [{ id: "k", name: "ask", args: {} }], response_metadata: { finish_reason: "stop" } };

  const STREAMS = {
    "ai-sdk": [
      { type: "start-step" },
      { type: "reasoning-delta", id: "r", text: "Hm." },
      { type: "text-start", id: "0", providerMetadata: { p: { itemId: "i", phase: "commentary" } } },
      { type: "text-delta", id: "0", text: "Let me look." },
      { type: "text-end", id: "0" },
      { type: "tool-input-start", id: "c", toolName: "look" },
      { type: "tool-input-delta", id: "c", delta: "{}" },
      { type: "tool-call", toolCallId: "c", toolName: "look", input: {} },
      { type: "tool-approval-request", approvalId: "a" },
      { type: "tool-approval-response", approvalId: "a" },
      { type: "tool-result", toolCallId: "c", toolName: "look", output: 1 },
      { type: "finish-step", usage: { inputTokens: 1, outputTokenDetails: { reasoningTokens: 1 } } },
      { type: "start-step" },
      { type: "text-delta", id: "1", text: "Fine." },
      { type: "finish", finishReason: "stop", rawFinishReason: "stop", totalUsage: { totalTokens: 2 } },
    ],
    "openai-agents": [
      raw({ type: "response_started" }),
      event({ type: "response.output_item.added", output_index: 0, item: { type: "message", phase: "commentary" } }),
      delta("i", "Let me look."),
      event({ type: "response.output_item.done", output_index: 0, item: { type: "message" } }),
      event({ type: "response.output_item.done", output_index: 1, item: { type: "web_search_call" } }),
      event({ choices: [{ index: 0, delta: { reasoning: "Hm." }, finish_reason: "stop" }] }),
      event({ type: "response.reasoning_summary_text.delta", delta: "Hm." }),
      done([{ type: "message", content: [{ type: "refusal", refusal: "No." }] }, { type: "function_call", callId: "c" }]),
      ran("message_output_created", { content: [] }),
      ran("tool_called", { type: "function_call", callId: "c" }),
      ran("tool_output", { type: "function_call_result", callId: "c", name: "look" }),
      delta("j", "Fine."),
      done([{ type: "message", content: [{ type: "output_text", text: "Fine." }] }]),
    ],
    langgraph: [
      chunk([{ type: "reasoning", reasoning: "Hm." }, { type: "text", text: "Let me look.", phase: "commentary" }, { type: "web_search_call" }]),
      ["messages", chunk("So.", { additional_kwargs: more })],
      [["a:1"], "messages", chunk("", { tool_call_chunks: [{ index: 0, id: "c", name: "look", args: "{}" }], usage_metadata: { input_tokens: 1 } })],
      { event: "messages", data: [{ type: "tool", tool_call_id: "c", name: "look", content: "found" }, {}] },
      [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessage"], kwargs: whole }, {}],
      ["updates", { agent: {}, __interrupt__: [] }],
    ],
  };

  /** The same numbers every time. */
  const numbers = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const ODD = [null, undefined, 0, 1.5, -1, "", "x", true, [], [null], {}, { type: null }, "x".repeat(2000), NaN];

  /** A copy in which some members are others. */
  function spoilt(value, random) {
    if (random() < 0.06) return ODD[Math.floor(random() * ODD.length)];
    if (Array.isArray(value)) return value.map((member) => spoilt(member, random));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, spoilt(member, random)]));
  }

  for (const [name, parts] of Object.entries(STREAMS)) {
    test(`${name}: every object is taken or refused, and what is told are signals`, () => {
      const random = numbers(7);
      let refused = 0;
      for (let round = 0; round < 3000; round++) {
        const [reader, told] = [adapter(name).reader(), []];
        try {
          for (const part of parts) told.push(...reader.push(spoilt(part, random)));
          told.push(...reader.end({}));
        } catch (error) {
          assert.ok(error instanceof LastwordError && error.code === "upstream_malformed", error.stack);
          refused += 1;
        }
        const signals = adapter("signals").reader();
        assert.deepEqual(told.flatMap((signal) => signals.push(signal)), told);
      }
      assert.ok(refused > 100 && refused < 3000, `${refused}`);
    });

    test(`${name}: nothing is read behind the end`, () => {
      const reader = adapter(name).reader();
      for (const part of parts) reader.push(part);
      reader.end({});
      for (const part of [...parts, null, "text"]) assert.deepEqual(reader.push(part), []);
      assert.deepEqual([reader.end({}), reader.fail(new Error("It broke."))], [[], []]);
    });
  }
});
