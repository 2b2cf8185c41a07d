// A hostile provider: it stalls, resets, sends elsewhere, talks without end, and sends what nobody asked for. Each run
// ends by itself, with the whole answer or with a code, and nothing of what the provider said leaves otherwise.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { eventually } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { leaks } from "./lib/recordings.mjs";
import { readSse } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const decoy = await startUpstream();
const LIMITS = { LASTWORD_FIRST_BYTE_MS: "2500", LASTWORD_IDLE_MS: "2500", LASTWORD_RUN_MS: "8000", LASTWORD_HEARTBEAT: "1" };
/** Waits long, as by default. */
const patient = sharedWorker(upstreamVars(upstream));
/** Waits seconds: for what never comes by itself. */
const hurried = sharedWorker(upstreamVars(upstream, LIMITS));
after(() => Promise.all([upstream.stop(), decoy.stop()]));

const MIB = 1 << 20;
/** A word that stands in everything that must not leave. Joined here, so that no file holds it. */
const SECRET = ["sk", "live", "0f1e2d3c"].join("-");
const ANSWER = "All is well.";
const WHOLE = Buffer.concat(chat([ANSWER]));
const HALF = Buffer.concat(chat([`Half ${SECRET}`]).slice(0, 1));
const FINISHED = Buffer.concat(chat([ANSWER]).slice(0, 2));
const DELTA = (delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

async function run(script, worker) {
  const [text, runId] = [fresh("hostile"), fresh("run")];
  upstream.on(text, script);
  const agent = agentWithHistory(worker.url, { text });
  const before = structuredClone(agent.messages);
  const { transcript, terminal } = await runOracle(agent, { runId });
  const record = (await worker.record(runId)).json;
  const bytes = agent.captured[0];
  const operator = await worker.eventsOf(runId, "operator");
  return { runId, transcript, terminal, before, record, bytes, operator, calls: upstream.callsOf(text) };
}

async function assertAnswers(script, worker = patient) {
  const result = await run(script, worker);
  assert.equal(result.terminal.type, "RUN_FINISHED", JSON.stringify(result.terminal));
  assertAnswer(result.transcript, result.before, ANSWER);
  assert.equal(result.record.status, "succeeded");
  assert.equal(result.calls.length, 1);
  return result;
}

async function assertFails(script, code, worker = patient) {
  const result = await run(script, worker);
  assert.deepEqual({ type: result.terminal.type, code: result.terminal.code }, { type: "RUN_ERROR", code });
  assert.deepEqual(result.transcript, result.before);
  assert.equal(result.record.failure.code, code);
  for (const bytes of [result.bytes, JSON.stringify(result.record), worker.logs.join("\n")]) {
    assert.deepEqual(leaks([SECRET, "Half"], bytes), []);
  }
  await eventually(() => result.calls.every((call) => call.isOver), "the connection is closed");
  return result;
}

/** Writes the same bytes until the other side has had enough. */
async function writeForEver(call, bytes, pause = 0) {
  while (await call.write(bytes)) await sleep(pause);
}

const heartbeats = ({ bytes }) => readSse(bytes).comments;

describe("a provider that stalls", { concurrency: true }, () => {
  const STALLS = {
    "before its headers": () => {},
    "in the middle of its headers": (call) => call.raw("HTTP/1.1 200 OK\r\ncontent-ty"),
    "before its first byte": (call) => call.head(),
    "in the middle": (call) => call.write(HALF),
    "in the middle of an event": (call) => call.write(Buffer.concat([HALF, Buffer.from('data: {"cho')])),
    "in one JSON body": async (call) => {
      call.head(200, { "content-type": "application/json" });
      await call.write('{"choices":[');
    },
  };
  for (const [place, script] of Object.entries(STALLS)) {
    test(place, async () => {
      assert.ok(heartbeats(await assertFails(script, "upstream_timeout", hurried)) >= 1, "heartbeats arrive at the client");
    });
  }

  test("behind its finish has said all: the answer is published, and the connection closed", async () => {
    const result = await assertAnswers((call) => call.write(FINISHED), hurried);
    assert.ok(heartbeats(result) >= 1, "heartbeats arrive at the client");
    await eventually(() => result.calls[0].isGone, "the connection is closed");
  });

  test("behind [DONE] is not waited for", async () => {
    const result = await assertAnswers((call) => call.write(WHOLE));
    await eventually(() => result.calls[0].isGone, "the connection is closed");
  });

  test("over each header for ever", () =>
    assertFails(async (call) => {
      await call.raw("HTTP/1.1 200 OK\r\nx: ");
      while (await call.raw("a")) await sleep(100);
    }, "upstream_timeout", hurried));
});

describe("a provider that goes away", { concurrency: true }, () => {
  const WAYS = { closes: (call) => call.destroy(), resets: (call) => call.reset() };
  for (const [way, go] of Object.entries(WAYS)) {
    test(`${way} at once`, () => assertFails(go, "upstream_unavailable"));
    test(`${way} behind its headers`, () =>
      assertFails(async (call) => {
        call.head();
        await sleep(50);
        go(call);
      }, "upstream_unavailable"));
    test(`${way} in the middle`, () =>
      assertFails(async (call) => {
        await call.write(HALF);
        await sleep(50);
        go(call);
      }, "upstream_unavailable"));
    test(`${way} behind its finish: nothing is missing`, () =>
      assertAnswers(async (call) => {
        await call.write(FINISHED);
        await sleep(50);
        go(call);
      }));
  }

  test("before the length that it has promised", () =>
    assertFails(async (call) => {
      call.head(200, { "content-type": "text/event-stream", "content-length": "100000" });
      await call.write(HALF);
      await sleep(50);
      call.destroy();
    }, "upstream_unavailable"));
});

describe("a provider that sends the call elsewhere", { concurrency: true }, () => {
  for (const status of [300, 301, 302, 303, 307, 308]) {
    test(`with ${status} is not followed, and where to is told to nobody`, async () => {
      const { operator } = await assertFails(async (call) => {
        call.head(status, { location: `${decoy.url}/chat/completions?key=${SECRET}` });
        await call.write(`<a href="${decoy.url}">${SECRET}</a>`);
        await call.end();
      }, "upstream_rejected");
      assert.deepEqual(leaks([SECRET, new URL(decoy.url).port], JSON.stringify(operator.at(-1))), []);
      assert.equal(decoy.calls.length, 0);
    });
  }
});

describe("a provider whose response is of another kind:", { concurrency: true }, () => {
  const typed = (type, body, status = 200, more = {}) => async (call) => {
    call.head(status, { ...(type && { "content-type": type }), ...more });
    await call.write(body);
    await call.end();
  };
  const PAGE = `<!doctype html><html><title>502</title><body>${SECRET}</body></html>`;

  for (const type of ["text/plain", "text/html", "application/octet-stream", "nonsense", undefined]) {
    test(`an event stream that calls itself ${type}`, () => assertAnswers(typed(type, WHOLE)));
  }
  test("one JSON body", () =>
    assertAnswers(typed("application/json", JSON.stringify({ choices: [{ message: { content: ANSWER }, finish_reason: "stop" }] }))));
  test("one JSON body that calls itself an event stream", () =>
    assertAnswers(typed("text/event-stream", JSON.stringify({ choices: [{ message: { content: ANSWER } }] }))));
  test("one JSON body with an error", () =>
    assertFails(typed("application/json", JSON.stringify({ error: { message: SECRET } })), "upstream_unavailable"));
  test("a page with 200", () => assertFails(typed("text/html", PAGE), "upstream_malformed"));
  test("a page with 200 that calls itself an event stream", () => assertFails(typed("text/event-stream", PAGE), "upstream_malformed"));
  test("a page with 200 that never ends", () =>
    assertFails(async (call) => {
      call.head(200, { "content-type": "text/html" });
      await writeForEver(call, PAGE.repeat(100));
    }, "upstream_malformed"));
  test("a page with 404", () => assertFails(typed("text/html", PAGE, 404), "upstream_rejected"));
  test("a page with 502", () => assertFails(typed("text/html", PAGE, 502), "upstream_unavailable"));
  test("an event stream with 500", () => assertFails(typed("text/event-stream", HALF, 500), "upstream_unavailable"));
  test("plain words", () => assertFails(typed("text/plain", `upstream connect error ${SECRET}\n`), "upstream_unavailable"));
  for (const status of [200, 204, 205]) {
    test(`nothing, with ${status}`, () =>
      assertFails(async (call) => {
        call.head(status, {});
        await call.end();
      }, "upstream_unavailable"));
  }
  for (const [encoding, encode] of Object.entries({ gzip: gzipSync, br: brotliCompressSync })) {
    test(`compressed by ${encoding}`, () => assertAnswers(typed("text/event-stream", encode(WHOLE), 200, { "content-encoding": encoding })));
  }
  test("compressed by gzip, and cut", () =>
    assertFails(typed("text/event-stream", gzipSync(WHOLE).subarray(0, 40), 200, { "content-encoding": "gzip" }), "upstream_unavailable"));
  test("gzip that is none", () =>
    assertFails(typed("text/event-stream", WHOLE, 200, { "content-encoding": "gzip" }), "upstream_unavailable"));
  test("gzip that it does not speak of", () => assertFails(typed("text/event-stream", gzipSync(WHOLE)), "upstream_malformed"));
  test("compressed as nobody can read it", () =>
    assertFails(typed("text/event-stream", deflateSync(WHOLE).subarray(2), 200, { "content-encoding": "x-lost" }), "upstream_unavailable"));
  test("64 MiB that were 64 KiB", () =>
    assertFails(typed("text/event-stream", gzipSync(Buffer.alloc(64 * MIB, "data: x")), 200, { "content-encoding": "gzip" }), "upstream_malformed"));
});

describe("a provider that sends more of the protocol than it should:", { concurrency: true }, () => {
  test("hints before the response", () =>
    assertAnswers(async (call) => {
      await call.raw("HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n");
      await call.write(WHOLE);
      await call.end();
    }));
  test("another protocol", () =>
    assertFails(async (call) => {
      await call.raw(`HTTP/1.1 101 Switching Protocols\r\nupgrade: ${SECRET}\r\nconnection: upgrade\r\n\r\n`);
      await sleep(50);
      call.destroy();
    }, "upstream_rejected"));
  test("headers of 32 KiB", () =>
    assertAnswers(async (call) => {
      call.head(200, { "content-type": "text/event-stream", "x-large": "a".repeat(32 << 10) });
      await call.write(WHOLE);
      await call.end();
    }));
  test("headers of 4 MiB", () =>
    assertFails(async (call) => {
      call.head(200, { "content-type": "text/event-stream", "x-large": SECRET.repeat((4 * MIB) / SECRET.length) });
      await call.write(WHOLE);
      await call.end();
    }, "upstream_unavailable"));
  test("headers without end", () =>
    assertFails(async (call) => {
      await call.raw("HTTP/1.1 200 OK\r\n");
      while (await call.raw(`x-more: ${SECRET.repeat(1_000)}\r\n`));
    }, "upstream_unavailable"));
});

describe("a provider that sends without end:", { concurrency: true }, () => {
  const PIECE = "x".repeat(64 << 10);
  const LINES = {
    "8 MiB and more in one line": ["data: ", PIECE],
    "8 MiB and more in one comment": [": ", PIECE],
    "8 MiB and more in one JSON body": ['{"x":"', PIECE],
    "8 MiB and more in the lines of one event": ["", `data: ${PIECE}\n`],
  };
  for (const [name, [first, more]] of Object.entries(LINES)) {
    test(`${name} is cut off at its bound`, async () => {
      const { calls } = await assertFails(async (call) => {
        await call.write(first || more);
        for (let count = 0; count < 128; count += 1) await call.write(more);
        await writeForEver(call, more);
      }, "upstream_malformed");
      assert.ok(calls[0].isGone, "before it had ended");
    });
  }

  const TALK = {
    comments: [": waiting\n\n", 20],
    "comments as fast as it can": [": waiting\n\n".repeat(1_000), 0],
    "white space": [" ", 20],
    "empty lines": ["\n", 20],
    pings: ["data:\n\n", 20],
    "empty deltas": [DELTA({}), 20],
  };
  for (const [name, [bytes, pause]] of Object.entries(TALK)) {
    test(`${name} until the limit of the whole run`, async () => {
      const { operator } = await assertFails((call) => writeForEver(call, bytes, pause), "run_timeout", hurried);
      assert.ok(operator.length < 20, `${operator.length} events`);
    });
  }

  test("text until the limit of a response", () =>
    assertFails((call) => writeForEver(call, DELTA({ content: "Half".repeat(10_000) })), "output_limit"));
  test("arguments until the limit of a response", () =>
    assertFails(async (call) => {
      await call.write(DELTA({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" } }] }));
      await writeForEver(call, DELTA({ tool_calls: [{ index: 0, function: { arguments: "Half".repeat(10_000) } }] }));
    }, "output_limit"));
  test("more, behind [DONE]", async () => {
    const { calls } = await assertAnswers(async (call) => {
      await call.write(WHOLE);
      await writeForEver(call, HALF);
    });
    await eventually(() => calls[0].isGone, "the connection is closed");
  });
});

describe("a provider that says little with much:", { concurrency: true }, () => {
  const EMPTY = { "empty deltas": DELTA({}), "empty texts": DELTA({ content: "" }), "calls of nothing": DELTA({ tool_calls: [{ index: 0 }] }) };
  for (const [name, frame] of Object.entries(EMPTY)) {
    test(`100,000 ${name} and then the answer`, async () => {
      const { operator } = await assertAnswers(async (call) => {
        const thousand = Buffer.from(frame.repeat(1_000));
        for (let count = 0; count < 100; count += 1) await call.write(thousand);
        await call.write(WHOLE);
        await call.end();
      });
      assert.ok(operator.length < 20, `${operator.length} events`);
    });
  }

  test("chunks of one byte", () =>
    assertAnswers(async (call) => {
      for (const byte of WHOLE) await call.write(Buffer.from([byte]));
      await call.end();
    }));

  test("its finish and its end mark twice, with more between", () =>
    assertAnswers(async (call) => {
      await call.write(Buffer.concat([WHOLE, HALF, WHOLE]));
      await call.end();
    }));
});
