// Cloudflare Workers: the module is compiled when the Worker is deployed.

import module from "./lastword.wasm";
import { initSync } from "./filter.mjs";

initSync(module);

export * from "./filter.mjs";
