// What a page of another origin may do, by the headers that its browser goes by. `browser.test.mjs` asks a browser.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { open, whole } from "./lib/http.mjs";
import { ACME, as, TOKENS } from "./lib/tokens.mjs";
import { fresh, runInput, sharedWorker, TRAP, Worker } from "./lib/worker.mjs";

const [APP, LOCAL, EVIL] = ["https://app.example", "http://localhost:3000", "https://app.example.evil"];
const worker = sharedWorker({ ...TOKENS, LASTWORD_ORIGINS: `${APP}, ${LOCAL}` });
const open_to_all = sharedWorker({ LASTWORD_ORIGINS: "*" });
const closed = sharedWorker();

const ROUTES = { "/health": "GET", "/agui": "POST", "/agui/runs/r": "GET", "/v1/runs": "GET", "/v1/runs/r": "GET, DELETE", "/v1/runs/r/events": "GET", "/v1/runs/r/cancel": "POST", "/v1/threads/t": "DELETE" };
const ASKED = ["authorization", "content-type", "last-event-id", "lastword-scope", "lastword-user", "idempotency-key"];

const cors = ({ headers }) => Object.entries(headers).filter(([name]) => name.startsWith("access-control-"));

function assertMayRead(reply, origin) {
  assert.equal(reply.headers["access-control-allow-origin"], origin);
  assert.equal(reply.headers["access-control-allow-credentials"], undefined);
  if (origin !== "*") assert.match(reply.headers.vary, /\bOrigin\b/);
}

describe("a preflight", { concurrency: true }, () => {
  for (const [path, method] of Object.entries(ROUTES)) {
    test(`of ${path} says what it takes, and needs no token`, async () => {
      const headers = { origin: APP, "access-control-request-method": method.split(", ")[0], "access-control-request-headers": ASKED.join(", ") };
      const reply = await whole(`${worker.url}${path}`, { method: "OPTIONS", headers });
      assert.deepEqual([reply.status, reply.text], [204, ""]);
      assertMayRead(reply, APP);
      assert.equal(reply.headers["access-control-allow-methods"], method);
      const allowed = reply.headers["access-control-allow-headers"].split(", ");
      assert.deepEqual(ASKED.filter((name) => !allowed.includes(name)), []);
      assert.ok(Number(reply.headers["access-control-max-age"]) > 0);
      assert.equal(reply.headers.allow, `${method}, OPTIONS`);
    });
  }

  test("of no route is told so", async () => {
    const reply = await whole(`${worker.url}/nowhere`, { method: "OPTIONS", headers: { origin: APP } });
    assert.equal(reply.status, 404);
    assertMayRead(reply, APP);
  });

  test("of another origin is a no", async () => {
    for (const url of [worker.url, closed.url]) {
      const reply = await whole(`${url}/agui`, { method: "OPTIONS", headers: { origin: EVIL } });
      assert.equal(reply.status, 204);
      assert.equal(reply.headers["access-control-allow-origin"], undefined);
    }
  });
});

describe("every answer may be read by a named origin", { concurrency: true }, () => {
  const from = (origin, more = {}) => ({ headers: as(ACME, { origin, ...more }) });

  test("a stream, its record, and a cancel", async () => {
    const body = runInput({ model: "replay/length-stop" });
    const posted = await (await open(`${worker.url}/agui`, { method: "POST", body, ...from(APP) })).end();
    assert.equal(posted.frames.at(-1).json.type, "RUN_FINISHED");
    assert.match(posted.headers["content-type"], /^text\/event-stream/);
    assert.match(posted.headers["cache-control"], /no-cache/);
    const run = `${worker.url}/v1/runs/${body.runId}`;
    const replies = [
      posted,
      await whole(run, from(LOCAL)),
      await whole(`${run}/events`, from(LOCAL)),
      await whole(`${worker.url}/agui/runs/${body.runId}`, from(LOCAL)),
      await whole(`${run}/cancel`, { method: "POST", ...from(LOCAL) }),
      await whole(`${worker.url}/health`, from(LOCAL)),
    ];
    for (const [index, reply] of replies.entries()) {
      assert.equal(reply.status, 200);
      assertMayRead(reply, index ? LOCAL : APP);
    }
  });

  test("errors of the front, of the thread, and of no route", async () => {
    const busy = runInput({ model: "replay/long-answer" });
    const first = await open(`${worker.url}/agui`, { method: "POST", body: busy, ...from(APP) });
    const next = { method: "POST", body: runInput({ thread: busy.threadId }), ...from(APP) };
    const replies = {
      409: await whole(`${worker.url}/agui`, next),
      404: await whole(`${worker.url}/v1/runs/${fresh("nobody")}`, from(APP)),
      405: await whole(`${worker.url}/health`, { method: "POST", ...from(APP) }),
      401: await whole(`${worker.url}/v1/runs/r`, { headers: { origin: APP } }),
      400: await whole(`${worker.url}/agui/runs/r`, from(APP, { "last-event-id": "soon" })),
    };
    first.leave();
    for (const [status, reply] of Object.entries(replies)) {
      assert.equal(reply.status, Number(status));
      assertMayRead(reply, APP);
      assert.ok(JSON.parse(reply.text).error.code);
    }
    assert.equal(replies[405].headers.allow, "GET, OPTIONS");
    assert.equal(replies[401].headers["www-authenticate"], "Bearer");
  });

  test("a configuration that is wrong, and a lost instance", async () => {
    const wrong = await new Worker().start({ LASTWORD_HEARTBEAT: "soon", LASTWORD_ORIGINS: APP }, undefined, { prelude: TRAP });
    try {
      const told = await whole(`${wrong.url}/health`, { headers: { origin: APP } });
      assert.equal(JSON.parse(told.text).error.code, "not_configured");
      assertMayRead(told, APP);
      const lost = await whole(`${wrong.url}/health`, { headers: { origin: APP, "x-trap": "1" } });
      assert.equal(JSON.parse(lost.text).error.code, "internal");
      assertMayRead(lost, APP);
      const unread = await whole(`${wrong.url}/health`, { headers: { origin: EVIL, "x-trap": "1" } });
      assert.equal(unread.status, 500);
      assert.deepEqual(cors(unread), []);
    } finally {
      await wrong.stop();
    }
  });
});

test("a stream that breaks off says so to a page too: it has no clean end", async () => {
  const worker = await new Worker().start({ LASTWORD_ORIGINS: APP }, undefined, { prelude: TRAP });
  try {
    const body = runInput({ model: "replay/long-answer" });
    const stream = await open(`${worker.url}/agui`, { method: "POST", body, headers: { origin: APP } });
    assertMayRead(stream, APP);
    await stream.until(({ frames }) => frames.length > 0);
    assert.equal((await whole(`${worker.url}/health`, { headers: { "x-trap": "1" } })).status, 500);
    const { id, json } = (await stream.end()).frames.at(-1);
    assert.deepEqual([id, json.type, json.code], [undefined, "RUN_ERROR", "stream_interrupted"]);
  } finally {
    await worker.stop();
  }
});

describe("an origin", { concurrency: true }, () => {
  test("that is not named gets no word of it, and a cache is told that it depends", async () => {
    for (const origin of [EVIL, "null", "https://APP.example", "http://app.example"]) {
      const reply = await whole(`${worker.url}/health`, { headers: { origin } });
      assert.equal(reply.status, 200);
      assert.deepEqual(cors(reply), [], origin);
      assert.match(reply.headers.vary, /\bOrigin\b/);
    }
  });

  test("is let in by nobody's configuration unless it says so", async () => {
    const reply = await whole(`${closed.url}/health`, { headers: { origin: APP } });
    assert.deepEqual([cors(reply), reply.headers.vary], [[], undefined]);
  });

  test("of any kind is let in by a star", async () => {
    for (const origin of [EVIL, "null"]) {
      assertMayRead(await whole(`${open_to_all.url}/health`, { headers: { origin } }), "*");
    }
  });

  test("that is none is a configuration error", async () => {
    const wrong = await new Worker().start({ LASTWORD_ORIGINS: "app.example" });
    try {
      const reply = await whole(`${wrong.url}/health`);
      assert.deepEqual([reply.status, JSON.parse(reply.text).error.code], [503, "not_configured"]);
      assert.match(reply.text, /LASTWORD_ORIGINS/);
    } finally {
      await wrong.stop();
    }
  });
});

describe("a method that a route does not take", { concurrency: true }, () => {
  for (const [path, right] of Object.entries(ROUTES)) {
    test(`on ${path} is told the one that it does`, async () => {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !right.split(", ").includes(method))) {
        const reply = await whole(`${closed.url}${path}`, { method });
        assert.deepEqual([reply.status, reply.headers.allow], [405, `${right}, OPTIONS`], method);
      }
    });
  }
});
