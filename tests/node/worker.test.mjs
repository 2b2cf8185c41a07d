// The built Worker in workerd: it answers, streams, and its state outlives the process.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../../js/scripts/serve.mjs";

test("GET /health says the version", async (t) => {
  const server = await serve();
  t.after(server.stop);
  const response = await fetch(`${server.url}/health`);
  assert.equal(response.status, 200);
  assert.match((await response.json()).version, /^\d+\.\d+\.\d+$/);
});

test("what was synced before a byte left is there after a power cut", async (t) => {
  const persist = await mkdtemp(join(tmpdir(), "lastword-"));
  t.after(() => rm(persist, { recursive: true }));

  const first = await serve({ persist });
  const reader = (await fetch(`${first.url}/spike?count=1000`)).body.getReader();
  const frame = Buffer.from((await reader.read()).value).toString();
  assert.equal(frame, 'data: {"rows":1,"sent":0}\n\n');
  await first.kill();

  const second = await serve({ persist });
  t.after(second.stop);
  const text = await (await fetch(`${second.url}/spike?count=1`)).text();
  assert.equal(text, 'data: {"rows":2,"sent":0}\n\n');
});
