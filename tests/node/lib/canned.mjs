// Official clients that read streams from memory, so that any cut of any stream can be tried.

import { agentFor, runOracle } from "./oracle.mjs";

/** An official client of this version that holds what `input` says, and reads what it is given. */
export function cannedAgent(client, { threadId, messages, state }) {
  let next;
  const response = () => new Response(next, { headers: { "content-type": "text/event-stream" } });
  const via = ({ url, init }) => ({ url, init, response: response() });
  const agent = agentFor("http://canned.invalid", { thread: threadId, messages, state, client, via });
  agent.give = (raw) => (next = raw);
  return agent;
}

/**
 * Reads a stream to its end, and asserts that the run through it is right. A client that holds interrupts forgets
 * them: it would not ask at all without an answer.
 */
export function readAll(agent, runId, raw) {
  agent.give(raw);
  agent.pendingInterrupts = [];
  return runOracle(agent, { runId });
}

/** Reads a stream that breaks off between two frames. The client takes that for an end, and keeps what it has. */
export async function readPart(agent, runId, raw) {
  if (raw === "") return agent;
  agent.give(raw);
  await agent.runAgent({ runId });
  return agent;
}
