// Node.js: the module is read from beside this file.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { initSync } from "./index.mjs";

/** Bundlers know this form of URL and keep the file beside what they build. On its servers Next.js makes a path on the web of it. */
const beside = new URL("./lastword.wasm", import.meta.url);

initSync(readFileSync(beside.protocol === "file:" ? beside : join(dirname(fileURLToPath(import.meta.url)), "lastword.wasm")));

export * from "./index.mjs";
