// A run happens once: fifty callers at once, answers of the store that are lost, processes that are killed; on stores
// that many share.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import * as lastword from "../../build/js/node.mjs";
import { faulty } from "../../build/js/testing.mjs";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { certain, race, raced, recover, recovered, uncertain } from "../package/scenario/once.mjs";
import { startRedis } from "./lib/redis.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";
import { close, open } from "./once/open.mjs";

const MODULE = inside("build/js/node.mjs");
const server = await startRedis();
const folder = await stateFolder();
after(async () => {
  await close();
  await server.stop();
  await removeFolder(folder);
});

const places = { redis: server.url, sqlite: join(folder, "runs.db"), files: join(folder, "runs") };

for (const [kind, place] of Object.entries(places)) {
  describe(`${kind}, as many have it open`, () => {
    test("fifty callers at once are one execution, and all read its answer", async () => {
      const stores = await Promise.all(Array.from({ length: 10 }, () => open(kind, place)));
      assert.deepEqual(await race(lastword, stores), raced);
    });

    test("an answer that is lost changes nothing of what comes out", async () => {
      assert.deepEqual(await uncertain(lastword, () => open(kind, place), faulty), certain);
    });

    test("a run whose process was killed is sealed, and never executed again", async () => {
      const name = { thread: `thread-${kind}`, run: `run-${kind}` };
      await killed(kind, place, name);
      assert.deepEqual(await recover(lastword, await open(kind, place), name), recovered);
    });
  });
}

/** Begins a run in a process of its own, and kills it once it has begun. */
async function killed(kind, place, { thread, run }) {
  const child = spawn(process.execPath, [inside("tests/node/once/child.mjs"), MODULE, kind, place, thread, run], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((done) => child.once("exit", done));
  await new Promise((done, fail) => {
    child.stdout.once("data", done);
    child.once("exit", () => fail(new Error("the process has ended by itself")));
  });
  child.kill("SIGKILL");
  await gone;
}
