// The same in Deno, on its KV: `deno run deno.mjs race|uncertain|begin|recover <file> [<thread> <run>]`.

import * as lastword from "../../../build/js/deno.mjs";
import { faulty } from "../../../build/js/testing.mjs";
import * as once from "../../package/scenario/once.mjs";

const [what, file, thread, run] = Deno.args;
const open = async () => lastword.denoKv(await Deno.openKv(file));
const acts = {
  race: async () => once.race(lastword, await Promise.all(Array.from({ length: 10 }, open))),
  uncertain: () => once.uncertain(lastword, open, faulty),
  recover: async () => once.recover(lastword, await open(), { thread, run }),
  async begin() {
    await once.begin(lastword, await open(), { thread, run });
    return "begun";
  },
};
console.log(JSON.stringify(await acts[what]()));
if (what === "begin") setInterval(() => {}, 1000);
else Deno.exit();
