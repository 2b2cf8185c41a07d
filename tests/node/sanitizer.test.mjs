// What a provider, a store or a client has said is nobody else's: no answer, no frame and no line of the log holds a
// word of it. The one exception is the client's own messages, sent back to a client that joins.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { rewrite } from "./lib/disk.mjs";
import { eventually, whole } from "./lib/http.mjs";
import { leaks } from "./lib/recordings.mjs";
import { ACME, as, browserToken, OPERATOR, TOKEN_KEY, TOKENS } from "./lib/tokens.mjs";
import { chat, KEY, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, sharedWorker, stateFolder, TRAP, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const gone = await startUpstream();
await gone.stop();
after(() => upstream.stop());
const limits = { LASTWORD_FIRST_BYTE_MS: "1500", LASTWORD_IDLE_MS: "1000" };
const worker = sharedWorker(upstreamVars(upstream, { ...TOKENS, ...limits }));
const stranded = sharedWorker(upstreamVars(gone, TOKENS));

/** Joined here, so that no file holds them. */
const secret = (...parts) => parts.join("-");
const UPSTREAM = [secret("sk", "live", "a1b2c3"), secret("quota", "of", "org", "is", "used", "up"), secret("db", "internal", "5432")];
const PROMPT = [secret("prompt", "of", "ann"), secret("rules", "of", "house"), secret("state", "of", "cart"), secret("tool", "of", "trade")];
const CONFIGURED = [KEY, ACME, OPERATOR, TOKEN_KEY, new URL(upstream.url).host, new URL(gone.url).host];
/** What nobody is ever sent, and what an error or a log may not hold either. */
const ALL = [...UPSTREAM, ...PROMPT, ...CONFIGURED];

const inSecrets = { error: { message: UPSTREAM.join(" "), code: UPSTREAM[0], param: UPSTREAM } };

/** A run whose input is full of secrets. `text` names the upstream's script. */
const bearing = (text) =>
  runInput({
    messages: [
      { id: "m0", role: "system", content: PROMPT[1] },
      { id: "m1", role: "user", content: PROMPT[0] },
      { id: "m2", role: "user", content: text },
    ],
    state: { note: PROMPT[2] },
    tools: [{ name: "look", description: PROMPT[3], parameters: { type: "object", title: PROMPT[3] } }],
    context: [{ description: PROMPT[2], value: PROMPT[0] }],
  });

/** Only these words may stand in a line of the log. */
function assertLog(worker) {
  for (const line of worker.logs) {
    assert.deepEqual(leaks(ALL, line), []);
    assert.deepEqual(Object.keys(JSON.parse(line)).filter((key) => !["code", "run", "reference", "reader"].includes(key)), []);
  }
}

const FAULTS = {
  "refuses with a body and headers of secrets": [
    (call) => {
      call.head(401, { "content-type": "application/json", "x-debug": UPSTREAM[1], "www-authenticate": `Bearer realm="${UPSTREAM[2]}"` });
      return call.write(JSON.stringify(inSecrets)).then(() => call.end());
    },
    "upstream_rejected",
  ],
  "fails with a page of secrets": [
    (call) => {
      call.head(503, { "content-type": "text/html", "retry-after": UPSTREAM[1] });
      return call.write(`<pre>${UPSTREAM.join("\n")}</pre>`).then(() => call.end());
    },
    "upstream_unavailable",
  ],
  "redirects to a secret place": [
    (call) => {
      call.head(302, { location: `${upstream.url}/${UPSTREAM[0]}?key=${UPSTREAM[2]}` });
      return call.end();
    },
    "upstream_rejected",
  ],
  "says its error in the stream": [
    async (call) => {
      await call.writeAll([...chat(["Well"]).slice(0, 1), Buffer.from(`data: ${JSON.stringify(inSecrets)}\n\n`)]);
      await call.end();
    },
    "upstream_unavailable",
  ],
  "sends what is no JSON": [
    async (call) => {
      await call.write(Buffer.from(`data: {"choices": ${UPSTREAM.join(" ")}\n\n`));
      await call.end();
    },
    "upstream_malformed",
  ],
  "breaks off": [
    async (call) => {
      await call.write(chat([UPSTREAM[0]])[0]);
      call.destroy();
    },
    "upstream_unavailable",
    // Narration is the operator's to see.
    [UPSTREAM[0]],
  ],
  "says nothing": [() => sleep(1), "upstream_timeout"],
};

/** Runs, reads the run in every way, and holds all of it against what may not be there. */
async function assertTellsNothing(worker, input, code, narrated = []) {
  const [mine, operator] = [as(ACME), as(OPERATOR, { "lastword-scope": "acme" })];
  const posted = await (await worker.post(input, mine)).end();
  assert.equal(posted.frames.at(-1).json.code, code);
  const read = (path, headers) => whole(`${worker.url}${path}`, { headers }).then((reply) => [reply.text, reply]);
  const [customer] = await read(`/v1/runs/${input.runId}/events`, mine);
  const [seen] = await read(`/v1/runs/${input.runId}/events?view=operator`, operator);
  const [record] = await read(`/v1/runs/${input.runId}`, mine);
  const [joined, { frames }] = await read(`/agui/runs/${input.runId}`, mine);
  const headers = JSON.stringify(posted.headers);
  for (const bytes of [posted.bytes, customer, record, headers]) assert.deepEqual(leaks(ALL, bytes), []);
  assert.deepEqual(leaks(ALL.filter((word) => !narrated.includes(word)), seen), [], "the operator's view");
  assert.deepEqual(leaks([...UPSTREAM, ...CONFIGURED], joined), []);
  const told = frames.filter(({ json }) => !["MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"].includes(json.type));
  assert.deepEqual(leaks(PROMPT, JSON.stringify(told.map(({ json }) => json))), [], "all but the client's own messages and state");
  const { failure } = JSON.parse(record);
  await eventually(() => worker.logs.some((line) => line.includes(failure.reference)), "the log's line");
  assert.deepEqual(JSON.parse(worker.logs.find((line) => line.includes(failure.reference))), {
    code,
    run: input.runId,
    reference: failure.reference,
  });
  assertLog(worker);
}

describe("nothing is told of a provider that", { concurrency: true }, () => {
  for (const [name, [script, code, narrated]] of Object.entries(FAULTS)) {
    test(name, () => {
      const text = fresh("fault");
      upstream.on(text, script);
      return assertTellsNothing(worker, bearing(text), code, narrated);
    });
  }

  test("is not there", () => assertTellsNothing(stranded, bearing(fresh("fault")), "upstream_unavailable"));
});

describe("nothing is told of a request that is refused", { concurrency: true }, () => {
  const [word] = PROMPT;
  const json = { "content-type": "application/json" };
  const REQUESTS = {
    "for its JSON": ["POST", "/agui", as(ACME, json), `{"threadId": "${word}", `],
    "for a field": ["POST", "/agui", as(ACME, json), JSON.stringify({ ...bearing("x"), messages: [{ id: word, role: word, content: word }] })],
    "for its length": ["POST", "/agui", as(ACME, json), JSON.stringify({ ...bearing("x"), state: word.repeat(100_000) })],
    "for its type": ["POST", "/agui", as(ACME, { "content-type": `text/${word}` }), "{}"],
    "for its token": ["GET", "/v1/runs/r", as(word)],
    "for its scheme": ["GET", "/v1/runs/r", { authorization: `${word} ${word}` }],
    "for its browser token": ["GET", "/v1/runs/r", as(browserToken({ scope: word, user: word, exp: word }))],
    "for the token in its query": ["GET", `/agui/runs/r?token=${word}`, {}],
    "for its cursor": ["GET", "/agui/runs/r", as(ACME, { "last-event-id": word })],
    "for its view": ["GET", `/v1/runs/r/events?view=${word}`, as(ACME)],
    "for its user": ["GET", "/v1/runs/r", as(ACME, { "lastword-user": `${word}${"x".repeat(300)}` })],
    "for its scope": ["GET", "/v1/runs/r", as(OPERATOR, { "lastword-scope": `${word}/x` })],
    "for its path": ["GET", `/${word}`, as(ACME)],
    "for its run": ["GET", `/v1/runs/${word}`, as(ACME)],
    "for its method": ["PUT", `/v1/runs/${word}`, as(ACME)],
  };
  for (const [name, [method, path, headers, body]] of Object.entries(REQUESTS)) {
    test(name, async () => {
      const reply = await whole(`${worker.url}${path}`, { method, headers, body });
      assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status}`);
      assert.deepEqual(leaks(ALL, reply.text + JSON.stringify(reply.headers)), []);
      assertLog(worker);
    });
  }
});

test("nothing is told of what is stored and can't be read, or of what was worked on when the instance was lost", async (t) => {
  const folder = await stateFolder();
  const vars = upstreamVars(upstream, TOKENS);
  let store = await new Worker().start(vars, folder);
  t.after(() => store.stop().then(() => removeFolder(folder)));
  const text = fresh("stored");
  upstream.on(text, async (call) => {
    await call.writeAll(chat(["Fine."]));
    await call.end();
  });
  const [head, journal] = [bearing(text), bearing(text)];
  for (const input of [head, journal]) assert.equal((await (await store.post(input, as(ACME))).end()).status, 200);
  await store.stop();
  rewrite(folder, `%/${head.runId}/head`, () => JSON.stringify({ stored: ALL }));
  rewrite(folder, `%/${journal.runId}/public/journal/%`, () => ALL.join(" "));
  store = await new Worker().start(vars, folder, { prelude: TRAP });

  const replies = [
    await whole(`${store.url}/v1/runs/${head.runId}`, { headers: as(ACME) }),
    await (await store.post(head, as(ACME))).end(),
    await whole(`${store.url}/v1/runs/${journal.runId}/events`, { headers: as(ACME) }),
    await whole(`${store.url}/agui/runs/${journal.runId}`, { headers: as(ACME, { "last-event-id": "1" }) }),
  ];
  const codes = replies.map(({ isStream, frames, text }) => (isStream ? frames.at(-1).json.code : JSON.parse(text).error.code));
  assert.deepEqual(codes, ["record_unreadable", "record_unreadable", "stream_interrupted", "stream_interrupted"]);
  for (const { text } of replies) assert.deepEqual(leaks(ALL, text), []);
  await eventually(() => store.logs.length >= 4, "a line for each");
  assertLog(store);

  const before = store.logs.length;
  const lost = await whole(`${store.url}/agui`, { method: "POST", body: bearing(text), headers: as(ACME, { "x-trap": "1" }) });
  assert.equal(lost.status, 500);
  await eventually(() => store.logs.slice(before).some((line) => line.includes(JSON.parse(lost.text).error.reference)), "its line");
  assert.deepEqual(leaks(ALL, [lost.text, ...store.logs].join("\n")), []);
});
