import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as lastword from "lastword/slim";
import { before, scenario } from "./scenario.mjs";

const early = before(lastword);
lastword.initSync(readFileSync(createRequire(import.meta.url).resolve("lastword/lastword.wasm")));
console.log(JSON.stringify({ early, ...(await scenario(lastword)) }));
