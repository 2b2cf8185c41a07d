// A provider that is too slow: each limit of time ends the run with its code, and the connection is closed.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./lib/http.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { leaks } from "./lib/recordings.mjs";
import { readSse } from "./lib/sse.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
const LIMITS = { LASTWORD_FIRST_BYTE_MS: "2000", LASTWORD_IDLE_MS: "1000", LASTWORD_RUN_MS: "5000", LASTWORD_HEARTBEAT: "1" };
const worker = sharedWorker(upstreamVars(upstream, LIMITS));
after(() => upstream.stop());

async function run(script) {
  const [text, runId] = [fresh("slow"), fresh("run")];
  upstream.on(text, script);
  const agent = agentWithHistory(worker.url, { text });
  const before = structuredClone(agent.messages);
  const result = await runOracle(agent, { runId });
  return { ...result, before, call: upstream.callsOf(text)[0], bytes: agent.captured[0], record: await worker.record(runId) };
}

async function assertTimesOut(script, code) {
  const { terminal, transcript, before, call, bytes, record } = await run(script);
  assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code });
  assert.deepEqual(transcript, before);
  assert.equal(record.json.failure.code, code);
  await eventually(() => call.isGone, "the connection is closed");
  assert.deepEqual(leaks(["chatter"], bytes), []);
  return bytes;
}

const PIECE = chat(["chatter "])[0];

describe("a provider", { concurrency: true }, () => {
  test("that takes the request and never answers", async () => {
    const bytes = await assertTimesOut(() => {}, "upstream_timeout");
    assert.ok(readSse(bytes).comments >= 1, "the client has had a heartbeat");
  });

  test("that sends its headers and nothing more", () => assertTimesOut((call) => call.head(), "upstream_timeout"));

  test("that falls silent in the middle", () => assertTimesOut((call) => call.write(PIECE), "upstream_timeout"));

  test("that talks past the limit of the whole run", () =>
    assertTimesOut(async (call) => {
      while (await call.write(PIECE)) await sleep(100);
    }, "run_timeout"));

  test("that is slow, but not too slow, is waited for", async () => {
    const { transcript, before } = await run(async (call) => {
      await sleep(500);
      await call.writeAll(chat(["Slow", " and", " steady."]), 250);
      await call.end();
    });
    assertAnswer(transcript, before, "Slow and steady.");
  });
});
