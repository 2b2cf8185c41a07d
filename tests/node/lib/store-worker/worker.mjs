// A Worker with the stores of Cloudflare: `/table` and `/keys` are Durable Objects with and without SQLite, `/kv` is
// Workers KV. Each runs the cases of `lastword/testing` where it is, and makes calls for others.

import { DurableObject } from "cloudflare:workers";
import { durableObject, workersKv } from "../../../../js/lastword/stores/index.mjs";
import { conformance } from "../../../../js/lastword/testing.mjs";
import { perform } from "../store-calls.mjs";

class Holder extends DurableObject {
  store = durableObject(this.ctx.storage);

  fetch(request) {
    return answer(request, this.store, { open: () => durableObject(this.ctx.storage), clients: 3 });
  }
}

export class Table extends Holder {}
export class Keys extends Holder {}

export default {
  fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const namespace = { "/table": env.TABLE, "/keys": env.KEYS }[pathname];
    if (namespace) return namespace.get(namespace.idFromName("store")).fetch(request);
    const ttl = searchParams.get("ttl");
    const store = workersKv(env.KV, ttl ? { ttl: Number(ttl) } : {});
    // Here a key may be written as often as one likes, and what is read is new.
    return answer(request, store, { open: () => store, wait: async () => {} });
  },
};

async function answer(request, store, options) {
  if (request.method === "POST") return new Response(await perform(store, await request.text()));
  const { traits, cases, excluded } = await conformance(options);
  const name = new URL(request.url).searchParams.get("run");
  if (name === null) return Response.json({ traits, excluded, names: cases.map(({ name }) => name) });
  const error = await cases.find((one) => one.name === name).run().then(() => undefined, (error) => error);
  return Response.json({ error: error?.message });
}
