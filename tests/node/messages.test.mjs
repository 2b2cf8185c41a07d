// Anthropic's own client against POST /v1/messages.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import Anthropic, { APIError, BadRequestError, InternalServerError } from "@anthropic-ai/sdk";
import { firstCalls, leaks, recording } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

const worker = sharedWorker();
const shown = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=true", LASTWORD_APPROVALS: "call" });
const live = sharedWorker(upstreamVars(upstream, { LASTWORD_RETRIES: "0" }));

/** A client, and the bytes of the answers that it was given. `via` may lose an answer once it is there. */
function clientOf(at, { via = (response) => response, ...options } = {}) {
  const bytes = [];
  const keep = async (url, init) => {
    const response = await fetch(url, init);
    const body = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    bytes.push(Buffer.from(body).toString());
    return via(new Response(body, response));
  };
  const client = new Anthropic({ apiKey: "test", baseURL: at.url, maxRetries: 0, fetch: keep, ...options });
  return Object.assign(client, { bytes });
}

const ask = (model, text = "Hello?") => ({ model, max_tokens: 256, messages: [{ role: "user", content: text }] });
const tool = (name) => ({ name, description: "A tool of the app.", input_schema: { type: "object", properties: {} } });
const texts = (message) => message.content.map((block) => block.text);

/** What the raw events of a stream come to. */
async function raw(client, body, options) {
  const events = [];
  for await (const event of await client.messages.create({ ...body, stream: true }, options)) events.push(event);
  return { events, text: events.map((event) => event.delta?.text ?? "").join("") };
}

/** The message in each of the three ways of asking for it. */
const ways = {
  raw: async (client, body, options) => {
    const { events, text } = await raw(client, body, options);
    const { stop_reason } = events.at(-2).delta;
    return { ...events[0].message, content: [{ type: "text", text }], stop_reason, usage: events.at(-2).usage };
  },
  stream: (client, body, options) => client.messages.stream(body, options).finalMessage(),
  whole: (client, body, options) => client.messages.create(body, options),
};

describe("a message", { concurrency: 4 }, () => {
  for (const [way, get] of Object.entries(ways)) {
    for (const [name, stop] of [["narrated-refund", "end_turn"], ["refusal", "refusal"], ["length-stop", "max_tokens"], ["empty-answer", "end_turn"]]) {
      test(`${name}, ${way}: the answer and nothing else`, async () => {
        const tape = recording(name);
        const client = clientOf(worker);
        const message = await get(client, ask(tape.model));
        assert.deepEqual(texts(message), [tape.answer]);
        assert.equal(message.stop_reason, stop);
        assert.equal(message.role, "assistant");
        assert.match(message.id, /^msg_./);
        assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens >= 0, JSON.stringify(message.usage));
        assert.deepEqual(leaks(tape.narration, client.bytes), []);
        assert.equal((await worker.record(message.id.slice(4))).json.status, "succeeded", "the id is the run's");
      });
    }

    test(`a run that dies, ${way}: an error with its code, and no half answer`, async () => {
      const tape = recording("death-mid-message");
      const client = clientOf(worker);
      const error = await get(client, ask(tape.model)).then(assert.fail, (error) => error);
      assert.ok(error instanceof APIError, `${error}`);
      assert.equal(error.type, "api_error");
      assert.equal(error.error.error.code, tape.failure);
      assert.equal(error.status, way === "whole" ? 502 : undefined);
      assert.deepEqual(leaks(tape.narration, client.bytes), []);
    });
  }

  test("tells times where the format has no slot for them", async () => {
    const { events } = await raw(clientOf(worker), ask("replay/narrated-refund"));
    const { timing } = await clientOf(worker).messages.create(ask("replay/narrated-refund"));
    for (const { ttft_ms, total_ms } of [events.at(-2).timing, timing]) assert.ok(ttft_ms > 0 && total_ms >= ttft_ms);
  });

  test("shows narration as thinking where it is public, and the answer is the same", async () => {
    const tape = recording("narrated-refund");
    const message = await clientOf(shown).messages.stream(ask(tape.model)).finalMessage();
    const whole = await clientOf(shown).messages.create(ask(tape.model));
    assert.deepEqual(whole.content, message.content);
    const thought = message.content.filter(({ type }) => type === "thinking").map(({ thinking }) => thinking);
    assert.deepEqual(tape.narration.filter((word) => !thought.join(" ").includes(word)), []);
    assert.equal(message.content.at(-1).text, tape.answer);
  });
});

describe("tools of the client", { concurrency: 4 }, () => {
  for (const way of ["stream", "whole"]) {
    test(`are called, their results are posted and the answer comes, ${way}`, async () => {
      const tape = recording("client-tools-parallel");
      const client = clientOf(worker);
      const body = { ...ask(tape.model), tools: tape.client_tools.map(tool) };
      const first = await ways[way](client, body);
      const calls = firstCalls(tape.name).map(({ id, function: { name, arguments: text } }) => ({ type: "tool_use", id, name, input: JSON.parse(text) }));
      assert.deepEqual(first.content, calls);
      assert.equal(first.stop_reason, "tool_use");
      const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: '{"ok":true}' }));
      const history = [...body.messages, { role: "assistant", content: first.content }, { role: "user", content: results }];
      const second = await ways[way](client, { ...body, messages: history });
      assert.deepEqual([texts(second), second.stop_reason], [[tape.answer], "end_turn"]);
      assert.deepEqual(leaks(tape.narration, client.bytes), []);
    });

    test(`an approval is asked for by a call where the wire is given that word, and goes on with its result, ${way}`, async () => {
      const tape = recording("approval");
      const client = clientOf(shown);
      const options = { headers: { "Lastword-Thread": fresh("thread") } };
      const first = await ways[way](client, ask(tape.model), options);
      const [call, ...more] = first.content.filter(({ type }) => type === "tool_use");
      assert.deepEqual([call.name, more.length, first.stop_reason], ["lastword_approval", 0, "tool_use"]);
      assert.equal(call.input.reason, "tool_call");
      const word = [{ type: "tool_result", tool_use_id: call.id, content: '{"approved":true}' }];
      const messages = [...ask(tape.model).messages, { role: "assistant", content: first.content }, { role: "user", content: word }];
      const second = await ways[way](client, { ...ask(tape.model), messages }, options);
      assert.deepEqual([second.content.at(-1).text, second.stop_reason], [tape.answer, "end_turn"]);
    });

    test(`an approval is an error where the wire is given no word for it, ${way}`, async () => {
      const error = await ways[way](clientOf(worker), ask("replay/approval")).then(assert.fail, (error) => error);
      assert.equal(error.error.error.code, "approval_required");
    });
  }
});

/** Says this in answer to that. */
function says(text, pieces) {
  upstream.on(text, async (call) => {
    await call.writeAll(chat(pieces));
    await call.end();
  });
}

describe("a request that is sent again", { concurrency: 4 }, () => {
  for (const way of Object.keys(ways)) {
    test(`by the client itself, ${way}: runs once, and the answer is that of the first`, async () => {
      const text = fresh("retry");
      says(text, ["One ", "answer."]);
      let lost = 2;
      const client = clientOf(live, {
        maxRetries: 2,
        via: (response) => {
          if (lost === 0) return response;
          lost -= 1;
          throw new TypeError("the connection broke");
        },
      });
      const message = await ways[way](client, ask("test-model", text), { headers: { "Idempotency-Key": text } });
      assert.deepEqual(texts(message), ["One answer."]);
      assert.equal(message.id, `msg_${text}`);
      assert.deepEqual([client.bytes.length, upstream.callsOf(text).length], [3, 1], "sent three times, and run once");
    });
  }

  test("under the key of another is refused, and the client does not send it again", async () => {
    const [key, text] = [fresh("key"), fresh("taken")];
    says(text, ["Yes."]);
    says(`${text}?`, ["No."]);
    const headers = { "Idempotency-Key": key };
    await clientOf(live).messages.create(ask("test-model", text), { headers });
    const client = clientOf(live, { maxRetries: 2 });
    const error = await client.messages.create(ask("test-model", `${text}?`), { headers }).then(assert.fail, (error) => error);
    assert.deepEqual([error.status, error.error.error.code, client.bytes.length], [409, "run_conflict", 1]);
    assert.equal(upstream.callsOf(`${text}?`).length, 0);
  });

  test("of a run that failed says the same failure, and asks nobody again", async () => {
    const text = fresh("failed");
    upstream.on(text, async (call) => {
      await call.writeAll(chat(["Half"]).slice(0, 1));
      call.destroy();
    });
    const client = clientOf(live, { maxRetries: 2 });
    const headers = { "Idempotency-Key": text };
    const error = await client.messages.create(ask("test-model", text), { headers }).then(assert.fail, (error) => error);
    assert.ok(error instanceof InternalServerError);
    assert.equal(error.error.error.code, "upstream_unavailable");
    assert.deepEqual([client.bytes.length, upstream.callsOf(text).length], [1, 1], "it is told that this helps nobody");
    const again = await client.messages.stream(ask("test-model", text), { headers }).finalMessage().then(assert.fail, (error) => error);
    assert.equal(again.error.error.code, "upstream_unavailable");
    assert.equal(upstream.callsOf(text).length, 1);
    assert.deepEqual(leaks(["Half"], client.bytes), []);
  });
});

describe("what is asked", { concurrency: 4 }, () => {
  test("reaches the provider", async () => {
    const text = fresh("asked");
    says(text, ["Fine."]);
    const body = {
      ...ask("test-model", text),
      ...{ system: "Be kind.", temperature: 0.5, top_p: 0.25, stop_sequences: ["END"], tools: [tool("look")] },
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    };
    await clientOf(live).messages.create(body);
    const [{ body: sent }] = upstream.callsOf(text);
    assert.deepEqual(sent.messages, [{ role: "system", content: "Be kind." }, { role: "user", content: text }]);
    assert.deepEqual([sent.temperature, sent.top_p, sent.stop, sent.tool_choice], [0.5, 0.25, ["END"], "required"]);
    assert.deepEqual([sent.parallel_tool_calls, sent.tools.map((tool) => tool.function.name)], [false, ["look"]]);
    assert.equal(sent.max_tokens ?? sent.max_completion_tokens, 256);
  });

  test("and can't be had is refused by name", async () => {
    const client = clientOf(worker, { maxRetries: 2 });
    const body = { ...ask("replay/refusal"), tools: [{ type: "web_search_20260318", name: "web_search" }] };
    for (const stream of [true, false]) {
      const error = await client.messages.create({ ...body, stream }).then(assert.fail, (error) => error);
      assert.ok(error instanceof BadRequestError, `${error}`);
      assert.deepEqual([error.type, error.error.error.code], ["invalid_request_error", "invalid_input"]);
      assert.match(error.message, /tools\[0\]\.type must be custom/);
    }
    assert.equal(client.bytes.length, 2, "and not sent again");
  });
});
