// A store that fails while the Worker runs.

import assert from "node:assert/strict";
import { whole } from "./http.mjs";
import { PATCH } from "./patch.mjs";

/**
 * A `prelude` for `serve`: makes what is named by the last request's header `x-faults` fail in every thread's object,
 * as the platform would let it fail. `reads` and `writes` of the database, `sync`s, and setting `alarms`; `slow` lets
 * syncs wait until it is named no longer; `lag` makes each take longer than a heartbeat of one second.
 */
export const FAULTS = `${PATCH}
  const Instance = WebAssembly.Instance;
  let faults = [];
  const broken = (name) => { if (faults.includes(name)) throw new Error("disk of example.invalid is gone"); };
  const slow = async () => { while (faults.includes("slow")) await new Promise((done) => setTimeout(done, 20)); };
  const lag = () => new Promise((done) => setTimeout(done, 1600));
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const fetch = (request, ...rest) => {
      const named = request.headers.get("x-faults");
      if (named !== null) faults = named.split(",");
      return exports.fetch(request, ...rest);
    };
    const threadobject_new = (state, env) => {
      patch(state.storage.sql, "exec", (exec, [query]) => (broken(query.startsWith("SELECT") ? "reads" : "writes"), exec()));
      patch(state.storage, "sync", (sync) => {
        if (faults.includes("lag")) return lag().then(sync);
        if (faults.includes("slow")) return slow().then(sync);
        broken("sync");
        return sync();
      });
      patch(state.storage, "setAlarm", (set) => (broken("alarms"), set()));
      return exports.threadobject_new(state, env);
    };
    return { exports: { ...exports, fetch, threadobject_new } };
  };
`;

/** Lets these fail from now on, and nothing else. */
export async function setFaults(worker, ...names) {
  const { status } = await whole(`${worker.url}/health`, { headers: { "x-faults": names.join() } });
  assert.equal(status, 200);
}
