// The pages of the npm package, followed to the letter by somebody who has the packed tarball and an empty folder. Each
// file and each command that a page shows is tried here; one that is not makes the last test of its page fail.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { hasBrowser, startBrowser } from "./lib/browser.mjs";
import { ANSWER, assertAnswer, assertRecorded, startModel } from "./lib/docs/model.mjs";
import { Newcomer } from "./lib/docs/newcomer.mjs";
import { startRegistry } from "./lib/docs/registry.mjs";
import { serveEdge } from "./lib/edge.mjs";
import { TOOLS } from "./lib/package.mjs";
import { recording } from "./lib/recordings.mjs";
import { startRedis, startUpstash } from "./lib/redis.mjs";

const [registry, model, redis] = [await startRegistry(), await startModel(), await startRedis()];
const noBrowser = (await hasBrowser()) ? false : "there is no chromedriver";
const ports = { model: model.port, redis: redis.port };
after(() => Promise.all([registry, model, redis].map((server) => server.stop())));

/** What somebody does who follows a page; `follow(newcomer)` registers tests, and is called once for each of `options`. */
function follows(path, follow, options = { "": {} }) {
  for (const [name, how] of Object.entries(options)) {
    describe(`a newcomer follows ${path}${name && ` in ${name}`}`, () => {
      const newcomer = new Newcomer(path, { registry, ports, ...how });
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
    if (newcomer.page.files.has("wrangler.json")) newcomer.write("wrangler.json");
    await newcomer.serve(kept);
    const run = () => newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1 -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    await newcomer.stop();
    await newcomer.serve(kept);
    assertAnswer(await newcomer.run("curl -N http://127.0.0.1:3000/thread-1/run-1"));
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

follows("docs/runtimes/vercel-edge.md", (newcomer) => {
  let upstash, server;
  before(async () => {
    upstash = await startUpstash(redis);
    await newcomer.install("npm install");
    for (const name of newcomer.page.files.keys()) newcomer.write(name);
    const UPSTREAM_URL = `http://127.0.0.1:${model.port}/v1/chat/completions`;
    server = await serveEdge(newcomer.folder, { UPSTREAM_URL, UPSTREAM_MODEL: "llama3.2", UPSTASH_REDIS_REST_URL: upstash.url, UPSTASH_REDIS_REST_TOKEN: upstash.token });
    newcomer.port = server.port;
  });
  after(() => Promise.all([upstash?.stop(), server?.stop()]));

  test("plays a recording", async () => assertRecorded(await newcomer.run("api/recorded")));

  test("stands in front of a model", async () => assertAnswer(await newcomer.run("api/chat")));

  test("keeps its runs", async () => {
    const run = () => newcomer.run("run-1' -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    assertAnswer(await newcomer.run("curl -N 'http://127.0.0.1:3000/api/kept?thread=thread-1&run=run-1'"));
  });
});

describe("in a browser", { skip: noBrowser }, () => {
  follows("docs/runtimes/browser.md", (newcomer) => {
    let browser;
    before(async () => {
      browser = await startBrowser();
      await newcomer.install("npm install");
      for (const name of newcomer.page.files.keys()) newcomer.write(name);
    });
    after(() => browser?.stop());

    /** In the page: what its two places show, once they show something. */
    const shown = async () => {
      const places = ["#recorded", "#agent"].map((place) => document.querySelector(place));
      while (places.some((place) => !place.textContent)) await new Promise((done) => setTimeout(done, 20));
      return places.map((place) => place.textContent);
    };

    async function showsAnswers() {
      const { value, error } = await browser.run(newcomer.origin, shown);
      assert.equal(error, undefined);
      assert.deepEqual(value, [recording("narrated-refund").answer, ANSWER]);
    }

    test("sees the answers from the dev server", async (t) => {
      t.after(() => newcomer.stop());
      await newcomer.serve("npx vite --host");
      await showsAnswers();
    });

    test("sees the answers in what is built", async (t) => {
      t.after(() => newcomer.stop());
      await newcomer.run("npx vite build");
      await newcomer.serve("npx vite preview");
      await showsAnswers();
    });
  });
});

follows("docs/runtimes/nextjs.md", (newcomer) => {
  before(async () => {
    await newcomer.install("npm install");
    for (const name of newcomer.page.files.keys()) newcomer.write(name);
    // Only because the tools are links here, which Turbopack follows no further than its root.
    const root = JSON.stringify(inside("."));
    newcomer.write("next.config.mjs", `export default { turbopack: { root: ${root} }, outputFileTracingRoot: ${root} };`);
    await newcomer.run("npx next build");
    await newcomer.serve("npx next start");
  });

  test("plays a recording", async () => assertRecorded(await newcomer.run("3000/ai/v1")));

  test("stands in front of a model", async () => assertAnswer(await newcomer.run("3000/api/chat")));

  test("stands behind the AI SDK", async () => assertAnswer(await newcomer.run("3000/api/agent")));
}, { "": { within: inside("target") } });
