// A page of another origin in a real browser: it runs, reads and is refused as its origin and its token allow.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hasBrowser, startBrowser, startPage } from "./lib/browser.mjs";
import { browserToken, TOKENS } from "./lib/tokens.mjs";
import { runInput, sharedWorker } from "./lib/worker.mjs";

const page = await startPage();
const stranger = await startPage();
const worker = sharedWorker({ ...TOKENS, LASTWORD_ORIGINS: page.origin });
after(() => Promise.all([page.stop(), stranger.stop()]));

/** In the page: posts a run and gives its stream's text. */
const post = async (url, input, token) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/agui`, { method: "POST", headers, body: JSON.stringify(input) });
  return { status: response.status, text: await response.text() };
};

/** In the page: reads a run by an `EventSource`, to its terminal. */
const listen = async (url, run, token) => {
  const source = new EventSource(`${url}/agui/runs/${run}?token=${token}`);
  const frames = [];
  return new Promise((done) => {
    source.onmessage = ({ data, lastEventId }) => {
      frames.push([lastEventId, JSON.parse(data).type]);
      if (["RUN_FINISHED", "RUN_ERROR"].includes(JSON.parse(data).type)) done((source.close(), frames));
    };
    source.onerror = () => source.readyState === EventSource.CLOSED && done("refused");
  });
};

/** In the page: what a request that is refused can be read of. */
const refusal = async (url, path, init) => {
  const response = await fetch(`${url}${path}`, init);
  return { status: response.status, code: (await response.json()).error.code };
};

describe("a page in a browser", { skip: (await hasBrowser()) ? false : "there is no chromedriver" }, () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.stop());

  const input = () => runInput({ model: "replay/narrated-refund" });
  const token = browserToken({ user: "ann" });

  test("runs with its token, and an EventSource reads the run with it in the query", async () => {
    const body = input();
    const { value } = await browser.run(page.origin, post, worker.url, body, token);
    assert.equal(value.status, 200);
    assert.match(value.text, /"type":"RUN_FINISHED"/);
    const { value: frames } = await browser.run(page.origin, listen, worker.url, body.runId, token);
    assert.deepEqual([frames[0][1], frames.at(-1)[1]], ["RUN_STARTED", "RUN_FINISHED"]);
    assert.ok(Number(frames.at(-1)[0]) > 0, "with its cursor");
  });

  test("reads why it is refused", async () => {
    const read = (path, init) => browser.run(page.origin, refusal, worker.url, path, init).then(({ value }) => value);
    assert.deepEqual(await read("/v1/runs/r"), { status: 401, code: "unauthorized" });
    const headers = { authorization: `Bearer ${browserToken({ exp: 1 })}` };
    assert.deepEqual(await read("/v1/runs/r", { headers }), { status: 401, code: "token_expired" });
    assert.deepEqual(await read("/v1/runs/r/cancel", { method: "POST", headers: { authorization: `Bearer ${token}` } }), {
      status: 404,
      code: "unknown_run",
    });
  });

  test("is kept by its browser from a method that the route does not take", async () => {
    const { error } = await browser.run(page.origin, refusal, worker.url, "/health", { method: "DELETE" });
    assert.match(error, /Failed to fetch/);
  });

  test("of an origin that is not named reads nothing", async () => {
    const body = input();
    const { error } = await browser.run(stranger.origin, post, worker.url, body, token);
    assert.match(error, /Failed to fetch/);
    assert.equal((await browser.run(page.origin, post, worker.url, body, token)).value.status, 200);
    const { value } = await browser.run(stranger.origin, listen, worker.url, body.runId, token);
    assert.equal(value, "refused");
  });
});
