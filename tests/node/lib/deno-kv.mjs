// The store in Deno KV, by `deno test`: on a file, and in memory.

import { denoKv } from "../../../js/lastword/stores/index.mjs";
import { conformance, testStore } from "../../../js/lastword/testing.mjs";
import { storeProcess, storeProcesses } from "./remote-store.mjs";

const folder = Deno.env.get("STORE_FOLDER");
const file = `${folder}/kv.sqlite`;

const DENO = [Deno.execPath(), "run", "--quiet", "--unstable-kv", "-A"];

/** Handles, each with a connection of its own. */
const opened = new Map();
async function open(path) {
  const kv = await Deno.openKv(path);
  const store = denoKv(kv);
  opened.set(store, kv);
  return store;
}
function close(store) {
  opened.get(store)?.close();
  opened.delete(store);
}

const named = (kind) => (name, run) => Deno.test(`${kind}: ${name}`, run);

await testStore(named("file"), () => open(file), {
  close,
  clients: 50,
  reopen: () => open(file),
  async fragile() {
    const { store, kill } = await storeProcess("deno-kv", file, DENO);
    return { store, lose: kill };
  },
});

Deno.test("file: two processes race", async () => {
  const { open, stop } = await storeProcesses(2, "deno-kv", file, DENO);
  const { cases } = await conformance({ open, clients: 2 });
  for (const { name, run } of cases.filter(({ name }) => name.startsWith("races"))) {
    await run().catch((error) => Promise.reject(new Error(`${name}: ${error.message}`)));
  }
  await stop();
});

const memory = await Deno.openKv(":memory:");
await testStore(named("memory"), () => denoKv(memory, { prefix: "other" }));
