// Deno: the module is part of the program, so that reading it takes no permission.

import source module from "./lastword.wasm";
import { initSync } from "./index.mjs";

initSync(module);

export * from "./index.mjs";
