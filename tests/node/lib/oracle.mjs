// The official AG-UI clients, and when a run through one counts as right. "It resolved" alone proves nothing: the
// client resolves on a cut stream and on an empty one too.

import assert from "node:assert/strict";
import { setImmediate as tick } from "node:timers/promises";
import { HttpAgent } from "@ag-ui/client";
import { HttpAgent as HttpAgent059 } from "ag-ui-client-059";
import { SseReader } from "./sse.mjs";
import { fresh } from "./worker.mjs";

// What the client says on its own: a warning means that it has dropped or stripped something.
const complaints = [];
const warn = console.warn;
console.warn = (...words) => {
  complaints.push(words.map(String).join(" "));
  warn(...words);
};
process.on("unhandledRejection", (reason) => complaints.push(`unhandled rejection: ${reason}`));

/** The official clients, by version. The older one declares no protocol version. */
export const CLIENTS = { "1.0.0": HttpAgent, "0.0.59": HttpAgent059 };

/** The versions of the official client that Lastword is held to. */
export const VERSIONS = Object.keys(CLIENTS);

/** Two earlier turns, which must still be there after any run. */
export const HISTORY = [
  { id: "h1", role: "user", content: "Do you ship to Norway?" },
  { id: "h2", role: "assistant", content: "Yes, within a week." },
  { id: "h3", role: "user", content: "And to Iceland?" },
  { id: "h4", role: "assistant", content: "There it takes two weeks." },
];

/**
 * An official client that holds the two earlier turns and a new question.
 *
 * `agent.captured` becomes the exact bytes of each response, one buffer a request. `via` may change a request
 * (`{url, init}`) on its way; `onHeaders` is called when a response's headers are there.
 */
export function agentWithHistory(url, { thread = fresh("thread"), text = "Hello?", question = fresh("q"), ...rest } = {}) {
  const messages = [...HISTORY, { id: question, role: "user", content: text }];
  return agentFor(url, { thread, messages, ...rest });
}

/**
 * An official client of the Worker at `url` that holds these messages. Every frame that it is sent is read strictly
 * on its way: by the schema, and by what Lastword promises beyond it.
 */
export function agentFor(url, { thread, messages, state, client = "1.0.0", via = (request) => request, onHeaders = () => {} }) {
  const captured = [];
  const capturingFetch = async (target, init) => {
    const request = via({ url: target, init });
    const response = await (request.response ?? fetch(request.url, request.init));
    onHeaders(response);
    const chunks = [];
    const at = captured.push(Buffer.alloc(0)) - 1;
    const reader = new SseReader();
    const copy = new TransformStream({
      transform(chunk, controller) {
        chunks.push(Buffer.from(chunk));
        captured[at] = Buffer.concat(chunks);
        if (response.headers.get("content-type")?.startsWith("text/event-stream")) reader.feed(Buffer.from(chunk));
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(copy), response);
  };
  const options = { url: `${url}/agui`, threadId: thread, initialMessages: messages, initialState: state, fetch: capturingFetch };
  const agent = new CLIENTS[client](options);
  agent.captured = captured;
  return agent;
}

/** A `via` that reads the run at its own address where the client would post it. */
export const byGet = (url, run) => ({ init }) => ({
  url: `${url}/agui/runs/${encodeURIComponent(run)}`,
  init: { headers: { accept: "text/event-stream" }, signal: init.signal },
});

/** A `via` that makes a newer client one of the time before protocol versions. */
export const undeclared = ({ url, init }) => {
  const { protocolVersion, ...body } = JSON.parse(init.body);
  assert.equal(protocolVersion, "1.0", "the official client declares 1.0");
  return { url, init: { ...init, body: JSON.stringify(body) } };
};

/**
 * Runs the agent and asserts everything that makes a run right: the promise resolved, no failure was reported,
 * exactly one terminal and nothing after it, no warning, no unhandled rejection, and ids as requested.
 *
 * Returns `{transcript, events, terminal}`: the agent's messages afterwards, all events, and the terminal one.
 */
export async function runOracle(agent, params = {}) {
  const runId = params.runId ?? fresh("run");
  const known = complaints.length;
  const [events, failures, terminals] = [[], [], []];
  const terminal = ({ event }) => void terminals.push(event);
  await agent.runAgent(
    { ...params, runId },
    {
      onEvent: ({ event }) => void events.push(event),
      onRunFailed: ({ error }) => void failures.push(error),
      onRunFinishedEvent: terminal,
      onRunErrorEvent: terminal,
    },
  );
  // An unhandled rejection is reported a turn of the loop later.
  await tick();
  assert.deepEqual(failures, [], "onRunFailed is silent");
  assert.deepEqual(complaints.slice(known), [], "no warning, no unhandled rejection");
  assert.equal(terminals.length, 1, `exactly one terminal: ${JSON.stringify(events)}`);
  assert.equal(events.at(-1).type, terminals[0].type, "nothing comes after the terminal");
  assertIds(events, agent.threadId, runId);
  return { transcript: structuredClone(agent.messages), events, terminal: terminals[0] };
}

function assertIds(events, threadId, runId) {
  const framing = events.filter((event) => event.type === "RUN_STARTED" || event.type === "RUN_FINISHED");
  assert.equal(framing[0].type, "RUN_STARTED");
  for (const event of framing) {
    assert.deepEqual({ thread: event.threadId, run: event.runId }, { thread: threadId, run: runId });
  }
}

/** Asserts that the transcript is `before` and then exactly one answer with that text. Returns the answer's id. */
export function assertAnswer(transcript, before, text) {
  assert.deepEqual(transcript.slice(0, before.length), before, "what was there is still there");
  const added = transcript.slice(before.length);
  assert.deepEqual(added.map(({ id, ...message }) => message), [{ role: "assistant", content: text }]);
  assert.ok(added[0].id, "the answer has an id");
  return added[0].id;
}
