// A run happens once on Deno KV too, in the real Deno.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { packageTools } from "../../js/scripts/lib/setup.mjs";
import { certain, raced, recovered } from "../package/scenario/once.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";

await packageTools();
const folder = await stateFolder();
const file = join(folder, "runs.kv");
after(() => removeFolder(folder));

const deno = (what, ...args) =>
  spawn(inside("tests/package/tools/node_modules/.bin/deno"), ["run", "--no-lock", "--unstable-kv", "-A", inside("tests/node/once/deno.mjs"), what, file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });

/** What a process says, as JSON. */
async function said(child) {
  let text = "";
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text);
}

test("fifty callers at once are one execution, and all read its answer", async () => assert.deepEqual(await said(deno("race")), raced));

test("an answer that is lost changes nothing of what comes out", async () => assert.deepEqual(await said(deno("uncertain")), certain));

test("a run whose process was killed is sealed, and never executed again", async () => {
  const child = deno("begin", "thread", "run");
  const gone = new Promise((done) => child.once("exit", done));
  await new Promise((done, fail) => {
    child.stdout.once("data", done);
    child.once("exit", () => fail(new Error("the process has ended by itself")));
  });
  child.kill("SIGKILL");
  await gone;
  assert.deepEqual(await said(deno("recover", "thread", "run")), recovered);
});
