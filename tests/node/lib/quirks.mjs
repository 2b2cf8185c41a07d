// The recordings of provider quirks, and what is expected of each, read from their own index.

import { existsSync, readFileSync } from "node:fs";
import { inside } from "../../../js/scripts/lib/paths.mjs";

const TYPES = { sse: "text/event-stream", json: "application/json", html: "text/html", ndjson: "application/x-ndjson" };

/**
 * Every quirk of a format, by its folder: `{name, about, bytes, type}` and what becomes of it: `answer`, or `code` of the
 * failure, or `calls` as pairs of a name and arguments, or `paused`, what was said before a pause. `tagged` is the answer
 * where thinking tags are read, if it is another; `total` are the tokens counted; `truncated` is true for an answer that
 * the output limit cut.
 */
export function quirksOf(format) {
  const folder = inside("src/provider", format, "quirks");
  if (!existsSync(folder)) throw new Error(`${format} has no recordings`);
  return JSON.parse(readFileSync(`${folder}/index.json`, "utf8")).map(({ file, ...expected }) => {
    const [name, kind] = file.split(".");
    return { name, bytes: readFileSync(`${folder}/${file}`), type: TYPES[kind], ...expected };
  });
}

/** Those of Chat Completions. */
export const quirks = quirksOf("chat_completions");
