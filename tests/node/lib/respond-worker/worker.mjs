// A Worker whose Durable Objects run turns with `respond`, over the store that they have: `/<class>/<object>/<what>`, where
// the query names thread, run and wire.

import { DurableObject } from "cloudflare:workers";
import { durableObject, replay, respond, setLog } from "../../../../build/js/workerd.mjs";

setLog(false);

const ADDRESS = ["ana.souza", "firma.com.br"].join("@");
const ANSWER = `It was sent to ${ADDRESS} today.`;
const SIGNALS = [
  ...[{ type: "item_start" }, { type: "text", delta: "Let me look that up." }, { type: "item_end" }, { type: "provider_tool", name: "lookup" }],
  ...[{ type: "item_start" }, ...ANSWER.match(/.{1,4}/gs).map((delta) => ({ type: "text", delta })), { type: "item_end" }],
  { type: "usage", input: 30, output: 15, total: 45 },
  { type: "response_end" },
];

class Turns extends DurableObject {
  store = durableObject(this.ctx.storage);
  /** How many turns this object has read since it was made. */
  executions = 0;
  outcomes = {};

  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const { hangs, ...name } = Object.fromEntries(searchParams);
    const options = { store: this.store, request, ...name };
    switch (pathname.split("/").at(-1)) {
      case "respond": {
        const { response, done } = respond(this.turn(hangs), { from: "signals", context: this.ctx, ...options });
        this.outcomes[name.run] = done;
        return response;
      }
      case "replay":
        return replay(options).response;
      case "outcome":
        return Response.json((await this.outcomes[name.run]) ?? (await replay(options).done));
      case "executions":
        return Response.json(this.executions);
      case "evict":
        this.ctx.abort("evicted");
    }
    return new Response(null, { status: 404 });
  }

  /** A turn that is executed once it is read. */
  async *turn(hangs) {
    this.executions += 1;
    for (const signal of SIGNALS) {
      if (hangs && signal.type === "usage") await new Promise(() => {});
      await scheduler.wait(1);
      yield signal;
    }
  }
}

export class Table extends Turns {}
export class Keys extends Turns {}

export default {
  fetch(request, env) {
    const [, kind, object] = new URL(request.url).pathname.split("/");
    const namespace = { table: env.TABLE, keys: env.KEYS }[kind];
    return namespace.get(namespace.idFromName(object)).fetch(request);
  },
};
