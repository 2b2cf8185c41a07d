// Every quirk that a provider is known to have, played to the Worker: the official client gets the answer that the
// index beside the recordings states, or the failure. Once with thinking tags left alone, and once with them read.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { quirks } from "./lib/quirks.mjs";
import { leaks } from "./lib/recordings.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

// Control characters are no business of the filter's here, which would remove them.
const REDACT = { LASTWORD_REDACT: '{"escapes":false}' };
const SETTINGS = { "left alone": sharedWorker(upstreamVars(upstream, REDACT)) };
SETTINGS.read = sharedWorker(upstreamVars(upstream, { LASTWORD_THINKING_TAGS: "true", ...REDACT }));

/** What a model says once it has been told what became of its calls. */
const AFTERWARDS = "So be it.";

async function play(worker, { bytes, type }) {
  const [text, runId] = [fresh("quirk"), fresh("run")];
  upstream.on(text, async (call) => {
    const isFirst = upstream.callsOf(text).length === 1;
    if (isFirst) call.head(200, { "content-type": type });
    if (isFirst && bytes.length > 0) await call.write(bytes);
    if (!isFirst) await call.writeAll(chat([AFTERWARDS]));
    await call.end();
  });
  const agent = agentWithHistory(worker.url, { text });
  const before = structuredClone(agent.messages);
  const { transcript, terminal } = await runOracle(agent, { runId });
  const { json: record } = await worker.record(runId);
  return { runId, transcript, terminal, before, record, bytes: agent.captured[0], calls: upstream.callsOf(text) };
}

/** The calls as the model is told, in the next request, that it made them. */
function callsMade([, second]) {
  const { tool_calls } = second.body.messages.findLast((message) => message.role === "assistant");
  assert.equal(new Set(tool_calls.map(({ id }) => id)).size, tool_calls.length, "each has an id of its own");
  return tool_calls.map((call) => [call.function.name, call.function.arguments]);
}

for (const [setting, worker] of Object.entries(SETTINGS)) {
  describe(`with thinking tags ${setting},`, { concurrency: true }, () => {
    for (const quirk of quirks) {
      const answer = (setting === "read" ? quirk.tagged : undefined) ?? quirk.answer ?? (quirk.calls && AFTERWARDS);
      test(`${quirk.name}: ${quirk.about}`, async () => {
        const { runId, transcript, terminal, before, record, bytes, calls } = await play(worker, quirk);
        if (quirk.code) {
          assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: quirk.code });
          assert.deepEqual(transcript, before);
          assert.equal(record.failure.code, quirk.code);
          assert.deepEqual(leaks(["Half"], bytes), []);
          assert.equal(calls.length, 1);
          return;
        }
        assert.equal(terminal.type, "RUN_FINISHED");
        if (answer === "") assert.deepEqual(transcript, before, "an empty answer adds nothing");
        else assertAnswer(transcript, before, answer);
        assert.equal(record.status, "succeeded");
        if (quirk.calls) assert.deepEqual(callsMade(calls), quirk.calls);
        else assert.equal(calls.length, 1);
        const completed = (await worker.eventsOf(runId)).at(-1);
        assert.equal(completed.usage?.[0].total_tokens, quirk.total);
        assert.equal(completed.truncated, quirk.truncated);
        assert.deepEqual(leaks(["Bad", "Worse", "Let me look"], bytes), []);
      });
    }
  });
}
