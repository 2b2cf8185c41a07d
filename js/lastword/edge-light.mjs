// Edge functions of Vercel and Next.js: the module is compiled when the function is deployed.

import module from "./lastword.wasm?module";
import { initSync } from "./index.mjs";

initSync(module);

export * from "./index.mjs";
