// Large answers: one event can be several frames, and each frame has a cursor of its own.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { pool } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, byGet, runOracle } from "./lib/oracle.mjs";
import { assertWire, frameBytes, readSse } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
// Control characters are no business of the filter's here, which would remove them.
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_REDACT: '{"escapes":false}' }));
after(() => upstream.stop());

/** The most bytes of a frame with a piece of text. */
const FRAME = 64 << 10;

function answering(...pieces) {
  const text = fresh("large");
  upstream.on(text, async (call) => {
    await call.writeAll(chat(pieces));
    await call.end();
  });
  return text;
}

describe("a large answer", { concurrency: true }, () => {
  // Each of these characters takes six bytes in JSON, so 32 KiB of them are more than a frame holds.
  const controls = "\u0001".repeat(40_000);

  test("whose pieces take several frames is read on behind each of them", async () => {
    const input = runInput({ text: answering(controls) });
    const { frames } = await (await worker.post(input)).end();
    assertWire(frames);
    assert.ok(frames.some(({ id }) => id.includes(".")), "some frames are parts of an event");
    assert.ok(frames.every(({ raw }) => raw.length < FRAME + 1_024));
    assert.equal(frames.map(({ json }) => json.delta ?? "").join(""), controls);
    await pool(frames, 8, async ({ id }, index) => {
      const tail = await (await worker.join(input.runId, id)).end();
      assert.equal(frameBytes(tail.frames), frameBytes(frames.slice(index + 1)), `behind ${id}`);
    });
    const operator = await (await worker.events(input.runId, { view: "operator" })).end();
    assertWire(operator.frames);
    const heard = operator.frames.map(({ json }) => (json.type === "intermediate" ? json.delta : "")).join("");
    assert.equal(heard, controls);
  });

  const cases = {
    "of control characters": controls,
    "of line separators and quotes": '\u2028\u2029"\\\r\n</script>'.repeat(5_000),
    "of characters of four bytes": "👩‍👩‍👧‍👦🏳️‍🌈".repeat(10_000),
    "of nearly a mebibyte": "All work and no play. ".repeat(47_000),
    "of blanks": " \n ",
  };
  for (const [name, answer] of Object.entries(cases)) {
    test(`${name} reaches the official client whole, live and late`, async () => {
      // Cut where it may fall, also inside a joined character, but never inside a code point.
      const pieces = Array.from({ length: Math.ceil(answer.length / 50_000) }, (_, at) => answer.slice(at * 50_000, (at + 1) * 50_000));
      const [text, thread, question, runId] = [answering(...pieces), fresh("thread"), fresh("q"), fresh("run")];
      const agent = agentWithHistory(worker.url, { thread, question, text });
      const before = structuredClone(agent.messages);
      const { transcript } = await runOracle(agent, { runId });
      assertAnswer(transcript, before, answer);
      assert.ok(readSse(agent.captured[0]).frames.every(({ raw }) => raw.length < FRAME + 1_024));
      const late = agentWithHistory(worker.url, { thread, question, text, via: byGet(worker.url, runId) });
      assert.deepEqual((await runOracle(late, { runId })).transcript, transcript);
    });
  }
});
