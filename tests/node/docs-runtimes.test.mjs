// The pages of the runtimes that serve: Node.js, Bun, Deno, Workers, and Hono in several of them. As `docs.test.mjs` says.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { calls, follows, outlivesClient } from "./lib/docs/follow.mjs";
import { assertAnswer, assertRecorded } from "./lib/docs/model.mjs";
import { TOOLS } from "./lib/package.mjs";

/** A test of a server of the page, which is stopped behind it. */
const serving = (newcomer, name, work) =>
  test(name, async (t) => {
    t.after(() => newcomer.stop());
    await work();
  });

/** What all these pages have: a server in front of a model, and one that keeps its runs, each begun by a command; `more` files are for the latter. */
function serves(newcomer, { server, kept, more = [] }) {
  serving(newcomer, "stands in front of a model, also behind a request that is none", async () => {
    newcomer.write("server.mjs");
    await newcomer.serve(server);
    assert.ok([400, 500].includes((await fetch(newcomer.origin)).status));
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000 "));
  });

  serving(newcomer, "keeps its runs, also for another process, and though the client goes", async () => {
    for (const name of ["kept.mjs", ...more]) newcomer.write(name);
    await newcomer.serve(kept);
    const run = () => newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1 -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    await newcomer.stop();
    await newcomer.serve(kept);
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1"));
    await outlivesClient(`${newcomer.origin}/thread-1/run-2`);
  });
}

/** A server of the page plays a recording. */
const playsRecording = (newcomer, command) =>
  serving(newcomer, "plays a recording", async () => {
    newcomer.write("recorded.mjs");
    await newcomer.serve(command);
    assertRecorded(await newcomer.run("/v1/chat/completions -H"));
  });

const NODES = { "Node.js 20": { runtimes: { node: `${TOOLS}/node-20/bin/node` } }, "Node.js 24": {} };

follows("docs/runtimes/node.md", (newcomer) => {
  before(() => newcomer.install("npm install"));

  test("plays a recording", async () => {
    newcomer.write("recorded.mjs");
    assertRecorded(await newcomer.run("node recorded.mjs"));
  });

  serves(newcomer, { server: "node server.mjs", kept: "node kept.mjs" });
}, NODES);

follows("docs/runtimes/bun.md", (newcomer) => {
  before(() => newcomer.install("bun add"));
  playsRecording(newcomer, "bun recorded.mjs");
  serves(newcomer, { server: "bun server.mjs", kept: "bun kept.mjs" });
});

follows("docs/runtimes/deno.md", (newcomer) => {
  before(() => newcomer.install("deno add"));
  playsRecording(newcomer, "recorded.mjs");
  serves(newcomer, { server: "server.mjs", kept: "kept.mjs" });
});

follows("docs/runtimes/cloudflare-workers.md", (newcomer) => {
  before(() => newcomer.install("npm install"));
  playsRecording(newcomer, "npx wrangler dev recorded.mjs");
  serves(newcomer, { server: "npx wrangler dev server.mjs", kept: "npx wrangler dev --port 3000", more: ["wrangler.json"] });
});

follows("docs/runtimes/hono.md", (newcomer) => {
  before(() => newcomer.install("npm install lastword"));

  for (const command of ["bun server.mjs", "deno serve", "npx wrangler dev"]) {
    serving(newcomer, `stands in front of a model, and plays a recording, by ${command}`, async () => {
      newcomer.write("server.mjs");
      if (command.startsWith("npx")) await newcomer.install("npm install wrangler");
      await newcomer.serve(command);
      assertAnswer(await newcomer.run("3000/chat"));
      assertRecorded(await newcomer.run("3000/recorded"));
    });
  }

  serving(newcomer, "has all routes, and keeps its runs", async () => {
    newcomer.write("kept.mjs");
    await newcomer.serve("bun kept.mjs");
    assertAnswer(await newcomer.run("3000/ai/agui -H"), "ag-ui");
    await newcomer.stop();
    await newcomer.serve("bun kept.mjs");
    assert.equal(await calls(async () => assertAnswer(await newcomer.run("3000/ai/v1/runs"), "canonical")), 0);
  });
});
