// The sizes that a configuration sets: of a body, read no further than it may be, and of what a model says.

import assert from "node:assert/strict";
import http from "node:http";
import { after, describe, test } from "node:test";
import { PATIENCE, whole } from "./lib/http.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_BODY_BYTES: "4096", LASTWORD_OUTPUT_BYTES: "1000" }));

/** A request's body of that many bytes. */
function sized(bytes) {
  const text = fresh("sized");
  upstream.on(text, async (call) => {
    for (const frame of chat(["Fine."])) await call.write(frame);
    await call.end();
  });
  const input = runInput({ text });
  const body = JSON.stringify(input);
  return JSON.stringify({ ...input, state: { pad: "x".repeat(bytes - body.length - '"pad":""'.length) } });
}

/** Begins a body and never ends it; gives the response. `promised` is its length, where one is said. */
function beginning(piece, promised, type = "application/json") {
  return new Promise((done, fail) => {
    const headers = { "content-type": type, ...(promised ? { "content-length": promised } : {}) };
    const request = http.request(`${worker.url}/agui`, { method: "POST", headers, agent: false, signal: AbortSignal.timeout(PATIENCE) });
    request.on("error", fail);
    request.on("response", async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      request.on("error", () => {}).destroy();
      done({ status: response.statusCode, code: JSON.parse(text).error.code });
    });
    request.flushHeaders();
    if (piece) request.write(piece);
  });
}

describe("a body", { concurrency: true }, () => {
  test("of exactly the limit is taken, and one byte more is not", async () => {
    assert.equal(Buffer.byteLength(sized(4096)), 4096);
    const post = (body) => whole(`${worker.url}/agui`, { method: "POST", body });
    assert.equal((await post(sized(4096))).status, 200);
    const { status, text } = await post(sized(4097));
    assert.deepEqual([status, JSON.parse(text).error.code], [413, "body_too_large"]);
    assert.match(text, /4096 bytes/);
  });

  test("that says that it is longer is refused before any of it is sent", async () => {
    assert.deepEqual(await beginning(undefined, "4097"), { status: 413, code: "body_too_large" });
  });

  test("that says nothing is refused as soon as it is longer, though it never ends", async () => {
    assert.deepEqual(await beginning("x".repeat(4097)), { status: 413, code: "body_too_large" });
  });

  test("of another type is not read", async () => {
    assert.deepEqual(await beginning(undefined, "100", "text/plain"), { status: 415, code: "unsupported_media_type" });
  });
});

describe("what a model says", { concurrency: true }, () => {
  async function saying(...pieces) {
    const text = fresh("saying");
    upstream.on(text, async (call) => {
      for (const frame of chat(pieces)) await call.write(frame);
      await call.end();
    });
    const input = runInput({ text });
    return { input, exchange: await (await worker.post(input)).end() };
  }

  test("is published up to the limit, and not at all past it", async () => {
    const { exchange: fine } = await saying("é".repeat(250), "x".repeat(500));
    const answer = fine.frames.map(({ json }) => json.delta ?? "").join("");
    assert.deepEqual([fine.frames.at(-1).json.type, Buffer.byteLength(answer)], ["RUN_FINISHED", 1000]);
    const { input, exchange: over } = await saying("é".repeat(250), "x".repeat(501));
    const { type, code } = over.frames.at(-1).json;
    assert.deepEqual([type, code, over.frames.length], ["RUN_ERROR", "output_limit", 2]);
    assert.equal((await worker.record(input.runId)).json.failure.code, "output_limit");
  });
});

test("a size that is out of bounds is a configuration error", async () => {
  for (const [name, value] of [["LASTWORD_BODY_BYTES", "1"], ["LASTWORD_OUTPUT_BYTES", "2000000"]]) {
    const wrong = await new Worker().start({ [name]: value });
    try {
      const { status, text } = await whole(`${wrong.url}/health`);
      assert.deepEqual([status, JSON.parse(text).error.code], [503, "not_configured"]);
      assert.ok(text.includes(name));
    } finally {
      await wrong.stop();
    }
  }
});
