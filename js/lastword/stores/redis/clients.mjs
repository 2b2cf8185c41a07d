// How each client runs a script.

import { invalid } from "../traits.mjs";

/**
 * `{ run, isSure }` for a client, told by what only it can do: `run(script, keys, arguments)` gives a promise, and
 * `isSure(error)` is true if surely nothing was written.
 */
export function running(client) {
  if (typeof client?.eval !== "function") throw invalid("This is no client of Redis.");
  // node-redis
  if (typeof client.EVAL === "function") {
    return { run: async (script, keys, args = []) => client.eval(script, { keys, arguments: args }), isSure: isRefused };
  }
  // ioredis
  if (typeof client.defineCommand === "function") {
    return { run: async (script, keys, args = []) => client.eval(script, keys.length, ...keys, ...args), isSure: isNever };
  }
  // Upstash
  return { run: async (script, keys, args = []) => client.eval(script, keys, args), isSure: isNever };
}

/** Refusals of a server that come before a script has written anything, and of a client before it has sent it. */
const isRefused = ({ message }) =>
  /^(OOM|READONLY|MISCONF|LOADING|BUSY|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MOVED|ASK|CROSSSLOT|NOAUTH) /.test(message) ||
  /^The client is (closed|offline)/.test(message);

/** These send a script again that got no answer: what is refused then may have been done before. */
const isNever = () => false;
