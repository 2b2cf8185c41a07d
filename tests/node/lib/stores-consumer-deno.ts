// The store in Deno KV, from what Deno gives.

import { denoKv, type Store } from "lastword/stores/node";
import { testStore } from "lastword/testing";

const kv = await Deno.openKv(":memory:");
const store: Store = denoKv(kv, { prefix: "mine" });
await testStore(Deno.test, () => store);
