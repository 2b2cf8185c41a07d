// A provider that refuses, fails, lies or says nothing: the client gets a code and a fixed sentence, and no word of
// what the provider said. And what a provider is asked.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { agentWithHistory, assertAnswer, HISTORY, runOracle } from "./lib/oracle.mjs";
import { leaks } from "./lib/recordings.mjs";
import { chat, KEY, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const decoy = await startUpstream();
const worker = sharedWorker(upstreamVars(upstream));
after(() => Promise.all([upstream.stop(), decoy.stop()]));

/** What an upstream might say that nobody else may read. Joined here, so that no file holds it. */
const SECRETS = [
  ["sk", "live", "a1b2c3d4e5f6"].join("-"),
  ["Bearer", "eyJhbGciOiJ", "signature"].join("."),
  ["postgres:", "", "admin:hunter2@db.internal:5432"].join("/"),
  ["quota of org", "acme", "is used up"].join("-"),
  ["/srv/app", "handlers", "chat.py"].join("/"),
];
const secretBody = () => ({ error: { message: SECRETS.join(" "), type: "x", code: SECRETS[0], param: SECRETS.slice(1) } });

/** Runs through the official client against a script; returns everything that anybody can read of it. */
async function everything(script) {
  const [text, runId] = [fresh("fault"), fresh("run")];
  upstream.on(text, script);
  const agent = agentWithHistory(worker.url, { text });
  const before = structuredClone(agent.messages);
  const { terminal, transcript } = await runOracle(agent, { runId });
  const readers = [worker.join(runId), worker.events(runId), worker.events(runId, { view: "operator" })];
  const views = await Promise.all(readers.map(async (opened) => (await (await opened).end()).text));
  const record = await worker.record(runId);
  const logs = worker.logs.join("\n");
  return { terminal, transcript, before, record, customer: [agent.captured[0], views[0], views[1], record.text], operator: views[2], logs };
}

async function assertFails(script, code) {
  const seen = await everything(script);
  assert.equal(seen.terminal.type, "RUN_ERROR");
  assert.equal(seen.terminal.code, code);
  assert.deepEqual(seen.transcript, seen.before);
  assert.equal(seen.record.json.status, "failed");
  assert.equal(seen.record.json.failure.code, code);
  for (const bytes of [...seen.customer, seen.operator, seen.logs]) assert.deepEqual(leaks([...SECRETS, KEY], bytes), []);
  assert.ok(seen.terminal.message.includes(seen.record.json.failure.reference), "the client can name the failure");
  assert.ok(seen.logs.includes(seen.record.json.failure.reference), "and the log knows it");
  return seen;
}

describe("a provider that refuses", { concurrency: true }, () => {
  const STATUSES = {
    400: "upstream_rejected",
    401: "upstream_rejected",
    404: "upstream_rejected",
    429: "upstream_unavailable",
    500: "upstream_unavailable",
    503: "upstream_unavailable",
  };
  for (const [status, code] of Object.entries(STATUSES)) {
    test(`with ${status} and a body full of secrets`, () =>
      assertFails(async (call) => {
        call.head(Number(status), { "content-type": "application/json", "x-debug": SECRETS[1] });
        await call.write(JSON.stringify(secretBody()));
        await call.end();
      }, code));
  }

  test("with a body that never ends is not waited for", () =>
    assertFails(async (call) => {
      call.head(500, { "content-type": "text/plain" });
      while (await call.write(SECRETS.join(" ").repeat(100))) await sleep(5);
    }, "upstream_unavailable"));

  test("by sending it elsewhere is not followed", async () => {
    await assertFails(async (call) => {
      call.head(307, { location: `${decoy.url}/chat/completions` });
      await call.end();
    }, "upstream_rejected");
    assert.equal(decoy.calls.length, 0);
  });

  test("by closing the connection at once", () => assertFails((call) => call.destroy(), "upstream_unavailable"));
});

describe("a provider that fails after 200", { concurrency: true }, () => {
  const begun = chat(["Private ", "thoughts"]).slice(0, 2);
  const after = (...rest) => async (call) => {
    await call.writeAll([...begun, ...rest.map((frame) => Buffer.from(frame))]);
    await call.end();
  };
  const FAULTS = {
    "with an error frame": [after(`data: ${JSON.stringify(secretBody())}\n\n`), "upstream_unavailable"],
    "with an event named error": [after(`event: error\ndata: ${SECRETS[0]}\n\n`), "upstream_unavailable"],
    "with an error and then a finish": [
      after(`data: ${JSON.stringify(secretBody())}\n\n`, ...chat(["more"])),
      "upstream_unavailable",
    ],
    "with data that is no JSON": [after(`data: ${SECRETS[2]}\n\n`), "upstream_malformed"],
    "with a page": [
      async (call) => {
        call.head(200, { "content-type": "text/html" });
        await call.write(`<!doctype html><title>${SECRETS[3]}</title>`);
        await call.end();
      },
      "upstream_malformed",
    ],
    "with an empty body": [(call) => call.end(), "upstream_unavailable"],
    "with bytes of no text": [
      async (call) => {
        await call.write(Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 37) % 256)));
        await call.end();
      },
      "upstream_malformed",
    ],
    "with bytes of no HTTP": [
      async (call) => {
        await call.writeAll(begun);
        await call.raw(`${SECRETS[4]}\r\n\r\n`);
        call.destroy();
      },
      "upstream_unavailable",
    ],
    "with one line of two megabytes": [after(`data: ${"x".repeat(2_000_000)}`), "upstream_malformed"],
    "with more text than the limit": [
      async (call) => {
        const piece = chat(["word ".repeat(10_000)])[0];
        for (let count = 0; count < 30; count += 1) await call.write(piece);
        await call.end();
      },
      "output_limit",
    ],
    "with a content filter": [
      async (call) => {
        await call.writeAll(chat(["Private ", "thoughts"], { finish: "content_filter" }));
        await call.end();
      },
      "content_filter",
    ],
  };
  for (const [name, [script, code]] of Object.entries(FAULTS)) {
    test(name, async () => {
      const { customer } = await assertFails(script, code);
      for (const bytes of customer) assert.deepEqual(leaks(["Private", "thoughts", "word word"], bytes), []);
    });
  }
});

describe("what a provider is asked", { concurrency: true }, () => {
  /** Runs once and returns the one request that the upstream got. */
  async function asked(overlay, text = fresh("asked")) {
    upstream.on(text, async (call) => {
      await call.writeAll(chat(["Fine."]));
      await call.end();
    });
    const input = runInput({ text, ...(typeof overlay === "function" ? overlay(text) : overlay) });
    const { frames } = await (await worker.post(input)).end();
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
    const calls = upstream.callsOf(text);
    assert.equal(calls.length, 1);
    return calls[0];
  }

  test("the conversation, the tools, the model and the key", async () => {
    const parameters = { type: "object", properties: { day: { type: "string" } }, required: ["day"] };
    const call = { id: "call-1", type: "function", function: { name: "pick_day", arguments: '{"day":"Monday"}' } };
    const request = await asked((text) => ({
      messages: [
        { id: "m0", role: "system", content: "Be brief." },
        ...HISTORY.slice(0, 2),
        { id: "m1", role: "user", content: text },
        { id: "m2", role: "assistant", toolCalls: [call] },
        { id: "m3", role: "tool", toolCallId: "call-1", content: "Monday it is" },
      ],
      tools: [{ name: "pick_day", description: "Lets the person pick.", parameters }],
      context: [{ description: "Language", value: "English" }],
    }));
    assert.deepEqual([request.method, request.path], ["POST", "/v1/chat/completions"]);
    assert.equal(request.headers.authorization, `Bearer ${KEY}`);
    assert.match(request.headers["content-type"], /^application\/json/);
    const { model, stream, messages, tools } = request.body;
    assert.deepEqual({ model, stream }, { model: "test-model", stream: true });
    assert.deepEqual(tools, [
      { type: "function", function: { name: "pick_day", description: "Lets the person pick.", parameters } },
    ]);
    assert.deepEqual(messages.map(({ role }) => role), ["system", "system", "user", "assistant", "user", "assistant", "tool"]);
    assert.match(messages[0].content, /Language:\nEnglish/);
    assert.equal(messages[1].content, "Be brief.");
    assert.deepEqual(messages[3], { role: "assistant", content: HISTORY[1].content });
    assert.deepEqual(messages[5].tool_calls, [call]);
    assert.deepEqual(messages[6], { role: "tool", tool_call_id: "call-1", content: "Monday it is" });
  });

  test("a picture goes along as a part", async () => {
    const source = { type: "data", value: Buffer.from("not really a picture").toString("base64"), mimeType: "image/png" };
    const request = await asked((text) => ({
      messages: [{ id: "m1", role: "user", content: [{ type: "text", text }, { type: "image", source }] }],
    }));
    const [, image] = request.body.messages[0].content;
    assert.deepEqual(image, { type: "image_url", image_url: { url: `data:image/png;base64,${source.value}` } });
  });

  test("a part that the format has no place for is refused before anything begins", async () => {
    const source = { type: "url", value: "https://example.com/film.mp4" };
    const input = runInput({ messages: [{ id: "m1", role: "user", content: [{ type: "video", source }] }] });
    const { status, text } = await (await worker.post(input)).end();
    assert.equal(status, 422);
    assert.equal(JSON.parse(text).error.code, "unsupported_part");
    assert.equal((await worker.record(input.runId)).status, 404);
  });

  test("the address is never the client's to choose", async () => {
    const [text, url] = [fresh("asked"), `${decoy.url}/chat/completions`];
    const forwardedProps = { model: "test-model", url, baseUrl: url, base_url: url, upstreamUrl: url, LASTWORD_UPSTREAM_URL: url };
    const request = await asked({ forwardedProps, state: { url } }, text);
    assert.equal(request.path, "/v1/chat/completions");
    assert.equal(decoy.callsOf(text).length, 0);
    assert.ok(!request.text.includes(decoy.url));
  });

  test("the client's own headers and identity do not travel on", async () => {
    const text = fresh("asked");
    upstream.on(text, async (call) => {
      await call.writeAll(chat(["Fine."]));
      await call.end();
    });
    const headers = { authorization: "Bearer the-client", cookie: "session=1", "x-forwarded-for": "192.0.2.1" };
    await (await worker.post(runInput({ text }), headers)).end();
    const [{ headers: sent }] = upstream.callsOf(text);
    assert.equal(sent.authorization, `Bearer ${KEY}`);
    assert.equal(sent.cookie, undefined);
    assert.equal(sent["x-forwarded-for"], undefined);
  });

  test("narration of the model reaches the operator while the provider still holds the response open", async () => {
    const [text, runId] = [fresh("held"), fresh("run")];
    let release;
    const released = new Promise((done) => (release = done));
    upstream.on(text, async (call) => {
      await call.writeAll(chat(["Let ", "me ", "think "], { reasoning: ["Secretly"] }).slice(0, 4));
      await released;
      await call.writeAll(chat(["aloud."]));
      await call.end();
    });
    const agent = agentWithHistory(worker.url, { text, onHeaders: () => started() });
    let started;
    const hasStarted = new Promise((done) => (started = done));
    const before = structuredClone(agent.messages);
    const running = runOracle(agent, { runId });
    await hasStarted;
    const operator = await worker.events(runId, { view: "operator" });
    const heard = ({ frames }) => frames.map(({ json }) => json.delta ?? "").join("");
    await operator.until((exchange) => heard(exchange) === "SecretlyLet me think ", "what the model has said so far");
    assert.equal((await worker.record(runId)).json.status, "started");
    assert.deepEqual(leaks(["think", "Secretly"], agent.captured[0]), [], "the customer has none of it yet");
    release();
    assertAnswer((await running).transcript, before, "Let me think aloud.");
    await operator.end();
    assert.deepEqual(leaks(["Secretly"], agent.captured[0]), []);
  });
});
