// The packed package in a Next.js app: edge and Node route handlers, a page on the server, a page in a browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { environment, inside } from "../../js/scripts/lib/paths.mjs";
import { hasBrowser, startBrowser } from "./lib/browser.mjs";
import { eventually } from "./lib/http.mjs";
import { output, project, tool, whole } from "./lib/package.mjs";

const skip = (await hasBrowser()) ? false : "there is no chromedriver";

describe("the package in a Next.js app", () => {
  const env = { NEXT_TELEMETRY_DISABLED: "1", PROJECT_ROOT: inside("."), NODE_ENV: undefined };
  let server, origin;

  before(async () => {
    // Turbopack follows no link that leads out of its root.
    const cwd = await project("next", { uses: ["next", "react", "react-dom"], within: inside("target") });
    await output(tool("next"), ["build"], { cwd, env });
    server = spawn(tool("next"), ["start", "--hostname", "127.0.0.1", "--port", "0"], { cwd, env: environment(env), stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    server.stdout.on("data", (chunk) => (said += chunk));
    origin = await eventually(() => said.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0], "the server's port");
    await eventually(() => said.includes("Ready"), "the server");
  });
  after(() => server?.kill());

  const get = async (path) => (await fetch(`${origin}/${path}`)).json();

  test("works in an edge route handler", async () => assert.deepEqual(await get("edge"), whole));

  test("works in a route handler in Node", async () => assert.deepEqual(await get("node"), whole));

  test("is not initialized if it is slim, and works with the module", async () => {
    assert.deepEqual(await get("slim"), { early: "not_initialized", ...whole });
  });

  test("works in a page that is rendered on the server", async () => {
    assert.match(await (await fetch(`${origin}/server`)).text(), /fine too/);
  });

  test("works in a page that runs in the browser", { skip }, async (t) => {
    const browser = await startBrowser();
    t.after(browser.stop);
    const result = async () => {
      while (!globalThis.result) await new Promise((done) => setTimeout(done, 20));
      return globalThis.result;
    };
    const { value, error } = await browser.run(origin, result);
    assert.equal(error, undefined);
    assert.deepEqual(value, { early: "not_initialized", missing: "failed", ...whole });
  });
});
