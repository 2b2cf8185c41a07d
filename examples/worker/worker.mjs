// A Durable Object keeps the runs and answers all routes; its storage is the store.

import { DurableObject } from "cloudflare:workers";
import { createHandler, durableObject } from "lastword";

export class Runs extends DurableObject {
  handle = createHandler({
    store: durableObject(this.ctx.storage),
    upstream: this.env.UPSTREAM_URL,
    model: this.env.UPSTREAM_MODEL,
    apiKey: this.env.UPSTREAM_KEY,
    dev: true, // Everybody may call: for deployment take `tokens`.
  });

  fetch(request) {
    return this.handle(request, this.env, this.ctx);
  }
}

export default { fetch: (request, env) => env.RUNS.getByName("everybody").fetch(request) };
