// The provider's stream cut at every place: it dies there and nothing is published, or it had ended and all is.
// And chunks cut at every byte change nothing.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { pool } from "./lib/http.mjs";
import { leaks } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const worker = sharedWorker(upstreamVars(upstream));
after(() => upstream.stop());

/** How many runs at a time. */
const WIDTH = 12;

const PIECES = ["Grüße", " aus 東京", " 👋🏽!"];
const ANSWER = PIECES.join("");
const FRAMES = chat(PIECES, { reasoning: ["Hmm…"] });
const STREAM = Buffer.concat(FRAMES);
/** Words of the answer, none of which may be published by a stream that died. */
const WORDS = ["Grüße", "aus", "東京", "👋", "Hmm"];

/** Behind the finish the response has said how it ended: nothing of it can be missing, however the connection ends. */
const FINISHED = STREAM.indexOf("data: [DONE]");

/** Every place where a cut is tried: behind each line end, in the middle of each line, inside each character. */
function cuts() {
  const places = new Set([0]);
  let line = 0;
  for (const [at, byte] of STREAM.entries()) {
    // The second byte of a character and those behind it.
    if ((byte & 0xc0) === 0x80) places.add(at);
    if (byte !== 0x0a) continue;
    places.add(at + 1);
    places.add(at);
    places.add(line + Math.floor((at - line) / 2));
    line = at + 1;
  }
  return [...places].sort((a, b) => a - b);
}

async function run(script) {
  const input = runInput({ text: fresh("cut") });
  upstream.on(input.messages[0].content, script);
  const exchange = await (await worker.post(input)).end();
  assert.equal(upstream.callsOf(input.messages[0].content).length, 1);
  return { input, exchange };
}

const textOf = ({ frames }) => frames.map(({ json }) => json.delta ?? "").join("");

function assertSucceeded({ exchange }, what) {
  assert.equal(exchange.frames.at(-1).json.type, "RUN_FINISHED", what);
  assert.equal(textOf(exchange), ANSWER, what);
}

async function assertDied({ input, exchange }, what) {
  assert.deepEqual(exchange.frames.map(({ json }) => json.type), ["RUN_STARTED", "RUN_ERROR"], what);
  assert.equal(exchange.frames[1].json.code, "upstream_unavailable", what);
  const canonical = await (await worker.events(input.runId)).end();
  const record = await worker.record(input.runId);
  assert.equal(record.json.status, "failed", what);
  assert.equal(record.json.failure.code, "upstream_unavailable", what);
  for (const bytes of [exchange.bytes, canonical.bytes, record.text]) assert.deepEqual(leaks(WORDS, bytes), [], what);
}

describe("a response cut", { concurrency: true }, () => {
  test("by an end of its body is whole or nothing", async () => {
    await pool(cuts(), WIDTH, async (cut) => {
      const result = await run(async (call) => {
        await call.write(STREAM.subarray(0, cut));
        await call.end();
      });
      if (cut >= FINISHED) assertSucceeded(result, `cut at ${cut}`);
      else await assertDied(result, `cut at ${cut}`);
    });
  });

  test("by a connection that dies is whole or nothing", async () => {
    await pool(cuts(), WIDTH, async (cut) => {
      const result = await run(async (call) => {
        await call.write(STREAM.subarray(0, cut));
        await tick();
        call.destroy();
      });
      if (cut >= FINISHED) assertSucceeded(result, `dead at ${cut}`);
      else await assertDied(result, `dead at ${cut}`);
    });
  });

  test("into two chunks, at each byte in turn, is the same answer", async () => {
    const places = Array.from({ length: STREAM.length - 1 }, (_, index) => index + 1);
    await pool(places, WIDTH, async (at) => {
      const chunks = [STREAM.subarray(0, at), STREAM.subarray(at)];
      const result = await run(async (call) => {
        await call.writeAll(chunks, 2);
        await call.end();
      });
      assertSucceeded(result, `split at ${at}`);
    });
  });

  test("into single bytes is the same answer", async () => {
    const bytes = Array.from(STREAM, (byte) => Buffer.from([byte]));
    const result = await run(async (call) => {
      await call.writeAll(bytes, 1);
      await call.end();
    });
    assertSucceeded(result);
  });

  test("not at all, but one JSON body, is the same answer", async () => {
    const message = { role: "assistant", content: ANSWER };
    const result = await run(async (call) => {
      call.head(200, { "content-type": "application/json" });
      await call.write(JSON.stringify({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] }));
      await call.end();
    });
    assertSucceeded(result);
  });

  test("by CRLF line ends, cut between CR and LF, is the same answer", async () => {
    const crlf = Buffer.from(STREAM.toString().replaceAll("\n", "\r\n"));
    const borders = [...crlf.entries()].filter(([, byte]) => byte === 0x0d).map(([at]) => at + 1);
    const chunks = [0, ...borders].map((from, index) => crlf.subarray(from, borders[index]));
    const result = await run(async (call) => {
      await call.writeAll(chunks, 2);
      await call.end();
    });
    assertSucceeded(result);
  });
});
