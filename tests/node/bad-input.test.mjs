// Requests that are refused: status, code, and no word of what was sent.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whole } from "./lib/http.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const SECRET = ["tell", "nobody"].join("-");

const json = { "content-type": "application/json" };
const good = () => runInput({ model: "replay/length-stop", text: SECRET });
const without = (key) => Object.fromEntries(Object.entries(good()).filter(([name]) => name !== key));

/** A body over the limit of 1 MiB. */
const huge = () => ({ ...good(), messages: [{ id: "m", role: "user", content: "x".repeat(1_100_000) }] });
const deep = () => `{"threadId":"t","runId":"r","messages":[],"state":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;

const BODIES = {
  "no JSON": [`{"threadId": "${SECRET}", `, 400, "malformed_json"],
  "an empty body": ["", 400, "malformed_json"],
  "bytes that are no UTF-8": [Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, "malformed_json"],
  "an array": ["[]", 400, "invalid_input"],
  "no threadId": [without("threadId"), 400, "invalid_input"],
  "no runId": [without("runId"), 400, "invalid_input"],
  "no messages": [without("messages"), 400, "invalid_input"],
  "an empty runId": [{ ...good(), runId: "" }, 400, "invalid_input"],
  "a threadId that is a number": [{ ...good(), threadId: 7 }, 400, "invalid_input"],
  "a role that is none": [{ ...good(), messages: [{ id: "m", role: "oracle", content: "x" }] }, 400, "invalid_input"],
  "content that is a number": [{ ...good(), messages: [{ id: "m", role: "user", content: 7 }] }, 400, "invalid_input"],
  "a model that is not on offer": [runInput({ model: "replay/nothing" }), 400, "unknown_model"],
  "a protocol version to come": [{ ...good(), protocolVersion: "2.0" }, 400, "invalid_input"],
  "nesting of 5,000 levels": [deep(), 400, "invalid_input"],
  "more than a mebibyte": [huge(), 413, "body_too_large"],
};

describe("POST /agui refuses", { concurrency: true }, () => {
  for (const [name, [body, status, code]] of Object.entries(BODIES)) {
    test(name, async () => {
      await assertRefused("/agui", { method: "POST", headers: json, body }, status, code);
      const run = body.runId && (await worker.record(body.runId));
      assert.ok(!run || run.status === 404, "no run was begun");
    });
  }

  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonish"]) {
    test(`a body of type ${type}`, () =>
      assertRefused(
        "/agui",
        { method: "POST", headers: { "content-type": type }, body: JSON.stringify(good()) },
        415,
        "unsupported_media_type",
      ));
  }

  test("a body that grows past the limit without saying so up front", async () => {
    const response = await fetch(`${worker.url}/agui`, {
      method: "POST",
      headers: json,
      body: new Blob([JSON.stringify(huge())]).stream(),
      duplex: "half",
    });
    assert.equal(response.status, 413);
    assert.equal((await response.json()).error.code, "body_too_large");
  });

  test("nothing that is in order", async () => {
    const type = "Application/JSON; charset=utf-8";
    const { status, frames } = await (await worker.post(JSON.stringify(good()), { "content-type": type })).end();
    assert.equal(status, 200);
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
  });

  test("nothing where optional fields are null or absent, as older clients send them", async () => {
    const { threadId, runId, messages, forwardedProps } = good();
    const input = { threadId, runId, messages, forwardedProps, tools: null, context: null, state: null, parentRunId: null };
    const { frames } = await (await worker.post(input)).end();
    assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
    assert.ok(!("outcome" in frames.at(-1).json), "only a client that declared 1.0 is sent an outcome");
  });
});

describe("a route", { concurrency: true }, () => {
  const unknown = () => fresh("nobody");
  const CASES = {
    "that is none": ["GET", () => "/nowhere", 404, "not_found"],
    "below one that is": ["GET", () => "/agui/runs", 404, "not_found"],
    "with a wrong method": ["GET", () => "/agui", 405, "method_not_allowed"],
    "with a wrong method, /health": ["POST", () => "/health", 405, "method_not_allowed"],
    "with a wrong method, cancel": ["GET", () => `/v1/runs/${unknown()}/cancel`, 405, "method_not_allowed"],
    "with a wrong method, the record": ["PUT", () => `/v1/runs/${unknown()}`, 405, "method_not_allowed"],
    "of an unknown run, the record": ["GET", () => `/v1/runs/${unknown()}`, 404, "unknown_run"],
    "of an unknown run, its events": ["GET", () => `/v1/runs/${unknown()}/events`, 404, "unknown_run"],
    "of an unknown run, joined": ["GET", () => `/agui/runs/${unknown()}`, 404, "unknown_run"],
    "of an unknown run, cancelled": ["POST", () => `/v1/runs/${unknown()}/cancel`, 404, "unknown_run"],
    "with a cursor that is none": ["GET", () => `/v1/runs/${unknown()}/events?after=soon`, 400, "bad_cursor"],
    "with a view that is none": ["GET", () => `/v1/runs/${unknown()}/events?view=god`, 400, "invalid_input"],
    "with an id that is no UTF-8": ["GET", () => "/v1/runs/%FF", 400, "invalid_input"],
  };
  for (const [name, [method, path, status, code]] of Object.entries(CASES)) {
    test(name, () => assertRefused(path(), { method }, status, code));
  }

  for (const cursor of ["x", "-1", "1.0", "1.2.3", "1 ", "99999999999999999999999"]) {
    test(`with Last-Event-ID ${JSON.stringify(cursor)}`, async () => {
      const headers = { "last-event-id": cursor };
      // White space at a header's ends is no part of it.
      const [status, code] = cursor === "1 " ? [404, "unknown_run"] : [400, "bad_cursor"];
      await assertRefused(`/agui/runs/${unknown()}`, { headers }, status, code);
      await assertRefused(`/v1/runs/${unknown()}/events`, { headers }, status, code);
    });
  }
});

async function assertRefused(path, options, status, code) {
  const reply = await whole(`${worker.url}${path}`, options);
  assert.equal(reply.status, status, reply.text);
  assert.match(reply.headers["content-type"], /^application\/json/);
  const body = JSON.parse(reply.text);
  assert.deepEqual(Object.keys(body), ["error"]);
  assert.deepEqual(Object.keys(body.error), ["code", "message"]);
  assert.equal(body.error.code, code);
  assert.ok(!reply.text.includes(SECRET), "a refusal does not say what it was sent");
}

describe("ids", { concurrency: true }, () => {
  for (const [name, id] of Object.entries({
    "a slash and a dot": () => `../${fresh("a")}/b`,
    "spaces and a percent sign": () => `50 % ${fresh("of")} it`,
    "other scripts": () => `поток-流-🌊-${fresh("x")}`,
    "quotes": () => `"${fresh("q")}'\\`,
    "many bytes": () => `${fresh("long")}-${"x".repeat(1_000)}`,
  })) {
    test(`of ${name} are taken as they are`, async () => {
      const input = runInput({ run: id(), thread: id(), model: "replay/length-stop" });
      const { frames } = await (await worker.post(input)).end();
      const { threadId, runId } = frames[0].json;
      assert.deepEqual({ threadId, runId }, { threadId: input.threadId, runId: input.runId });
      const { json: record } = await worker.record(input.runId);
      assert.deepEqual({ run: record.run, thread: record.thread }, { run: input.runId, thread: input.threadId });
      assert.equal((await (await worker.join(input.runId)).end()).frames[0].json.runId, input.runId);
    });
  }
});
