// Node.js: the module is read from beside this file.

import { readFileSync } from "node:fs";
import { initSync } from "./index.mjs";

initSync(readFileSync(new URL("./lastword.wasm", import.meta.url)));

export * from "./index.mjs";
