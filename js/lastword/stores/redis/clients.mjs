// How each client runs a script.

import { invalid } from "../traits.mjs";

/** `(script, keys, arguments) → Promise` for a client, told by what only it can do. */
export function running(client) {
  if (typeof client?.get !== "function" || typeof client.eval !== "function") throw invalid("This is no client of Redis.");
  // node-redis
  if (typeof client.EVAL === "function") return async (script, keys, args) => client.eval(script, { keys, arguments: args });
  // ioredis
  if (typeof client.defineCommand === "function") return async (script, keys, args) => client.eval(script, keys.length, ...keys, ...args);
  // Upstash
  return async (script, keys, args) => client.eval(script, keys, args);
}
