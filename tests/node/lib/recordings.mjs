// What the recordings hold, read from their own files.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { inside } from "../../../js/scripts/lib/paths.mjs";

const FOLDER = inside("src/provider/replay/recordings");

/** Every recording: `{name, model, answer, narration, client_tools, responses, …}`. */
export const recordings = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    client_tools: [],
    ...JSON.parse(readFileSync(`${FOLDER}/${name}/recording.json`, "utf8")),
    ...JSON.parse(readFileSync(`${FOLDER}/${name}/expected.json`, "utf8")),
    name,
    model: `replay/${name}`,
  }));

export const recording = (name) => recordings.find((one) => one.name === name);

/** The bytes of a recording's response, from 1. A recording may play its last file over and over. */
function tape(name, ordinal) {
  const path = `${FOLDER}/${name}/${ordinal}.sse`;
  return existsSync(path) ? readFileSync(path, "utf8") : tape(name, ordinal - 1);
}

/**
 * The texts of the responses that a recording's first run asks for: up to the one that calls the client's tools, or
 * that dies.
 */
export function firstRun({ name, responses, client_tools }) {
  const dies = responses.findIndex(({ end }) => end === "abort");
  const count = client_tools.length > 0 ? 1 : dies >= 0 ? dies + 1 : responses.length;
  return Array.from({ length: count }, (_, index) => tape(name, index + 1));
}

/** The `delta` objects of a recording's response, from 1. What is no whole JSON is left out. */
function deltas(name, ordinal) {
  return tape(name, ordinal).split(/\r?\n/).flatMap((line) => {
    try {
      const data = JSON.parse(line.replace(/^data: ?/, ""));
      return data.choices ? data.choices.map((choice) => choice.delta) : [ofSignal(data)];
    } catch {
      return [];
    }
  });
}

/** A signal as the delta of Chat Completions that says the same. */
function ofSignal({ type, delta, text, index, id, name = "" }) {
  if (type === "text") return { content: delta };
  if (type === "reasoning") return { reasoning_content: delta };
  if (type === "refusal") return { refusal: delta };
  if (type === "item_end") return { content: text };
  if (type === "call_start") return { tool_calls: [{ index, id, function: { name, arguments: "" } }] };
  if (type === "call_args") return { tool_calls: [{ index, function: { name: "", arguments: delta } }] };
  return {};
}

/** The names by which the provider knows the model and the response: the operator's alone. */
export function providerNames({ name, responses }) {
  const files = responses.map((_, index) => tape(name, index + 1));
  return [...new Set(files.flatMap((text) => [...text.matchAll(/"(?:model|id|system_fingerprint)":"((?!call_)[^"]+)"/g)].map(([, value]) => value)))];
}

/** All that the model says in a recording: text, reasoning, refusal. */
export function said({ name, responses }) {
  const all = responses.flatMap((_, index) => deltas(name, index + 1));
  return all.map((delta) => `${delta.reasoning_content ?? ""}${delta.content ?? ""}${delta.refusal ?? ""}`).join("");
}

/** The tool calls of a recording's first response, as an AG-UI message holds them. */
export function firstCalls(name) {
  const calls = [];
  for (const { index, id, function: { name: tool = "", arguments: piece = "" } } of deltas(name, 1).flatMap(
    (delta) => delta.tool_calls ?? [],
  )) {
    calls[index] ??= { id, type: "function", function: { name: "", arguments: "" } };
    calls[index].function.name += tool;
    calls[index].function.arguments += piece;
  }
  return calls;
}

/** The declarations of a recording's client tools. */
export const clientTools = (names) =>
  names.map((name) => ({ name, description: "A tool of the app.", parameters: { type: "object", properties: {} } }));

/**
 * The words of `narration` that occur in these bytes, which must be none. A number counts as a whole word only,
 * since times and hashes may hold its digits; the word `user` counts unless it is a message's role.
 */
export function leaks(narration, bytes) {
  const text = String(bytes).replaceAll('"role":"user"', "");
  return narration.filter((word) => (/^\d+$/.test(word) ? new RegExp(`(?<!\\w)${word}(?!\\w)`).test(text) : text.includes(word)));
}
