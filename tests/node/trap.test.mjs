// A trap ends the WebAssembly instance: what was in flight is told so, and the next request is served.

import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../js/scripts/serve.mjs";
import { TRAP } from "./lib/worker.mjs";

const post = (url, runId, headers) =>
  fetch(`${url}/agui`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      threadId: `thread-${runId}`,
      runId,
      messages: [{ id: "m1", role: "user", content: "Hello" }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: { model: "replay/narrated-refund" },
    }),
  });

/** What is left of a stream. */
async function drain(reader) {
  const chunks = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  return Buffer.concat(chunks).toString();
}

test("a trap interrupts the streams of its instance and nothing after it", async (t) => {
  const logs = [];
  const vars = { LASTWORD_DEV: "1" };
  const server = await serve({ vars, prelude: TRAP, onLog: ({ message }) => logs.push(message) });
  t.after(server.stop);

  const reader = (await post(server.url, "cut")).body.getReader();
  await reader.read();

  const trapped = await post(server.url, "trapped", { "x-trap": "1" });
  assert.equal(trapped.status, 500);
  assert.equal((await trapped.json()).error.code, "internal");
  const last = (await drain(reader)).trimEnd().split("\n\n").at(-1);
  assert.match(last, /^data: \{"type":"RUN_ERROR",.*"code":"stream_interrupted"/, "it must not end as if all had been said");
  assert.ok(logs.some((message) => message.includes("the WebAssembly instance was lost")));

  const next = await (await post(server.url, "next")).text();
  assert.match(next, /"type":"RUN_FINISHED"/);
});
