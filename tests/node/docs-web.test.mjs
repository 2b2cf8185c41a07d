// The pages of what is built first: edge functions, browsers, Next.js. As `docs.test.mjs` says.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { hasBrowser, startBrowser } from "./lib/browser.mjs";
import { calls, follows, model, outlivesClient, redisEnv } from "./lib/docs/follow.mjs";
import { ANSWER, ASKED, assertAnswer, assertRecorded } from "./lib/docs/model.mjs";
import { serveEdge } from "./lib/edge.mjs";
import { recording } from "./lib/recordings.mjs";

const noBrowser = (await hasBrowser()) ? false : "there is no chromedriver";

follows("docs/runtimes/vercel-edge.md", (newcomer) => {
  let server;
  before(async () => {
    await newcomer.install("npm install");
    for (const name of newcomer.page.files.keys()) newcomer.write(name);
    const UPSTREAM_URL = `http://127.0.0.1:${model.port}/v1/chat/completions`;
    server = await serveEdge(newcomer.folder, { UPSTREAM_URL, UPSTREAM_MODEL: "llama3.2", ...redisEnv });
    newcomer.port = server.port;
  });
  after(() => server?.stop());

  test("plays a recording", async () => assertRecorded(await newcomer.run("api/recorded")));

  test("stands in front of a model", async () => assertAnswer(await newcomer.run("api/chat")));

  test("keeps its runs, also though the client goes", async () => {
    const run = () => newcomer.run("run-1' -d");
    assert.equal(await calls(async () => assertAnswer(await run())), 1);
    assert.equal(await calls(async () => assertAnswer(await run())), 0, "sent again it is joined");
    assertAnswer(await newcomer.run("curl -N 'http://127.0.0.1:3000/api/kept?thread=thread-1&run=run-1'"));
    await outlivesClient(`${newcomer.origin}/api/kept?thread=thread-1&run=run-2`);
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
    newcomer.write("app/api/edge/route.js", `export const runtime = "edge";\n${newcomer.page.file("app/api/chat/route.js")}`);
    await newcomer.run("npx next build");
    await newcomer.serve("npx next start");
  });

  test("plays a recording", async () => assertRecorded(await newcomer.run("3000/ai/v1")));

  test("stands in front of a model, also at the edge", async () => {
    assertAnswer(await newcomer.run("3000/api/chat"));
    assertAnswer(await (await fetch(`${newcomer.origin}/api/edge`, { method: "POST", body: ASKED })).text());
  });

  test("stands behind the AI SDK", async () => assertAnswer(await newcomer.run("3000/api/agent")));
}, { "": { within: inside("target") } });
