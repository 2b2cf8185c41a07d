// What the recordings hold, read from their own files.

import { readdirSync, readFileSync } from "node:fs";
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

/** The `delta` objects of a recording's response, from 1. What is no whole JSON is left out. */
function deltas(name, ordinal) {
  const lines = readFileSync(`${FOLDER}/${name}/${ordinal}.sse`, "utf8").split(/\r?\n/);
  return lines.flatMap((line) => {
    try {
      return JSON.parse(line.replace(/^data: ?/, "")).choices.map((choice) => choice.delta);
    } catch {
      return [];
    }
  });
}

/** The names by which the provider knows the model and the response: the operator's alone. */
export function providerNames({ name, responses }) {
  const files = responses.map((_, index) => readFileSync(`${FOLDER}/${name}/${index + 1}.sse`, "utf8"));
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
