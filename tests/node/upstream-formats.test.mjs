// Every quirk that a provider of any format is known to have, played to the Worker: the official client gets the answer
// that the index beside the recordings states, or the failure. Once with the format named, and once detected.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { FORMATS } from "./lib/formats.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { quirksOf } from "./lib/quirks.mjs";
import { leaks } from "./lib/recordings.mjs";
import { startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const origin = new URL(upstream.url).origin;

/** What a model says once it has been told what became of its calls. */
const AFTERWARDS = "So be it.";

/** Control characters are no business of the filter's here, which would remove them. */
const REDACT = { LASTWORD_REDACT: '{"escapes":false}' };
const worker = (provider, url) =>
  sharedWorker(upstreamVars(upstream, { LASTWORD_PROVIDER: provider, LASTWORD_UPSTREAM_URL: url, ...REDACT }));

async function play(worker, format, { bytes, type }) {
  const [text, runId] = [fresh("quirk"), fresh("run")];
  upstream.on(text, async (call) => {
    const isFirst = upstream.callsOf(text).length === 1;
    call.head(200, { "content-type": isFirst ? type : format.type });
    if (isFirst && bytes.length > 0) await call.write(bytes);
    if (!isFirst) await call.writeAll(format.says(AFTERWARDS));
    await call.end();
  });
  const agent = agentWithHistory(worker.url, { text });
  const before = structuredClone(agent.messages);
  const { transcript, terminal } = await runOracle(agent, { runId });
  const { json: record } = await worker.record(runId);
  return { runId, transcript, terminal, before, record, bytes: agent.captured[0], calls: upstream.callsOf(text) };
}

async function check(worker, format, quirk) {
  const { runId, transcript, terminal, before, record, bytes, calls } = await play(worker, format, quirk);
  const [{ method, path, headers }] = calls;
  assert.deepEqual({ method, path, keyed: format.keyed(headers) }, { method: "POST", path: format.path, keyed: true });
  if (quirk.code) {
    assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: quirk.code });
    assert.deepEqual(transcript, before);
    assert.equal(record.failure.code, quirk.code);
    assert.deepEqual(leaks(["Half"], bytes), []);
    assert.equal(calls.length, 1);
    return;
  }
  const goesOn = quirk.calls !== undefined || quirk.paused !== undefined;
  assert.equal(terminal.type, "RUN_FINISHED");
  assert.equal(calls.length, goesOn ? 2 : 1);
  const answer = goesOn ? AFTERWARDS : quirk.answer;
  if (answer === "") assert.deepEqual(transcript, before, "an empty answer adds nothing");
  else assertAnswer(transcript, before, answer);
  assert.equal(record.status, "succeeded");
  const completed = (await worker.eventsOf(runId)).at(-1);
  assert.equal(completed.usage?.[0].total_tokens, quirk.total);
  assert.equal(completed.truncated, quirk.truncated);
  const never = ["Bad", "Worse", "Let me look"].filter((words) => !answer.includes(words));
  assert.deepEqual(leaks(never, bytes), []);
}

for (const format of FORMATS) {
  describe(`a provider that speaks ${format.provider}`, { concurrency: true }, () => {
    const named = worker(format.provider, origin + format.base);
    for (const quirk of quirksOf(format.folder)) {
      test(`${quirk.name}: ${quirk.about}`, () => check(named, format, quirk));
    }
  });
}
