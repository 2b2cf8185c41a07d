// The stores of Cloudflare, from what a Worker is given.

import { durableObject, workersKv, type Store } from "lastword/stores/node";

export class Thread implements DurableObject {
  readonly store: Store;
  constructor(ctx: DurableObjectState) {
    this.store = durableObject(ctx.storage);
  }
  async fetch() {
    return Response.json(await this.store.list("1/", undefined, 10));
  }
}

export default {
  async fetch(_, env) {
    return Response.json(await workersKv(env.KV, { ttl: 86_400 }).list("1/", undefined, 10));
  },
} satisfies ExportedHandler<{ KV: KVNamespace }>;
