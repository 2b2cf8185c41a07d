// A process that holds a store and makes the calls that come in, a line each. For Node and for Deno: the arguments are
// the kind of store and where it is.

import { createInterface } from "node:readline";
import process from "node:process";
import { perform } from "./store-calls.mjs";

const [kind, place] = process.argv.slice(2);

const OPEN = {
  "file-system": async () => (await import("../../../js/lastword/stores/node.mjs")).fileSystem(place),
  sqlite: async () => (await import("../../../js/lastword/stores/node.mjs")).sqlite(place),
  "deno-kv": async () => (await import("../../../js/lastword/stores/index.mjs")).denoKv(await Deno.openKv(place)),
};

const store = await OPEN[kind]();
process.stdout.write(`${JSON.stringify(store.traits)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const end = line.indexOf(" ");
  perform(store, line.slice(end + 1)).then((answer) => process.stdout.write(`${line.slice(0, end)} ${answer}\n`));
}
