// The Worker's entry: starts the WebAssembly module and hands it requests, Durable Objects and alarms.
//
// One instance of the module serves every request and object of an isolate. A trap ends it and with it
// all that was in flight; the glue puts a new instance in its place at once and refuses what belonged to
// the old one. Here the callers are told: without that they would wait for ever.

import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import module from "./lastword.wasm";
import * as core from "../../build/glue/lastword.js";
import { unlessBroken } from "../lastword/broken.mjs";

const LOST = "the WebAssembly instance was lost";

/** What to call when the instance is lost, each once. */
const listeners = new Set();

/** How many instances were lost. */
let losses = 0;

core.onTrap(() => {
  console.error(LOST);
  losses += 1;
  const told = [...listeners];
  listeners.clear();
  for (const tell of told) tell();
});
core.initSync({ module });

/** Settles as `promise` does, or rejects once the instance is lost. */
function unlessLost(promise) {
  return new Promise((resolve, reject) => {
    const tell = () => reject(new Error(LOST));
    listeners.add(tell);
    promise.then(resolve, reject).finally(() => listeners.delete(tell));
  });
}

export default class extends WorkerEntrypoint {
  async fetch(request) {
    try {
      const response = await unlessLost(core.fetch(request, this.env, this.ctx));
      return response.lastFrame === undefined ? response : unlessBroken(response);
    } catch {
      return lost(request.headers.get("origin"), this.env.LASTWORD_ORIGINS);
    }
  }
}

/** What a client is told where the module can't say it: as by the module, with a reference that the log has too. */
function lost(origin, list = "") {
  const [code, reference] = ["internal", crypto.randomUUID().replaceAll("-", "").slice(0, 12)];
  console.error(JSON.stringify({ code, reference }));
  const error = { code, message: "Something failed on our side.", reference };
  const origins = list.split(",").map((entry) => entry.trim());
  const allowed = origins.includes("*") ? "*" : origins.find((entry) => entry && entry === origin);
  const headers = allowed ? { "access-control-allow-origin": allowed, vary: "Origin" } : {};
  return Response.json({ error }, { status: 500, headers });
}

/** Objects that have been collected need not be told. */
const collected = new FinalizationRegistry((tell) => listeners.delete(tell));

/** A Durable Object class whose inner half is the Rust class `Inner`. */
function durable(Inner) {
  return class extends DurableObject {
    #inner;
    #losses = losses;

    constructor(ctx, env) {
      super(ctx, env);
      this.#inner = new Inner(ctx, env);
      this.#abortWhenLost();
    }

    /** The inner half. Should nobody have told that its instance is lost, the object ends here. */
    #alive() {
      if (this.#losses !== losses) this.ctx.abort(LOST);
      return this.#inner;
    }

    /**
     * Ends the object with its instance: its streams break, its callers get an error, and the next
     * call makes it anew. A trap may happen in another object's time, and an object can be aborted in
     * its own only; what follows a promise made here runs there.
     */
    #abortWhenLost() {
      const self = new WeakRef(this);
      const { promise, resolve } = Promise.withResolvers();
      promise.then(() => self.deref()?.ctx.abort(LOST));
      listeners.add(resolve);
      collected.register(this, resolve);
    }

    fetch(request) {
      return this.#alive().fetch(request);
    }

    alarm() {
      return this.#alive().alarm();
    }
  };
}

export const ThreadObject = durable(core.ThreadObject);
export const IndexObject = durable(core.IndexObject);
