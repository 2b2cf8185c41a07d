// Cloudflare Workers: the module is compiled when the Worker is deployed.

import module from "./lastword.wasm";
import { initSync } from "./index.mjs";

initSync(module);

export * from "./index.mjs";
