// What the Worker costs: the rows, commits, alarms and object requests that it makes of the platform, and its memory.

import { whole } from "./http.mjs";
import { PATCH } from "./patch.mjs";

/**
 * A `prelude` for `serve`: counts what the module asks of the platform, in all objects together. Rows are those that
 * SQLite says a statement has read or written, as they are billed; an alarm that is set or called off is beside them.
 */
export const METER = `${PATCH}
  const Instance = WebAssembly.Instance;
  const meter = { requests: 0, rowsWritten: 0, rowsRead: 0, syncs: 0, alarms: 0, objects: 0, streams: 0, reads: {} };
  let memory;
  const watch = (state) => {
    patch(state.storage.sql, "exec", (exec, [query, ...bindings]) => {
      const cursor = exec();
      if (!query.startsWith("SELECT")) meter.rowsWritten += cursor.rowsWritten;
      if (!query.startsWith("SELECT") || query.includes("sqlite_master")) return cursor;
      meter.rowsRead += cursor.rowsRead;
      const key = String(bindings[0]);
      if (query.includes("value")) meter.reads[key] = (meter.reads[key] ?? 0) + 1;
      return cursor;
    });
    const counted = (name, as) => patch(state.storage, name, (call) => ((meter[as] += 1), call()));
    counted("sync", "syncs");
    counted("setAlarm", "alarms");
    counted("deleteAlarm", "alarms");
  };
  const timers = new Set();
  const native = { set: globalThis.setTimeout, clear: globalThis.clearTimeout };
  globalThis.setTimeout = (then, ...rest) => {
    const timer = native.set((...args) => (timers.delete(timer), then(...args)), ...rest);
    timers.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => (timers.delete(timer), native.clear(timer));
  const Stream = ReadableStream;
  globalThis.ReadableStream = class extends Stream {
    constructor(source, strategy) {
      if (source?.__wbg_ptr) meter.streams += 1;
      super(source, strategy);
    }
  };
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    memory = exports.memory;
    const fetch = (request, ...rest) => {
      if (!request.headers.has("x-meter")) return exports.fetch(request, ...rest);
      const said = { ...meter, timers: timers.size, memory: memory.buffer.byteLength };
      meter.reads = {};
      return Promise.resolve(Response.json(said));
    };
    const counted = (name) => (...args) => ((meter.requests += 1), exports[name](...args));
    const made = (name) => (state, env) => (watch(state), (meter.objects += 1), exports[name](state, env));
    const freed = (name, what = "objects") => (...args) => ((meter[what] -= 1), exports[name](...args));
    return {
      exports: {
        ...exports,
        fetch,
        threadobject_new: made("threadobject_new"),
        indexobject_new: made("indexobject_new"),
        __wbg_threadobject_free: freed("__wbg_threadobject_free"),
        __wbg_indexobject_free: freed("__wbg_indexobject_free"),
        __wbg_source_free: freed("__wbg_source_free", "streams"),
        source_cancel: freed("source_cancel", "streams"),
        threadobject_fetch: counted("threadobject_fetch"),
        indexobject_fetch: counted("indexobject_fetch"),
      },
    };
  };
`;

/**
 * What was counted so far: `requests` to objects, `rowsWritten`, `rowsRead`, `syncs`, `alarms`; `objects` and `streams` that the module holds, `timers` that
 * wait now, and `memory`, the bytes of the module's. `reads` says how often each key was read since it was asked last.
 */
export async function metered(worker) {
  return JSON.parse((await whole(`${worker.url}/health`, { headers: { "x-meter": "1" } })).text);
}

/** What `act` costs. The Worker does nothing else meanwhile. */
export async function costOf(worker, act) {
  const before = await metered(worker);
  await act();
  const after = await metered(worker);
  const keys = ["requests", "rowsWritten", "rowsRead", "syncs", "alarms"];
  return { ...Object.fromEntries(keys.map((key) => [key, after[key] - before[key]])), reads: after.reads };
}
