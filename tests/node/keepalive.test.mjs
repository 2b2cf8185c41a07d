// Answers that are no streams, of a model that is silent for long: white space keeps the connection alive, and the
// clients take it.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { PATIENCE } from "./lib/http.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

const HEARTBEAT = 1;
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_HEARTBEAT: `${HEARTBEAT}`, LASTWORD_RETRIES: "0" }));

/** How often a client must have been kept alive before the model says anything. */
const BEATS = 4;

/** A `fetch` that notes what comes and when, and a promise of so many pieces of white space. */
function watching() {
  const chunks = [];
  const alive = Promise.withResolvers();
  const note = new TransformStream({
    transform(chunk, controller) {
      chunks.push({ text: Buffer.from(chunk).toString(), at: performance.now() });
      if (chunks.length === BEATS) alive.resolve();
      controller.enqueue(chunk);
    },
  });
  const watched = async (url, init) => {
    const response = await fetch(url, init);
    chunks.headers = { status: response.status, type: response.headers.get("content-type"), at: performance.now() };
    return new Response(response.body.pipeThrough(note), response);
  };
  return { fetch: watched, chunks, alive: alive.promise };
}

const openai = (fetch) => new OpenAI({ apiKey: "test", baseURL: `${worker.url}/v1`, maxRetries: 0, fetch });
const anthropic = (fetch) => new Anthropic({ apiKey: "test", baseURL: worker.url, maxRetries: 0, fetch });

/** The three wires with answers that are no streams: a client's call, and the text and the error of what it gives. */
const wires = {
  responses: {
    call: (fetch, text) => openai(fetch).responses.create({ model: "test-model", input: text }),
    text: (response) => response.output_text,
    error: (response) => !response.output?.length && response.error.code,
  },
  "chat completions": {
    call: (fetch, text) => openai(fetch).chat.completions.create({ model: "test-model", messages: [{ role: "user", content: text }] }),
    text: (completion) => completion.choices[0].message.content,
    error: (body) => !body.choices && body.error.code,
  },
  messages: {
    call: (fetch, text) =>
      anthropic(fetch).messages.create({ model: "test-model", max_tokens: 64, messages: [{ role: "user", content: text }] }),
    text: (message) => message.content[0].text,
    error: (body) => !body.content && body.type === "error" && body.error.code,
  },
};

/** Calls while the model is silent until the client was kept alive so often; then the model goes on by `script`. */
async function silent(wire, script) {
  const text = fresh("silent");
  const { fetch, chunks, alive } = watching();
  upstream.on(text, async (call) => {
    await Promise.race([alive, new Promise((done) => setTimeout(done, PATIENCE).unref())]);
    await script(call);
  });
  return { given: await wire.call(fetch, text), chunks };
}

describe("white space in front of the answer", { concurrency: 3 }, () => {
  for (const [name, wire] of Object.entries(wires)) {
    test(`${name}: comes while the model is silent, and the client reads the answer behind it`, async () => {
      const { given, chunks } = await silent(wire, async (call) => {
        await call.writeAll(chat(["Late, ", "but whole."]));
        await call.end();
      });
      assert.equal(wire.text(given), "Late, but whole.");
      assert.deepEqual([chunks.headers.status, chunks.headers.type.split(";")[0]], [200, "application/json"]);
      const spaces = chunks.slice(0, BEATS);
      assert.deepEqual(spaces.filter(({ text }) => text === "" || text.trim() !== ""), [], "only white space");
      const times = [chunks.headers, ...spaces].map(({ at }) => at);
      const gaps = times.slice(1).map((at, index) => at - times[index]);
      // Twice as long as it should be: the machine may be busy.
      assert.ok(Math.max(...gaps) < 2_000 * HEARTBEAT, `${gaps}`);
      assert.equal(JSON.parse(chunks.map(({ text }) => text).join("")).id, given.id, "the whole is one JSON text");
    });

    test(`${name}: a failure behind it is an error, and nobody reads half an answer`, async () => {
      const { given, chunks } = await silent(wire, async (call) => {
        await call.writeAll(chat(["Half"]).slice(0, 1));
        call.destroy();
      });
      assert.equal(chunks.headers.status, 200, "it was sent long before");
      assert.equal(wire.error(given), "upstream_unavailable", JSON.stringify(given));
      assert.ok(!chunks.some(({ text }) => text.includes("Half")));
    });
  }
});
