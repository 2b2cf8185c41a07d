// Who may ask for what, where tokens are configured.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { open, whole } from "./lib/http.mjs";
import { ACME, as, browserToken, GLOBEX, OPERATOR, TOKENS } from "./lib/tokens.mjs";
import { fresh, runInput, sharedWorker, Worker } from "./lib/worker.mjs";

const bare = sharedWorker({ LASTWORD_DEV: "" });
const worker = sharedWorker(TOKENS);

const input = (more = {}) => runInput({ model: "replay/length-stop", ...more });

async function assertRefused(url, options, status, code) {
  const reply = await whole(url, options);
  assert.deepEqual([reply.status, JSON.parse(reply.text).error.code], [status, code], url);
  return reply;
}

/** Runs to the end, and says what the run's id reaches. */
async function ran(headers, body = input()) {
  const { status, frames } = await (await open(`${worker.url}/agui`, { method: "POST", body, headers })).end();
  assert.equal(status, 200);
  assert.equal(frames.at(-1).json.type, "RUN_FINISHED");
  return body;
}

/** Every way to a run: method and path. */
const ways = (run) => [
  ["GET", `/v1/runs/${run}`],
  ["GET", `/v1/runs/${run}/events`],
  ["GET", `/agui/runs/${run}`],
  ["POST", `/v1/runs/${run}/cancel`],
];

async function assertReaches(run, headers) {
  for (const [method, path] of ways(run)) {
    assert.equal((await whole(`${worker.url}${path}`, { method, headers })).status, 200, path);
  }
}

async function assertUnknown(run, headers) {
  for (const [method, path] of ways(run)) await assertRefused(`${worker.url}${path}`, { method, headers }, 404, "unknown_run");
}

test("without a token configured nothing is served but /health", async () => {
  const body = input();
  await assertRefused(`${bare.url}/agui`, { method: "POST", body }, 503, "not_configured");
  for (const [method, path] of ways("x")) await assertRefused(`${bare.url}${path}`, { method }, 503, "not_configured");
  assert.equal((await whole(`${bare.url}/health`)).status, 200);
});

describe("with tokens", { concurrency: true }, () => {
  test("a run needs a right one", async () => {
    const body = input();
    for (const headers of [{}, as("wrong"), as(""), { authorization: `Basic ${ACME}` }, { authorization: ACME }]) {
      const reply = await assertRefused(`${worker.url}/agui`, { method: "POST", body, headers }, 401, "unauthorized");
      assert.equal(reply.headers["www-authenticate"], "Bearer");
      for (const [method, path] of ways(body.runId)) {
        await assertRefused(`${worker.url}${path}`, { method, headers }, 401, "unauthorized");
      }
    }
    await assertUnknown(body.runId, as(ACME));
  });

  test("a run belongs to its scope: another's is not there", async () => {
    const body = await ran(as(ACME));
    await assertReaches(body.runId, as(ACME));
    await assertUnknown(body.runId, as(GLOBEX));
    await assertUnknown(body.runId, as(GLOBEX, { "lastword-scope": "acme" }));
    const same = { ...body, messages: [{ id: "m", role: "user", content: "Mine" }] };
    await ran(as(GLOBEX), same);
  });

  test("the operator's view is the operator's alone", async () => {
    const { runId } = await ran(as(ACME));
    const url = `${worker.url}/v1/runs/${runId}/events?view=operator`;
    await assertRefused(url, { headers: as(ACME) }, 403, "forbidden");
    await assertRefused(url.replace(runId, "nobody"), { headers: as(ACME) }, 403, "forbidden");
    await assertRefused(url, { headers: as(browserToken({ operator: true })) }, 403, "forbidden");
    await assertRefused(`${url}&token=${browserToken()}`, {}, 403, "forbidden");
    await assertRefused(url, { headers: as(OPERATOR) }, 400, "invalid_input");
    await assertRefused(url, { headers: as(OPERATOR, { "lastword-scope": "globex" }) }, 404, "unknown_run");
    const acme = as(OPERATOR, { "lastword-scope": "acme" });
    const types = async (of) => (await (await open(of, { headers: acme })).end()).frames.map(({ json }) => json.type);
    assert.ok((await types(url)).includes("intermediate"));
    assert.ok(!(await types(url.replace("operator", "customer"))).includes("intermediate"));
    const join = await whole(`${worker.url}/agui/runs/${runId}?view=operator`, { headers: acme });
    assert.ok(!join.text.includes("intermediate"), "AG-UI is always a customer's");
    await assertReaches(runId, acme);
  });
});

describe("an end user in a scope", { concurrency: true }, () => {
  const ann = (more) => as(ACME, { "lastword-user": "ann", ...more });

  test("has runs that nobody else in it has, under any id", async () => {
    const body = await ran(ann());
    await assertReaches(body.runId, ann());
    await assertReaches(body.runId, as(OPERATOR, { "lastword-scope": "acme", "lastword-user": "ann" }));
    await assertReaches(body.runId, as(browserToken({ user: "ann" })));
    await assertReaches(body.runId, as(browserToken({ sub: "ann" })));
    const others = [
      as(ACME),
      as(ACME, { "lastword-user": "bob" }),
      as(GLOBEX, { "lastword-user": "ann" }),
      as(OPERATOR, { "lastword-scope": "acme" }),
      as(browserToken()),
      as(browserToken({ user: "bob" }), { "lastword-user": "ann" }),
      as(browserToken(), { "lastword-user": "ann" }),
      as(browserToken({ scope: "globex", user: "ann" })),
    ];
    for (const headers of others) await assertUnknown(body.runId, headers);
    const mine = { ...body, messages: [{ id: "m", role: "user", content: "Mine" }] };
    for (const headers of [as(ACME), as(ACME, { "lastword-user": "bob" })]) await ran(headers, mine);
    assert.equal((await (await open(`${worker.url}/agui`, { method: "POST", body: mine, headers: ann() })).end()).status, 409);
  });

  test("has a thread of its own, busy or not", async () => {
    const body = runInput({ model: "replay/long-answer" });
    const busy = await open(`${worker.url}/agui`, { method: "POST", body, headers: ann() });
    await busy.until(({ frames }) => frames.length > 0);
    const next = input({ thread: body.threadId });
    await assertRefused(`${worker.url}/agui`, { method: "POST", body: next, headers: ann() }, 409, "thread_busy");
    await ran(as(ACME, { "lastword-user": "bob" }), next);
    busy.leave();
  });

  test("is named within bounds", async () => {
    for (const user of ["", "u".repeat(257)]) {
      const reply = await assertRefused(`${worker.url}/v1/runs/r`, { headers: as(ACME, { "lastword-user": user }) }, 400, "invalid_input");
      assert.match(JSON.parse(reply.text).error.message, /Lastword-User/);
    }
    await ran(as(ACME, { "lastword-user": "u".repeat(256) }));
    await ran(as(ACME, { "lastword-user": "a/b !%2F" }));
  });
});

describe("a browser token", { concurrency: true }, () => {
  test("runs, and reads a stream by its query, as an EventSource must", async () => {
    const token = browserToken({ user: "eve" });
    const { runId } = await ran(as(token));
    for (const path of [`/agui/runs/${runId}?`, `/v1/runs/${runId}/events?types=content,task_completed&`]) {
      const { status, frames } = await (await open(`${worker.url}${path}token=${token}`)).end();
      assert.equal(status, 200);
      assert.match(frames.at(-1).json.type, /RUN_FINISHED|task_completed/);
    }
  });

  test("is taken from the query on no other route, and nothing else is taken from there", async () => {
    const token = browserToken();
    const { runId } = await ran(as(token));
    await assertRefused(`${worker.url}/v1/runs/${runId}?token=${token}`, {}, 401, "unauthorized");
    await assertRefused(`${worker.url}/v1/runs/${runId}/cancel?token=${token}`, { method: "POST" }, 401, "unauthorized");
    await assertRefused(`${worker.url}/agui?token=${token}`, { method: "POST", body: input() }, 401, "unauthorized");
    for (const other of [ACME, OPERATOR]) {
      await assertRefused(`${worker.url}/agui/runs/${runId}?token=${other}`, {}, 401, "unauthorized");
    }
    await assertRefused(`${worker.url}/agui/runs/${runId}?token=${token}`, { headers: as("wrong") }, 401, "unauthorized");
  });

  test("bound to a thread reaches that one alone", async () => {
    const [mine, other] = [await ran(as(ACME)), await ran(as(ACME))];
    const bound = as(browserToken({ thread: mine.threadId }));
    await assertReaches(mine.runId, bound);
    await assertUnknown(other.runId, bound);
    const post = { method: "POST", headers: bound };
    await assertRefused(`${worker.url}/agui`, { ...post, body: other }, 403, "forbidden");
    const begun = input({ thread: other.threadId });
    await assertRefused(`${worker.url}/agui`, { ...post, body: begun }, 403, "forbidden");
    await assertUnknown(begun.runId, as(ACME));
    await ran(bound, input({ thread: mine.threadId }));
  });

  const seconds = Math.floor(Date.now() / 1000);
  const REFUSED = {
    "that has expired": [browserToken({ exp: seconds - 1 }), "token_expired"],
    "without an end": [browserToken({ exp: undefined })],
    "whose end is no number": [browserToken({ exp: "tomorrow" })],
    "that begins later": [browserToken({ nbf: seconds + 300 })],
    "without a scope": [browserToken({ scope: undefined })],
    "whose scope reaches into a user's": [browserToken({ scope: "acme/ann" })],
    "of another key": [browserToken({}, { key: ["another", "key-of", "thirty-two", "bytes-or-more"].join("-") })],
    "with alg none": [browserToken({}, { header: { alg: "none" } })],
    "with alg none and no signature": [browserToken({}, { header: { alg: "none" } }).replace(/[^.]*$/, "")],
    "with another algorithm": [browserToken({}, { header: { alg: "HS512" } })],
    "with a critical extension": [browserToken({}, { header: { alg: "HS256", crit: ["exp"] } })],
    "whose claims were changed": [browserToken().replace(/\.[^.]*\./, `.${browserToken({ user: "ann" }).split(".")[1]}.`)],
    "of no form": ["a.b.c"],
  };
  for (const [name, [token, code = "unauthorized"]] of Object.entries(REFUSED)) {
    test(`${name} is refused`, async () => {
      await assertRefused(`${worker.url}/v1/runs/r`, { headers: as(token) }, 401, code);
      await assertRefused(`${worker.url}/agui/runs/r?token=${token}`, {}, 401, code);
    });
  }

  test("needs a key of 32 bytes", async () => {
    const short = await new Worker().start({ ...TOKENS, LASTWORD_TOKEN_KEY: "x".repeat(31) });
    try {
      const reply = await assertRefused(`${short.url}/v1/runs/r`, { headers: as(ACME) }, 503, "not_configured");
      assert.match(JSON.parse(reply.text).error.message, /LASTWORD_TOKEN_KEY/);
      assert.ok(!reply.text.includes("xxx"));
    } finally {
      await short.stop();
    }
  });
});

test("in development everybody is the operator, and may be an end user", async () => {
  const dev = await new Worker().start();
  try {
    const body = input({ run: fresh("dev") });
    const post = { method: "POST", body, headers: { "lastword-user": "ann" } };
    assert.equal((await (await open(`${dev.url}/agui`, post)).end()).status, 200);
    const url = `${dev.url}/v1/runs/${body.runId}/events?view=operator`;
    assert.equal((await whole(url, { headers: { "lastword-user": "ann" } })).status, 200);
    await assertRefused(url, {}, 404, "unknown_run");
  } finally {
    await dev.stop();
  }
});
