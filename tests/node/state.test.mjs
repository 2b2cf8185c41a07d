// The state of a run through the Worker: what the client sent comes back to whoever joins, until the run says another;
// states may be as large as a request, or as an agent's event.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { agentFor, byGet, runOracle } from "./lib/oracle.mjs";
import { startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
// Control characters are no business of the filter's here, which would remove them.
const worker = sharedWorker(upstreamVars(upstream, { LASTWORD_PROVIDER: "signals", LASTWORD_BODY_BYTES: "2097152", LASTWORD_REDACT: '{"escapes":false}' }));

const say = (signal) => Buffer.from(`data: ${JSON.stringify(signal)}\n\n`);
const state = (at, bytes) => ({ at, cart: [1, null, "zwei"], text: "é\u0001".repeat(bytes / 8) });

/** A client with a state of its own, whose agent says these; `late` joins the same run by GET. */
function client(sent, snapshots) {
  const [text, runId, thread] = [fresh("state"), fresh("run"), fresh("thread")];
  upstream.on(text, async (call) => {
    for (const snapshot of snapshots) await call.write(say({ type: "state", snapshot }));
    await call.writeAll([say({ type: "text", delta: "Done." }), say({ type: "response_end" })]);
    await call.end();
  });
  const messages = [{ id: fresh("q"), role: "user", content: text }];
  const agent = () => ({ thread, messages: structuredClone(messages), state: structuredClone(sent) });
  return {
    runId,
    agent: agentFor(worker.url, agent()),
    late: () => agentFor(worker.url, { ...agent(), state: undefined, via: byGet(worker.url, runId) }),
  };
}

const snapshotsOf = (events) => events.filter(({ type }) => type === "STATE_SNAPSHOT").map(({ snapshot }) => snapshot);

describe("a state", { concurrency: 2 }, () => {
  const cases = {
    "of the client's own, small": [{ a: 1 }, []],
    "of the client's own, of a mebibyte": [state(0, 1 << 20), []],
    "of the agent's, small": [{ a: 1 }, [{ b: 2 }, { b: 3 }]],
    "of the agent's, of nearly a mebibyte each": [{ a: 1 }, [1, 2, 3].map((at) => state(at, 900_000))],
    "of the agent's, large and then small": [state(0, 1 << 20), [state(1, 900_000), [], { last: true }]],
  };
  for (const [name, [sent, said]] of Object.entries(cases)) {
    test(`${name}, is the client's, live and late`, async () => {
      const { runId, agent, late } = client(sent, said);
      const live = await runOracle(agent, { runId });
      assert.deepEqual(snapshotsOf(live.events), said, "each as it came");
      const newest = said.at(-1) ?? sent;
      assert.deepEqual(agent.state, newest);
      // Whoever joins is sent the newest alone.
      const joins = late();
      const joined = await runOracle(joins, { runId });
      assert.deepEqual(snapshotsOf(joined.events), [newest]);
      assert.deepEqual([joins.state, joined.transcript.at(-1)], [newest, live.transcript.at(-1)]);
      const told = await worker.eventsOf(runId);
      assert.deepEqual(told.filter(({ type }) => type === "state").map(({ snapshot }) => snapshot), said);
    });
  }
});
