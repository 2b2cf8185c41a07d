// The pages of the npm package, followed to the letter by somebody who has the packed tarball and an empty folder. Each
// file and each command that a page shows is tried here; one that is not makes the last test of its page fail.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertAnswer, assertRecorded, startModel } from "./lib/docs/model.mjs";
import { Newcomer } from "./lib/docs/newcomer.mjs";
import { startRegistry } from "./lib/docs/registry.mjs";
import { TOOLS } from "./lib/package.mjs";

const [registry, model] = [await startRegistry(), await startModel()];
after(() => Promise.all([registry.stop(), model.stop()]));

/** What somebody does who follows a page; `follow(newcomer)` registers tests, and is called once for each of `options`. */
function follows(path, follow, options = { "": {} }) {
  for (const [name, how] of Object.entries(options)) {
    describe(`a newcomer follows ${path}${name && ` in ${name}`}`, () => {
      const newcomer = new Newcomer(path, { registry, model: model.port, ...how });
      after(() => newcomer.leave());
      follow(newcomer);
      test("and has tried all that the page shows", () => assert.deepEqual(newcomer.page.untried, []));
    });
  }
}

/** How often the model was called meanwhile. */
async function calls(work) {
  const before = model.calls.length;
  await work();
  return model.calls.length - before;
}

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
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000 "));
  });

  test("keeps its runs, also for another process", async (t) => {
    t.after(() => newcomer.stop());
    newcomer.write("kept.mjs");
    await newcomer.serve("node kept.mjs");
    const run = () => newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1 -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    await newcomer.stop();
    await newcomer.serve("node kept.mjs");
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1"));
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

  trying("keeps its runs, also for another process", "kept.mjs", async () => {
    await newcomer.serve(kept);
    const run = () => newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1 -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    await newcomer.stop();
    await newcomer.serve(kept);
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1"));
  });
}

for (const [runtime, install] of Object.entries({ bun: "bun add", deno: "deno add" })) {
  const [recorded, server, kept] = ["recorded.mjs", "server.mjs", "kept.mjs"];
  follows(`docs/runtimes/${runtime}.md`, (newcomer) => serves(newcomer, { install, recorded, server, kept }));
}
