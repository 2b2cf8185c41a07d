// The pages of the runtimes that serve: Node.js, Bun, Deno, Workers, and Hono in several of them. As `docs.test.mjs` says.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { calls, follows, outlivesClient } from "./lib/docs/follow.mjs";
import { assertAnswer, assertRecorded } from "./lib/docs/model.mjs";
import { TOOLS } from "./lib/package.mjs";

const NODES = { "Node.js 20": { runtimes: { node: `${TOOLS}/node-20/bin/node` } }, "Node.js 24": {} };

follows("docs/runtimes/node.md", (newcomer) => {
  before(() => newcomer.install("npm install"));

  test("plays a recording", async () => {
    newcomer.write("recorded.mjs");
    assertRecorded(await newcomer.run("node recorded.mjs"));
  });

  test("stands in front of a model", async (t) => {
    t.after(() => newcomer.stop());
    newcomer.write("server.mjs");
    await newcomer.serve("node server.mjs");
    assert.equal((await fetch(newcomer.origin)).status, 400, "and goes on behind what it can't read");
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000 "));
  });

  test("keeps its runs, also for another process, and though the client goes", async (t) => {
    t.after(() => newcomer.stop());
    newcomer.write("kept.mjs");
    await newcomer.serve("node kept.mjs");
    const run = () => newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1 -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    await newcomer.stop();
    await newcomer.serve("node kept.mjs");
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1"));
    await outlivesClient(`${newcomer.origin}/thread-1/run-2`);
  });
}, NODES);

/** Pages whose programs are `fetch` functions: what is begun by which command, and asked by which. */
function serves(newcomer, { install, recorded, server, kept }) {
  before(() => newcomer.install(install));

  const trying = (name, file, work) =>
    test(name, async (t) => {
      t.after(() => newcomer.stop());
      newcomer.write(file);
      await work();
    });

  trying("plays a recording", "recorded.mjs", async () => {
    await newcomer.serve(recorded);
    assertRecorded(await newcomer.run("/v1/chat/completions -H"));
  });

  trying("stands in front of a model", "server.mjs", async () => {
    await newcomer.serve(server);
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000 "));
  });

  trying("keeps its runs, also for another process, and though the client goes", "kept.mjs", async () => {
    if (newcomer.page.files.has("wrangler.json")) newcomer.write("wrangler.json");
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

const [recorded, server, kept] = ["recorded.mjs", "server.mjs", "kept.mjs"];
follows("docs/runtimes/bun.md", (newcomer) => serves(newcomer, { install: "bun add", recorded, server, kept }));
follows("docs/runtimes/deno.md", (newcomer) => serves(newcomer, { install: "deno add", recorded, server, kept }));
follows("docs/runtimes/cloudflare-workers.md", (newcomer) => {
  serves(newcomer, { install: "npm install lastword", recorded, server, kept: "npx wrangler dev --port 3000" });
});

follows("docs/runtimes/hono.md", (newcomer) => {
  before(() => newcomer.install("npm install lastword"));

  for (const command of ["bun server.mjs", "deno serve", "npx wrangler dev"]) {
    test(`stands in front of a model, and plays a recording, by ${command}`, async (t) => {
      t.after(() => newcomer.stop());
      newcomer.write("server.mjs");
      if (command.startsWith("npx")) await newcomer.install("npm install wrangler");
      await newcomer.serve(command);
      assertAnswer(await newcomer.run("3000/chat"));
      assertRecorded(await newcomer.run("3000/recorded"));
    });
  }

  test("has all routes, and keeps its runs", async (t) => {
    t.after(() => newcomer.stop());
    newcomer.write("kept.mjs");
    await newcomer.serve("bun kept.mjs");
    assertAnswer(await newcomer.run("3000/ai/agui -H"), "ag-ui");
    await newcomer.stop();
    await newcomer.serve("bun kept.mjs");
    assert.equal(await calls(async () => assertAnswer(await newcomer.run("3000/ai/v1/runs"), "canonical")), 0);
  });
});
