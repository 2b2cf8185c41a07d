// The built Worker in workerd, as serve() starts it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../js/scripts/serve.mjs";

test("GET /health says the version and that the store is a Durable Object", async (t) => {
  const server = await serve({ vars: { LASTWORD_DEV: "1" } });
  t.after(server.stop);
  const response = await fetch(`${server.url}/health`);
  assert.equal(response.status, 200);
  const health = await response.json();
  assert.match(health.version, /^\d+\.\d+\.\d+$/);
  assert.equal(health.store.kind, "durable-object");
});
