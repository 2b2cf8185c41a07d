// `respond` in a Durable Object of workerd, over the store that the object has: the answer and nothing else, again once the
// object was made anew, and executed once however many ask at once.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { readByClient } from "./lib/responded.mjs";
import { startStoreWorker } from "./lib/store-worker.mjs";
import { fresh } from "./lib/worker.mjs";

const module = { type: "CompiledWasm", path: "lastword.wasm", contents: readFileSync(inside("build/js/lastword.wasm")) };
const worker = await startStoreWorker({ worker: "respond-worker", modules: [module] });
after(() => worker.stop());

const ANSWER = "It was sent to [REDACTED:email] today.";
const WITHHELD = /look|souza/;

for (const kind of ["table", "keys"]) {
  describe(`an object of the class ${kind}`, () => {
    /** An object of its own, and a run of it. */
    function place({ object = fresh("object"), ...more } = {}) {
      const query = new URLSearchParams({ thread: "thread", run: fresh("run"), ...more });
      const path = (what, rest = {}) => `${kind}/${object}/${what}?${new URLSearchParams([...query, ...Object.entries(rest)])}`;
      return {
        ask: (what, rest) => worker.fetch(path(what, rest)),
        json: (what, rest) => worker.ask(path(what, rest)),
        /** Ends the object, whose request then fails. */
        evict: async () => assert.equal((await worker.fetch(path("evict"))).status, 500),
      };
    }

    async function assertAnswered(response) {
      assert.equal(response.status, 200);
      const { said, errors, body } = await readByClient(response);
      assert.deepEqual([said, errors], [[["text", ANSWER]], []]);
      assert.ok(!WITHHELD.test(body));
    }

    test("the answer, and the outcome", async () => {
      const { ask, json } = place();
      await assertAnswered(await ask("respond"));
      const { status, answer, usage } = await json("outcome");
      assert.deepEqual([status, answer, usage[0].total_tokens], ["succeeded", ANSWER, 45]);
    });

    test("an object that was evicted, and a process that was killed: the same bytes again, and no second execution", async () => {
      const run = place({ to: "canonical" });
      const first = await (await run.ask("respond")).text();
      assert.match(first, /REDACTED/);
      assert.equal(await run.json("executions"), 1);
      for (const lose of [run.evict, () => worker.restart()]) {
        await lose();
        assert.equal(await run.json("executions"), 0, "it was made anew");
        assert.equal(await (await run.ask("replay", { after: "0" })).text(), first);
        await assertAnswered(await run.ask("replay", { to: "ui-stream" }));
        await assertAnswered(await run.ask("respond", { to: "ui-stream" }));
        assert.equal((await run.json("outcome")).answer, ANSWER);
        assert.equal(await run.json("executions"), 0);
      }
    });

    test("a run that was under way when its object was lost is sealed", async () => {
      for (const lose of [({ evict }) => evict(), () => worker.restart()]) {
        const run = place();
        const body = (await run.ask("respond", { hangs: "1" })).body.getReader();
        await body.read();
        // What has begun has been saved, and its reader ends with the object.
        await Promise.all([lose(run), assert.rejects(async () => { while (!(await body.read()).done); })]);
        const { said, errors } = await readByClient(await run.ask("replay", { lease: "1000" }));
        assert.deepEqual([said, errors.length], [[], 1]);
        const { status, failure } = await run.json("outcome");
        assert.deepEqual([status, failure.code], ["failed", "worker_lost"]);
        const { errors: again } = await readByClient(await run.ask("respond"));
        assert.deepEqual([again, await run.json("executions")], [errors, 0]);
      }
    });

    test("twenty ask for one run at once, each in its object: all read its answer, and it is executed once", async () => {
      const runs = Array.from({ length: 3 }, () => place());
      const asked = runs.flatMap((run) => Array.from({ length: 20 }, () => run.ask("respond").then(assertAnswered)));
      await Promise.all(asked);
      for (const run of runs) assert.equal(await run.json("executions"), 1);
    });
  });
}
