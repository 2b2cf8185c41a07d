// How a recording's run must have ended for a client: the transcript and the terminal.

import assert from "node:assert/strict";
import { assertAnswer } from "./oracle.mjs";
import { firstCalls } from "./recordings.mjs";

/** A client of 1.0 is told how a run finished; an older one only that it has. */
const declares = (version) => version === "1.0.0";

/** As recorded: the answer, the client's calls, the question to a person, or, where the turn dies (with this code), nothing at all. */
export function assertOutcome(tape, before, { transcript, terminal }, { version = "1.0.0", code } = {}) {
  if (tape.answer === null) {
    assertFailed(before, { transcript, terminal }, code);
    return;
  }
  assert.equal(terminal.type, "RUN_FINISHED");
  if (tape.approvals) {
    assert.equal(terminal.outcome.type, "interrupt");
    assert.deepEqual(transcript, before, "a turn that waits for a person has said nothing yet");
    return;
  }
  assert.equal(terminal.outcome?.type, declares(version) ? "success" : undefined);
  if (tape.client_tools.length > 0) assertCalls(tape, before, transcript, terminal, version);
  else if (tape.answer === "") assert.deepEqual(transcript, before, "an empty answer is no message");
  else assertAnswer(transcript, before, tape.answer);
}

/** Failed: RUN_ERROR, with this code if one is given, and nothing published. */
export function assertFailed(before, { transcript, terminal }, code = terminal.code) {
  assert.equal(terminal.type, "RUN_ERROR");
  assert.equal(terminal.code, code);
  assert.deepEqual(transcript, before, "a turn that dies publishes nothing");
}

/** Cancelled: an outcome of its own for a client of 1.0, which an older one would die of; nothing published. */
export function assertCancelled(before, { transcript, terminal }, version) {
  if (declares(version)) {
    assert.equal(terminal.type, "RUN_FINISHED");
    assert.deepEqual(terminal.outcome, { type: "cancelled" });
  } else {
    assert.deepEqual({ type: terminal.type, code: terminal.code }, { type: "RUN_ERROR", code: "cancelled" });
  }
  assert.deepEqual(transcript, before);
}

function assertCalls(tape, before, transcript, terminal, version) {
  const calls = firstCalls(tape.name).filter((call) => tape.client_tools.includes(call.function.name));
  assert.deepEqual(calls.map((call) => call.function.name), tape.client_tools);
  assert.deepEqual(transcript.slice(0, before.length), before);
  const added = transcript.slice(before.length).map(({ id, ...message }) => message);
  assert.deepEqual(added, [{ role: "assistant", toolCalls: calls }], "one message holds all calls of a response");
  const pending = declares(version) ? calls.map((call) => call.id) : undefined;
  assert.deepEqual(terminal.outcome?.pendingToolCallIds, pending);
}
