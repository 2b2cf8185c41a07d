import module from "lastword/lastword.wasm";
import * as lastword from "lastword/slim";
import { before, scenario } from "./scenario.mjs";

export default {
  async fetch() {
    const early = before(lastword);
    lastword.initSync(module);
    return Response.json({ early, ...(await scenario(lastword)) });
  },
};
