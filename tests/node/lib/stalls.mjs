// A store that stalls, and one that is behind itself, while the Worker runs.

import { whole } from "./http.mjs";
import { PATCH } from "./patch.mjs";

/**
 * A `prelude` for `serve`, with ways to hinder every object.
 *
 * Gates: while the last request's header `x-gate` is `shut`, each sync waits; `step` lets the oldest through, `open` all.
 *
 * Old heads: a run's head is read as it was at the revision that the header `x-old` names, but for the read of a number
 * (`{revision}-{read}`, from 1), until `x-old: no`. So a reader has seen a run at work that ended long ago, and no wake
 * will ever come.
 *
 * Crashes: whoever has read or written a run's head runs into an `unreachable` behind it, so often as `x-crash` says.
 */
export const STALLS = `${PATCH}
  const Instance = WebAssembly.Instance;
  let [shut, waiting] = [false, []];
  let old;
  let [crashes, armed] = [0, false];
  const now = Date.now;
  Date.now = () => {
    if (!armed) return now();
    armed = false;
    crashes -= 1;
    throw new WebAssembly.RuntimeError("unreachable");
  };
  const heads = new Map();
  const decoder = new TextDecoder();
  const step = () => waiting.shift()?.();
  const isHead = (key) => typeof key === "string" && key.endsWith("/head");
  const watch = (state) => {
    patch(state.storage, "sync", (sync) => (shut ? new Promise((done) => waiting.push(done)).then(sync) : sync()));
    patch(state.storage.sql, "exec", (exec, [query, key, value]) => {
      if (query.startsWith("INSERT") && isHead(key)) {
        const { revision } = JSON.parse(decoder.decode(value));
        heads.set(key + revision, value.slice().buffer);
      }
      armed ||= crashes > 0 && isHead(key);
      const cursor = exec();
      if (!query.startsWith("SELECT value") || !isHead(key) || old === undefined) return cursor;
      old.reads += 1;
      if (old.reads === old.real) return cursor;
      const row = [heads.get(key + old.revision), 1];
      return { raw: () => [row].values() };
    });
  };
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const fetch = (request, ...rest) => {
      const gate = request.headers.get("x-gate");
      if (gate !== null) shut = gate !== "open";
      if (gate === "step") step();
      if (gate === "open") while (waiting.length > 0) step();
      const named = request.headers.get("x-old");
      const [revision, real] = (named ?? "").split("-").map(Number);
      if (named !== null) old = named === "no" ? undefined : { revision, real, reads: 0 };
      const crash = request.headers.get("x-crash");
      if (crash !== null) crashes = Number(crash);
      if (gate ?? named ?? crash) return Promise.resolve(Response.json({ waiting: waiting.length, crashes }));
      return exports.fetch(request, ...rest);
    };
    const made = (name) => (state, env) => (watch(state), exports[name](state, env));
    return { exports: { ...exports, fetch, threadobject_new: made("threadobject_new"), indexobject_new: made("indexobject_new") } };
  };
`;

/** Hinders, by the headers of `STALLS`; gives how many syncs wait, or how many `crashes` are to come. */
export async function stall(worker, headers, what = "waiting") {
  return JSON.parse((await whole(`${worker.url}/health`, { headers })).text)[what];
}
