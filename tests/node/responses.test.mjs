// OpenAI's own client against the Responses routes: with one change of base URL the answer is the answer, and a failure is
// an error.

import assert from "node:assert/strict";
import http from "node:http";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI, { APIError, BadRequestError, NotFoundError } from "openai";
import { leaks, recording } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" }));
const recorded = sharedWorker();
const open = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=true" });

const client = ({ url = worker.url, ...options } = {}) =>
  new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0, ...options });

const frame = (value) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const delta = (delta, finish_reason = null) => frame({ choices: [{ index: 0, delta, finish_reason }] });
const DONE = Buffer.from("data: [DONE]\n\n");
const WEATHER = { type: "function", name: "pick", description: "", parameters: { type: "object" }, strict: false };

/** The request for which the upstream has this script. */
function asks(script, rest = {}) {
  const input = fresh("responses");
  upstream.on(input, async (call) => {
    await script(call, upstream.callsOf(input).length);
    await call.end();
  });
  return { model: "test-model", input, ...rest };
}

const says = (text, rest) => asks((call) => call.writeAll(chat([text], { reasoning: ["Let me think."] })), rest);
const dies = () => asks((call) => call.write(delta({ content: "Half of it" })));
const slow = (rest) =>
  asks(async (call) => {
    await sleep(2500);
    await call.writeAll(chat(["Fine."]));
  }, rest);

/** All events of a stream. */
async function events(stream) {
  const list = [];
  for await (const event of await stream) list.push(event);
  return list;
}

const streamed = (request, from = client()) => events(from.responses.create({ ...request, stream: true }));
const textOf = (list) => list.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta).join("");
const final = (request, from = client()) => from.responses.stream(request).finalResponse();

describe("OpenAI's client", { concurrency: true }, () => {
  test("is streamed the answer, event by event in order, and can put the response together", async () => {
    const list = await streamed(says("It is in Porto."));
    assert.deepEqual(list.map(({ sequence_number }) => sequence_number), list.map((_, at) => at));
    assert.deepEqual([list[0].type, list[1].type, list.at(-1).type], ["response.created", "response.in_progress", "response.completed"]);
    assert.equal(textOf(list), "It is in Porto.");
    assert.doesNotMatch(JSON.stringify(list), /think/);
    const put = await final(says("It is in Porto."));
    assert.deepEqual([put.status, put.output_text], ["completed", "It is in Porto."]);
    const whole = await client().responses.create(says("It is in Porto."));
    assert.deepEqual([whole.status, whole.output_text, whole.output.length], ["completed", "It is in Porto.", 1]);
    assert.ok(whole.timing.answer_ms >= whole.timing.ttft_ms && whole.timing.total_ms >= whole.timing.answer_ms);
  });

  test("has only the answer of a turn that narrates, also where narration is public", async () => {
    const { answer, narration } = recording("narrated-refund");
    const request = { model: "replay/narrated-refund", input: "Where is my refund?" };
    const from = client({ url: recorded.url });
    assert.deepEqual(leaks(narration, JSON.stringify(await streamed(request, from))), []);
    const shown = client({ url: open.url });
    for (const [response, items] of [[await final(request, from), 1], [await final(request, shown), 2], [await shown.responses.create(request), 2]]) {
      assert.equal(response.output_text, answer);
      assert.equal(response.output.filter(({ type }) => type === "message").length, 1);
      assert.ok(response.output.length >= items);
    }
  });

  test("sees a turn that died as a failure, with none of its text", async () => {
    for (const attempt of [streamed, final, (request) => client().responses.create(request)]) {
      await assert.rejects(attempt(dies()), (error) => {
        assert.ok(error instanceof APIError, String(error));
        assert.equal(error.code, "upstream_unavailable");
        assert.doesNotMatch(JSON.stringify(error), /Half/);
        return true;
      });
    }
  });

  test("sees a cancelled run as one, streamed and asked for", async () => {
    const stream = await client().responses.create(slow({ stream: true }));
    const seen = [];
    const read = (async () => {
      for await (const event of stream) {
        seen.push(event);
        if (event.type === "response.in_progress") {
          const cancelled = await client().responses.cancel(event.response.id);
          assert.equal(cancelled.status, "cancelled");
        }
      }
    })();
    await assert.rejects(read, (error) => error instanceof APIError && error.code === "cancelled");
    const { id } = seen[0].response;
    const later = await client().responses.retrieve(id);
    assert.deepEqual([later.status, later.output], ["cancelled", []]);
    assert.equal((await client().responses.cancel(id)).status, "cancelled", "again");
  });

  test("is told that an answer is cut by the limit, or refused", async () => {
    const cut = asks((call) => call.writeAll(chat(["It is"], { finish: "length" })));
    const { status, incomplete_details, output_text } = await final(cut);
    assert.deepEqual([status, incomplete_details, output_text], ["incomplete", { reason: "max_output_tokens" }, "It is"]);
    const refused = asks((call) => call.writeAll([delta({ refusal: "I can't." }), delta({}, "stop"), DONE]));
    for (const response of [await final(refused), await client().responses.create(refused)]) {
      const [{ type, refusal }] = response.output[0].content;
      assert.deepEqual([type, refusal], ["refusal", "I can't."]);
      assert.equal(response.output_text, "");
    }
  });

  test("goes on behind the event that it has had, and the whole is what an unbroken stream has", async () => {
    const request = slow({ stream: true, background: true });
    const stream = await client().responses.create(request);
    const had = [];
    for await (const event of stream) {
      had.push(event);
      if (event.type === "response.in_progress") break;
    }
    const { id } = had[0].response;
    assert.equal(had[0].response.status, "queued");
    const rest = await events(client().responses.retrieve(id, { stream: true, starting_after: had.at(-1).sequence_number }));
    const all = await events(client().responses.retrieve(id, { stream: true }));
    assert.deepEqual([...had, ...rest], all);
    assert.deepEqual([textOf(rest), all.at(-1).type], ["Fine.", "response.completed"]);
    const put = await client().responses.stream({ response_id: id, starting_after: 2 }).finalResponse();
    assert.equal(put.output_text, "Fine.");
  });

  test("goes on after its connection was cut", async () => {
    const request = slow();
    const cutter = http.createServer((incoming, response) => {
      const through = http.request(worker.url + incoming.url, { method: incoming.method, headers: incoming.headers }, (from) => {
        response.writeHead(from.statusCode, from.headers);
        from.once("data", (chunk) => {
          response.write(chunk);
          setTimeout(() => response.destroy(), 50);
        });
      });
      incoming.pipe(through);
      through.on("error", () => {});
    });
    await new Promise((done) => cutter.listen(0, "127.0.0.1", done));
    after(() => cutter.close());
    const seen = [];
    const cut = (async () => {
      const from = client({ url: `http://127.0.0.1:${cutter.address().port}` });
      for await (const event of await from.responses.create({ ...request, stream: true })) seen.push(event);
    })();
    await assert.rejects(cut);
    assert.equal(textOf(seen), "");
    const { id } = seen[0].response;
    const rest = await events(client().responses.retrieve(id, { stream: true, starting_after: seen.at(-1).sequence_number }));
    assert.equal(textOf(rest), "Fine.");
    assert.equal(upstream.callsOf(request.input).length, 1, "it ran once");
  });

  test("waits through a long silence, streamed and whole", async () => {
    assert.equal((await final(slow())).output_text, "Fine.");
    assert.equal((await client().responses.create(slow())).output_text, "Fine.");
  });

  test("polls what runs in the background", async () => {
    const begun = await client().responses.create(slow({ background: true }));
    assert.ok(["queued", "in_progress"].includes(begun.status));
    assert.deepEqual(begun.output, []);
    let response = begun;
    for (let tries = 0; tries < 100 && response.status !== "completed"; tries += 1) {
      await sleep(100);
      response = await client().responses.retrieve(begun.id);
    }
    assert.deepEqual([response.output_text, response.background], ["Fine.", true]);
  });

  test("runs its tools, and goes on by sending items back or by the response's id", async () => {
    const call = { index: 0, id: "call_1", type: "function", function: { name: "pick", arguments: '{"n":1}' } };
    const picks = () =>
      asks(
        (to, nth) => (nth === 1 ? to.writeAll([delta({ content: "Let me look." }), delta({ tool_calls: [call] }), delta({}, "tool_calls"), DONE]) : to.writeAll(chat(["It is 7."]))),
        { tools: [WEATHER] },
      );
    for (const goesOn of ["items", "id"]) {
      const request = picks();
      const first = await final(request);
      assert.equal(first.output_text, "");
      assert.deepEqual(first.output.map(({ type, name, arguments: given }) => [type, name, given]), [["function_call", "pick", '{"n":1}']]);
      const [{ call_id }] = first.output;
      const result = { type: "function_call_output", call_id, output: "7" };
      const next =
        goesOn === "id"
          ? { ...request, previous_response_id: first.id, input: [result] }
          : { ...request, input: [{ role: "user", content: request.input }, ...first.output, result] };
      assert.equal((await client().responses.create(next)).output_text, "It is 7.");
      const { messages } = upstream.callsOf(request.input)[1].body;
      assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool"]);
      assert.deepEqual([messages[1].tool_calls[0].id, messages[2].tool_call_id, messages[2].content], [call_id, call_id, "7"]);
    }
  });

  test("goes on from a stored response, whose instructions are not carried over, until it is deleted", async () => {
    const first = await client().responses.create(says("Porto.", { instructions: "Be brief." }));
    const request = says("Lisbon.", { previous_response_id: first.id, instructions: "Be kind." });
    assert.equal((await client().responses.create(request)).previous_response_id, first.id);
    const [{ body }] = upstream.callsOf(request.input);
    assert.deepEqual(body.messages.map(({ role, content }) => [role, content]).slice(0, 3), [
      ["system", "Be kind."],
      ["user", body.messages[1].content],
      ["assistant", "Porto."],
    ]);
    assert.equal(body.messages.length, 4);
    const { data } = await client().responses.inputItems.list(first.id, { order: "asc" });
    assert.ok(data.some(({ role }) => role === "user"));
    await client().responses.delete(first.id);
    await assert.rejects(client().responses.retrieve(first.id), (error) => error instanceof APIError && [404, 410].includes(error.status));
    await assert.rejects(client().responses.create({ ...request, input: fresh("responses") }), (error) => [404, 410].includes(error.status));
  });

  test("names items of stored responses by their ids, as the AI SDK does by itself", async () => {
    const first = await client().responses.create(says("Porto."));
    const request = says("Lisbon.");
    const named = (id) => ({ ...request, input: [{ type: "item_reference", id }, { role: "user", content: request.input }] });
    assert.equal((await client().responses.create(named(first.output[0].id))).output_text, "Lisbon.");
    const [{ body }] = upstream.callsOf(request.input);
    assert.deepEqual(body.messages.map(({ role, content }) => [role, content]), [["assistant", "Porto."], ["user", request.input]]);
    for (const id of ["msg_nobody_0", `${first.output[0].id}9`]) {
      await assert.rejects(client().responses.create(named(id)), (error) => error instanceof BadRequestError && error.message.includes("input[0].id"));
    }
  });

  test("gets a conversation summarised, and goes on from the summary", async () => {
    const { answer } = recording("narrated-refund");
    const told = { model: "replay/narrated-refund", input: "Where is my refund?" };
    const compacted = await client({ url: recorded.url }).responses.compact(told);
    assert.equal(compacted.object, "response.compaction");
    assert.ok(compacted.output.some(({ type }) => type === "compaction"));
    const request = says("Fine.");
    const next = await client().responses.create({ ...request, input: [...compacted.output, { role: "user", content: request.input }] });
    assert.equal(next.output_text, "Fine.");
    assert.ok(upstream.callsOf(request.input)[0].text.includes(answer));
  });

  test("is told by field what is wrong, in OpenAI's form", async () => {
    for (const [wrong, field] of [
      [{ input: 7 }, "input"],
      [{ input: [{ role: "user", content: [{ type: "input_image", image_url: 7 }] }] }, "input[0].content[0].image_url"],
      [{ tools: [{ type: "web_search_preview" }] }, "tools[0].type"],
      [{ temperature: "hot" }, "temperature"],
    ]) {
      await assert.rejects(client().responses.create({ ...says("no"), ...wrong }), (error) => {
        assert.ok(error instanceof BadRequestError, String(error));
        assert.equal(error.code, "invalid_input");
        assert.ok(error.message.includes(field), error.message);
        return true;
      });
    }
    await assert.rejects(client().responses.retrieve("resp_nobody"), NotFoundError);
    await assert.rejects(client().responses.create({ ...says("no"), previous_response_id: "resp_nobody" }), NotFoundError);
  });

  test("asks again by itself under one key, and the turn runs once", async () => {
    const request = says("Fine.");
    let requests = 0;
    const dropper = http.createServer((incoming, response) => {
      requests += 1;
      const first = requests === 1;
      const through = http.request(worker.url + incoming.url, { method: incoming.method, headers: incoming.headers }, (from) => {
        if (first) return response.destroy();
        response.writeHead(from.statusCode, from.headers);
        from.pipe(response);
      });
      incoming.pipe(through);
    });
    await new Promise((done) => dropper.listen(0, "127.0.0.1", done));
    after(() => dropper.close());
    const from = client({ url: `http://127.0.0.1:${dropper.address().port}`, maxRetries: 2 });
    const response = await from.responses.create(request, { headers: { "Idempotency-Key": fresh("key") } });
    assert.equal(response.output_text, "Fine.");
    assert.deepEqual([requests, upstream.callsOf(request.input).length], [2, 1]);
  });
});
