// Bun: an import of a file gives its path, also where it was bundled.

import { readFileSync } from "node:fs";
import path from "./lastword.wasm" with { type: "file" };
import { initSync } from "./index.mjs";

initSync(readFileSync(new URL(path, import.meta.url)));

export * from "./index.mjs";
