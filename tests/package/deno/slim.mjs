import source module from "lastword/lastword.wasm";
import * as lastword from "lastword/slim";
import { before, scenario } from "./scenario.mjs";

const early = before(lastword);
lastword.initSync(module);
console.log(JSON.stringify({ early, ...(await scenario(lastword)) }));
