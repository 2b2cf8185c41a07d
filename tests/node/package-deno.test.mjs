// The packed package in Deno: without a permission, and slim.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { json, project, tool, whole } from "./lib/package.mjs";

const cwd = await project("deno");
const run = (file) => json(tool("deno"), ["run", "--no-prompt", "--no-remote", file], { cwd, env: { DENO_DIR: inside("target/deno"), DENO_NO_UPDATE_CHECK: "1" } });

test("works in Deno once it is imported, and asks for no permission", async () => {
  assert.deepEqual(await run("main.mjs"), whole);
});

test("says in Deno that it is not initialized if it is slim, and works with the module", async () => {
  assert.deepEqual(await run("slim.mjs"), { early: "not_initialized", ...whole });
});
