// OpenAI's own client against the Chat Completions route: with one change of base URL the answer is the answer, and a
// failure is an error.

import assert from "node:assert/strict";
import http from "node:http";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI, { APIError, BadRequestError, InternalServerError } from "openai";
import { leaks, recording } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const worker = sharedWorker(upstreamVars(upstream));

const [asking, silent] = [sharedWorker({ LASTWORD_APPROVALS: "call" }), sharedWorker()];

const client = ({ url = worker.url, ...options } = {}) =>
  new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0, ...options });

const frame = (value) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const delta = (delta, finish_reason = null) => frame({ choices: [{ index: 0, delta, finish_reason }] });
const DONE = Buffer.from("data: [DONE]\n\n");

/** The request for which the upstream has this script. */
function asks(script, rest = {}) {
  const text = fresh("chat");
  upstream.on(text, async (call) => {
    await script(call, upstream.callsOf(text).length);
    await call.end();
  });
  return { model: "test-model", messages: [{ role: "user", content: text }], ...rest };
}

const says = (...pieces) => asks((call) => call.writeAll(chat(pieces, { reasoning: ["Let me think."] })));

/** What a stream gives: the chunks, and its texts joined. */
async function streamed(request, from = client()) {
  const chunks = [];
  for await (const chunk of await from.chat.completions.create({ ...request, stream: true })) chunks.push(chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map((choice) => choice.delta));
  return {
    chunks,
    deltas,
    content: deltas.map((delta) => delta.content ?? "").join(""),
    finish: chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason)).filter(Boolean),
  };
}

const callsOf = ({ messages }) => upstream.callsOf(messages[0].content);

describe("OpenAI's client", { concurrency: true }, () => {
  test("is streamed the answer, and nothing of what the model thought", async () => {
    const request = says("It is ", "in Porto.");
    const { chunks, deltas, content, finish } = await streamed(request);
    assert.deepEqual([content, finish], ["It is in Porto.", ["stop"]]);
    assert.deepEqual(deltas[0], { role: "assistant" });
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    assert.match(chunks[0].id, /^chatcmpl-./);
    assert.ok(chunks.every(({ model, usage }) => model === "test-model" && usage === undefined));
    assert.doesNotMatch(JSON.stringify(chunks), /think/);
    assert.equal(callsOf(request).length, 1);
  });

  test("puts the same completion together from a stream as it is given whole", async () => {
    const whole = await client().chat.completions.create(says("It is in Porto."));
    const { message, finish_reason } = whole.choices[0];
    assert.deepEqual([whole.object, message.content, message.refusal, finish_reason], ["chat.completion", "It is in Porto.", null, "stop"]);
    assert.equal(typeof whole.timing.total_ms, "number");
    const put = await client().chat.completions.stream(says("It is in Porto.")).finalChatCompletion();
    assert.deepEqual([put.choices[0].message.content, put.choices[0].finish_reason], [message.content, finish_reason]);
  });

  test("is told the tokens behind the end where it asks for them, and always when the answer is whole", async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, prompt_tokens_details: { cached_tokens: 4 } };
    const script = (call) => call.writeAll([delta({ content: "Fine." }), delta({}, "stop"), frame({ choices: [], usage }), DONE]);
    const { chunks } = await streamed(asks(script, { stream_options: { include_usage: true } }));
    const last = chunks.at(-1);
    assert.deepEqual([last.choices, last.usage], [[], usage]);
    assert.ok(chunks.slice(0, -1).every((chunk) => chunk.usage === null));
    assert.ok(last.timing.ttft_ms >= 0 && last.timing.total_ms >= last.timing.ttft_ms);
    assert.deepEqual((await client().chat.completions.create(asks(script))).usage, usage);
  });

  test("runs its tools, and what the model narrates beside a call is no answer", async () => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "pick", arguments: '{"n":1}' } };
    const request = asks(
      (to, nth) => (nth === 1 ? to.writeAll([delta({ content: "Let me look." }), delta({ tool_calls: [call] }), delta({}, "tool_calls"), DONE]) : to.writeAll(chat(["It is 7."]))),
      { tools: [{ type: "function", function: { name: "pick", parameters: { type: "object" } } }], tool_choice: "auto" },
    );
    const { choices } = await client().chat.completions.stream(request).finalChatCompletion();
    const { index, ...made } = call;
    assert.equal(choices[0].finish_reason, "tool_calls");
    assert.equal(choices[0].message.content, null);
    assert.deepEqual(choices[0].message.tool_calls.map(({ id, type, function: { name, arguments: args } }) => ({ id, type, function: { name, arguments: args } })), [made]);
    const messages = [...request.messages, { role: "assistant", content: null, tool_calls: [made] }, { role: "tool", tool_call_id: "call_1", content: "7" }];
    const answered = await client().chat.completions.create({ ...request, messages });
    assert.equal(answered.choices[0].message.content, "It is 7.");
    const [, second] = callsOf(request);
    assert.deepEqual(second.body.messages.slice(-2).map(({ role, content }) => [role, content || null]), [["assistant", null], ["tool", "7"]]);
    assert.deepEqual(second.body.tools.map((tool) => tool.function.name), ["pick"]);
  });

  test("is refused what it would miss, by name, before anything runs", async () => {
    const request = says("Never.");
    for (const [field, value] of Object.entries({ n: 2, logprobs: true, functions: [{ name: "pick" }], modalities: ["audio"] })) {
      await assert.rejects(client().chat.completions.create({ ...request, [field]: value }), (error) => {
        assert.ok(error instanceof BadRequestError);
        assert.match(error.message, new RegExp(`\\b${field} must`));
        assert.equal(error.code, "invalid_input");
        return true;
      });
    }
    assert.equal(callsOf(request).length, 0);
  });

  test("lists the models", async () => {
    const models = [];
    for await (const model of client().models.list()) models.push(model);
    assert.deepEqual(models.map(({ id, object }) => [id, object]), [["test-model", "model"]]);
  });

  test("sees a provider that dies mid-message as an error, and nothing of the half", async () => {
    const half = async (call) => {
      await call.write(delta({ content: "Half an answer" }));
      await sleep(20);
      call.destroy();
    };
    const request = asks(half, { stream: true });
    const seen = [];
    const dies = async () => {
      for await (const chunk of await client().chat.completions.create(request)) seen.push(chunk);
    };
    await assert.rejects(dies, (error) => error instanceof APIError && error.code === "upstream_unavailable");
    assert.doesNotMatch(JSON.stringify(seen), /Half/);
    assert.deepEqual(seen.map(({ choices }) => choices[0].delta), [{ role: "assistant" }]);
    await assert.rejects(client().chat.completions.stream(asks(half)).finalChatCompletion(), { code: "upstream_unavailable" });
    // A client that tries again by itself is told not to: the run has ended.
    const whole = asks(half);
    await assert.rejects(client({ maxRetries: 2 }).chat.completions.create(whole), (error) => {
      assert.ok(error instanceof InternalServerError);
      assert.deepEqual([error.status, error.code], [502, "upstream_unavailable"]);
      assert.doesNotMatch(error.message, /Half/);
      return true;
    });
    assert.equal(callsOf(whole).length, 1);
  });

  test("sees an error that its provider reports behind some text as an error", async () => {
    const fails = (call) => call.writeAll([delta({ content: "Half" }), frame({ error: { message: "secret detail", code: 500 } })]);
    for (const stream of [true, false]) {
      const told = stream ? streamed(asks(fails)) : client().chat.completions.create(asks(fails));
      await assert.rejects(told, (error) => error instanceof APIError && !/Half|secret/.test(error.message));
    }
  });

  test("is given a refusal as one, and an answer that the limit has cut as that", async () => {
    const refuses = () => asks((call) => call.writeAll([delta({ refusal: "I can't " }), delta({ refusal: "say." }), delta({}, "stop"), DONE]));
    const whole = await client().chat.completions.create(refuses());
    assert.deepEqual([whole.choices[0].message.refusal, whole.choices[0].message.content], ["I can't say.", null]);
    const put = await client().chat.completions.stream(refuses()).finalChatCompletion();
    assert.deepEqual([put.choices[0].message.refusal, put.choices[0].message.content], ["I can't say.", null]);
    const cut = () => asks((call) => call.writeAll(chat(["It is"], { finish: "length" })));
    const { content, finish } = await streamed(cut());
    assert.deepEqual([content, finish], ["It is", ["length"]]);
    assert.equal((await client().chat.completions.create(cut())).choices[0].finish_reason, "length");
  });

  test("has its settings sent on", async () => {
    const settings = { temperature: 0.5, top_p: 0.9, max_completion_tokens: 64, stop: ["END"], seed: 7, presence_penalty: 0.1 };
    const request = { ...says("Fine."), ...settings, response_format: { type: "json_object" }, user: "somebody" };
    await client().chat.completions.create(request);
    const [{ body }] = callsOf(request);
    assert.deepEqual([body.temperature, body.top_p, body.stop, body.seed, body.presence_penalty], [0.5, 0.9, ["END"], 7, 0.1]);
    assert.equal(body.max_completion_tokens ?? body.max_tokens, 64);
    assert.deepEqual(body.response_format, { type: "json_object" });
    assert.equal(body.user, undefined);
  });
});

/** A proxy before the Worker that takes the first request to its end and drops the response. */
async function dropping() {
  const seen = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    seen.push(request.headers["idempotency-key"]);
    const drops = seen.length === 1;
    const { host, ...headers } = request.headers;
    const onward = http.request(`${worker.url}${request.url}`, { method: request.method, headers }, async (back) => {
      if (drops) {
        back.resume();
        back.on("end", () => request.socket.destroy());
        return;
      }
      response.writeHead(back.statusCode, back.headers);
      back.pipe(response);
    });
    onward.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  after(() => new Promise((done) => (server.close(done), server.closeAllConnections())));
  return { url: `http://127.0.0.1:${server.address().port}`, seen };
}

describe("a retry that the client makes by itself", { concurrency: true }, () => {
  for (const stream of [false, true]) {
    test(`executes once, ${stream ? "streamed" : "whole"}`, async () => {
      const proxy = await dropping();
      const [request, key] = [says("It is in Porto."), fresh("key")];
      const from = client({ url: proxy.url, maxRetries: 2, defaultHeaders: { "Idempotency-Key": key } });
      const content = stream
        ? (await streamed(request, from)).content
        : (await from.chat.completions.create(request)).choices[0].message.content;
      assert.equal(content, "It is in Porto.");
      assert.deepEqual(proxy.seen, [key, key]);
      assert.equal(callsOf(request).length, 1, "the model was asked once");
      const other = { ...request, messages: [{ role: "user", content: "Something else" }] };
      await assert.rejects(client({ defaultHeaders: { "Idempotency-Key": key } }).chat.completions.create(other), {
        status: 409,
        code: "run_conflict",
      });
    });
  }
});

test("a run that failed is told again under its key, and does not run again", async () => {
  const request = asks(async (call) => {
    await call.write(delta({ content: "Half" }));
    call.destroy();
  });
  const from = client({ defaultHeaders: { "Idempotency-Key": fresh("key") } });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await assert.rejects(from.chat.completions.create(request), { status: 502, code: "upstream_unavailable" });
    await assert.rejects(streamed(request, from), { code: "upstream_unavailable" });
  }
  assert.equal(callsOf(request).length, 1);
});

describe("a call that needs a person's word", { concurrency: true }, () => {
  const tape = recording("approval");

  for (const approved of [true, false]) {
    test(`is asked for by a call, and ${approved ? "made" : "not made"} as its result says`, async () => {
      const from = client({ url: asking.url, defaultHeaders: { "Lastword-Thread": fresh("thread") } });
      const request = { model: tape.model, messages: [{ role: "user", content: "My refund?" }] };
      const asked = await from.chat.completions.stream(request).finalChatCompletion();
      const { message, finish_reason } = asked.choices[0];
      assert.deepEqual([message.content, finish_reason, message.tool_calls.length], [null, "tool_calls", 1]);
      const [call] = message.tool_calls;
      assert.equal(call.function.name, "lastword_approval");
      const { message: question, tool_call_id, reason } = JSON.parse(call.function.arguments);
      assert.deepEqual([tool_call_id, reason], ["call_refund_1", "tool_call"]);
      assert.match(question, /issue_refund/);
      const { role, content, tool_calls } = message;
      const says = { role: "tool", tool_call_id: call.id, content: JSON.stringify({ approved }) };
      const messages = [...request.messages, { role, content, tool_calls }, says];
      const whole = await from.chat.completions.create({ ...request, messages });
      // The recording answers the same way whatever the person says.
      assert.equal(whole.choices[0].message.content, tape.answer);
      const events = await asking.eventsOf(whole.id.replace("chatcmpl-", ""), "operator");
      const tools = events.filter(({ type }) => type === "tool_end").map(({ outcome }) => outcome);
      assert.deepEqual(tools, [approved ? "ok" : "error"]);
      assert.deepEqual(leaks(tape.narration, Buffer.from(JSON.stringify([asked, whole]))), []);
    });
  }

  test("is an error where the client is not to be asked by calls", async () => {
    const request = { model: tape.model, messages: [{ role: "user", content: "My refund?" }] };
    const from = client({ url: silent.url });
    await assert.rejects(from.chat.completions.create(request), { status: 409, code: "approval_required" });
    await assert.rejects(streamed(request, from), { code: "approval_required" });
  });
});
