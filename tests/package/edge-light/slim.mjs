import module from "lastword/lastword.wasm?module";
import * as lastword from "lastword/slim";
import { before, scenario } from "./scenario.mjs";

async function answer() {
  const early = before(lastword);
  lastword.initSync(module);
  return Response.json({ early, ...(await scenario(lastword)) });
}

addEventListener("fetch", (event) => event.respondWith(answer()));
