// The recordings of provider quirks, and what is expected of each, read from their own index.

import { readFileSync } from "node:fs";
import { inside } from "../../../js/scripts/lib/paths.mjs";

const FOLDER = inside("src/provider/chat_completions/quirks");

const TYPES = { sse: "text/event-stream", json: "application/json", html: "text/html" };

/**
 * Every quirk: `{name, about, bytes, type}` and what becomes of it: `answer`, or `code` of the failure, or `calls` as
 * pairs of a name and arguments. `tagged` is the answer where thinking tags are read, if it is another; `total` are the
 * tokens counted; `truncated` is true for an answer that the output limit cut.
 */
export const quirks = JSON.parse(readFileSync(`${FOLDER}/index.json`, "utf8")).map(({ file, ...expected }) => {
  const [name, kind] = file.split(".");
  return { name, bytes: readFileSync(`${FOLDER}/${file}`), type: TYPES[kind], ...expected };
});
