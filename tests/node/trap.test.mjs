// A trap ends the WebAssembly instance: what was in flight is told so, and the next request is served.

import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../js/scripts/serve.mjs";

/** Lets a request with the header `x-trap` run into an `unreachable`, as a bug in the module would. */
const prelude = `
  const Instance = WebAssembly.Instance;
  const trap = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const fetch = (request, ...rest) => (request.headers.has("x-trap") ? trap() : exports.fetch(request, ...rest));
    return { exports: { ...exports, fetch } };
  };
`;

test("a trap breaks the streams of its instance and nothing after it", async (t) => {
  const logs = [];
  const server = await serve({ prelude, onLog: ({ message }) => logs.push(message) });
  t.after(server.stop);

  const reader = (await fetch(`${server.url}/spike?count=1000`)).body.getReader();
  await reader.read();

  const trapped = await fetch(`${server.url}/spike`, { headers: { "x-trap": "1" } });
  assert.equal(trapped.status, 500);
  assert.deepEqual((await trapped.json()).error.code, "internal");

  const rest = (async () => {
    while (!(await reader.read()).done);
  })();
  await assert.rejects(rest, "a stream of the lost instance must not end as if all had been said");
  assert.ok(logs.some((message) => message.includes("the WebAssembly instance was lost")));

  const next = await (await fetch(`${server.url}/spike?count=1`)).text();
  assert.equal(next, 'data: {"rows":2,"sent":0}\n\n');
});
