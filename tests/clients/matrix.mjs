// What each client makes of each kind of turn, on each wire: the table, and how it is played.

import { spawn } from "node:child_process";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { recording } from "../node/lib/recordings.mjs";
import { chat } from "../node/lib/upstream.mjs";
import { fresh } from "../node/lib/worker.mjs";
import { ask, clientsOf } from "./ask.mjs";

export const WIRES = ["responses", "chat", "messages"];

/** The clients that Python has, by wire. */
const PYTHON = {
  responses: ["openai raw", "openai stream", "openai whole", "langchain stream", "langchain whole"],
  chat: ["openai raw", "openai stream", "openai whole", "langchain stream", "langchain whole"],
  messages: ["anthropic stream", "anthropic whole"],
};

/** Every client: `{language, wire, client}`. */
export const CLIENTS = WIRES.flatMap((wire) => [
  ...clientsOf(wire).map((client) => ({ language: "JavaScript", wire, client })),
  ...PYTHON[wire].map((client) => ({ language: "Python", wire, client })),
]);

const SLOW = "It took a while.";
const isWhole = ({ client }) => client.endsWith("whole");
const played = (name) => () => ({ model: `replay/${name}` });

/** The whole answer and nothing else, without an error. */
const answers = (answer) => (assert, { text, error }) => assert.deepEqual({ text, error }, { text: answer, error: null });

/** An error, and none of the text. */
const fails = (assert, { text, error }) => {
  assert.ok(error, `no error, but ${JSON.stringify(text)}`);
  assert.equal(text, "");
};

/** The refusal is said as one, or where a client has no word for it, as text or not at all (docs/clients.md). */
function refuses(assert, { text, refusal, error }, { client, wire }) {
  const { answer } = recording("refusal");
  const silent = client.startsWith("langchain") || client.startsWith("ai-sdk");
  if (!silent) assert.equal(refusal, answer);
  assert.ok(["", answer].includes(text), text);
  if (wire !== "responses" || !silent) assert.equal(error, null);
}

/** A cut answer is the answer; one client takes its mark for an error. */
function isCut(assert, result, { language, wire, client }) {
  const raises = language === "Python" && client === "openai stream";
  if (raises && result.error) return assert.match(result.error, /Incomplete|LengthFinishReason|completed|RuntimeError/i);
  answers(recording("length-stop").answer)(assert, result);
  assert.ok(wire);
}

/**
 * The scenarios: what makes a task of a client (`{model, text?, tool?, after?, via?}`), and what must come of it. `of` says
 * for which clients it is.
 */
export const SCENARIOS = {
  ok: { task: played("reasoning-beside-text"), expect: answers(recording("reasoning-beside-text").answer) },
  "a narrated turn": { task: played("narrated-refund"), expect: answers(recording("narrated-refund").answer) },
  failed: { task: played("death-mid-message"), expect: fails },
  incomplete: { task: played("length-stop"), expect: isCut },
  "a refusal": { task: played("refusal"), expect: refuses },
  "a tool's turn": {
    task: () => ({ model: "replay/client-tool", tool: "pick_delivery_slot" }),
    expect(assert, { text, calls, error }) {
      assert.deepEqual({ text, error, tools: calls.map(([name]) => name) }, { text: "", error: null, tools: ["pick_delivery_slot"] });
      assert.doesNotThrow(() => JSON.parse(calls[0][1]));
    },
  },
  "a long silence": { task: ({ slowly }) => slowly(3000), expect: answers(SLOW) },
  cancelled: { task: ({ slowly, cancelled }) => ({ ...slowly(8000), begun: cancelled }), expect: fails },
  cut: { task: ({ slowly, cutter }) => ({ ...slowly(3000), url: cutter }), expect: fails },
  "a reconnect behind an event": {
    of: ({ wire, client }) => wire === "responses" && client === "openai raw",
    task: ({ slowly }) => ({ ...slowly(1000), after: 1 }),
    expect: answers(SLOW),
  },
  "105 seconds of silence": { long: true, of: isWhole, task: ({ slowly }) => slowly(105_000), expect: answers(SLOW) },
};

/** The variables of the Worker that is asked; it plays recordings where a model is named so, and has an upstream for the rest. */
export const VARS = { LASTWORD_HEARTBEAT: "1", LASTWORD_FIRST_BYTE_MS: "200000" };

/** A proxy that breaks each connection soon after the first byte of the answer. */
export async function startCutter(url) {
  const server = http.createServer((incoming, response) => {
    const through = http.request(url + incoming.url, { method: incoming.method, headers: incoming.headers }, (from) => {
      response.writeHead(from.statusCode, from.headers);
      from.once("data", (chunk) => {
        response.write(chunk);
        setTimeout(() => response.destroy(), 50);
      });
    });
    incoming.pipe(through);
    through.on("error", () => response.destroy());
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** The task of a client in a scenario. `env` has the Workers' addresses, the upstream and the cutter's address. */
export function taskOf(scenario, one, env) {
  const slowly = (pause) => {
    const text = fresh("slow");
    env.upstream.on(text, async (call) => {
      await sleep(pause);
      await call.writeAll(chat([SLOW]));
      await call.end();
    });
    return { url: env.live, model: "test-model", text };
  };
  const made = scenario.task({ ...one, slowly, cutter: env.cutter, cancelled: (task) => cancelled(env.live, task.key) });
  return { url: env.recorded, text: "Hi", key: fresh("key"), ...made, ...one };
}

/** Cancels the run of that id once it is there. */
async function cancelled(url, run) {
  for (let tries = 0; tries < 200; tries += 1) {
    const response = await fetch(`${url}/v1/runs/${run}/cancel`, { method: "POST" });
    if (response.ok) return;
    await sleep(50);
  }
}

/** Does the tasks, all at once; gives their results in order. */
export async function askAll(tasks) {
  const results = new Array(tasks.length);
  const [python, javascript] = ["Python", "JavaScript"].map((language) => tasks.filter((task) => task.language === language));
  for (const { begun, ...task } of tasks) begun?.(task);
  const ofPython = python.length > 0 ? askPython(python.map(({ begun, ...task }) => task)) : [];
  await Promise.all(javascript.map(async (task) => (results[tasks.indexOf(task)] = await ask(task))));
  for (const [at, result] of (await ofPython).entries()) results[tasks.indexOf(python[at])] = result;
  return results;
}

function askPython(tasks) {
  const child = spawn(inside("target/python/bin/python"), [inside("tests/clients/ask.py")], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(tasks));
  return new Promise((done, failed) => {
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done(JSON.parse(Buffer.concat(chunks))) : failed(new Error(`ask.py ended with ${code}`))));
  });
}
