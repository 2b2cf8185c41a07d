// Narration and thinking that the operator has made public: reasoning messages beside the answer, never in it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { agentWithHistory, byGet, runOracle, VERSIONS } from "./lib/oracle.mjs";
import { recording } from "./lib/recordings.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=true" });

for (const name of ["narrated-refund", "reasoning-beside-text"]) {
  for (const client of VERSIONS) test(`${name}, client ${client}`, () => play(recording(name), client));
}

async function play(tape, client) {
  const [thread, runId, question] = [fresh("thread"), fresh("run"), fresh("q")];
  const agent = agentWithHistory(worker.url, { thread, question, client });
  const before = agent.messages.length;
  const params = { runId, forwardedProps: { model: tape.model } };
  const { transcript, terminal } = await runOracle(agent, params);
  assert.equal(terminal.type, "RUN_FINISHED");
  const added = transcript.slice(before);
  const texts = (role) => added.filter((message) => message.role === role).map(({ content }) => content);
  assert.deepEqual(texts("assistant"), [tape.answer], "the answer alone is the assistant's");
  const reasoning = texts("reasoning").join("\n");
  for (const word of tape.narration) assert.ok(reasoning.includes(word), word);
  assert.equal(added.length, 1 + texts("reasoning").length);

  const late = agentWithHistory(worker.url, { thread, question, client, via: byGet(worker.url, runId) });
  assert.deepEqual((await runOracle(late, params)).transcript, transcript, "and the same after the end");
}
