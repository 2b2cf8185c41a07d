import { before, scenario } from "./scenario.mjs";
import * as lastword from "lastword/slim";
import path from "lastword/lastword.wasm";

const early = before(lastword);
await lastword.init(await Bun.file(path).arrayBuffer());
console.log(JSON.stringify({ early, ...(await scenario(lastword)) }));
