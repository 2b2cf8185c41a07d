// The packed package in Node 20, 22 and 24: as a module, by `require`, and slim with its bytes.

import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import esbuild from "esbuild";
import { json, output, project, TOOLS, whole } from "./lib/package.mjs";

const VERSIONS = { 20: `${TOOLS}/node-20/bin/node`, 22: `${TOOLS}/node-22/bin/node`, 24: process.execPath };
const cwd = await project("node");

for (const [version, node] of Object.entries(VERSIONS)) {
  describe(`the package in Node ${version}`, () => {
    test("is that version", async () => assert.match(await output(node, ["--version"]), new RegExp(`^v${version}\\.`)));

    test("works once it is imported", async () => assert.deepEqual(await json(node, ["main.mjs"], { cwd }), whole));

    test("says that it is not initialized if it is slim, and works with its bytes", async () => {
      assert.deepEqual(await json(node, ["slim.mjs"], { cwd }), { early: "not_initialized", ...whole });
    });

    test("works by `require`", async () => assert.deepEqual(await json(node, ["require.cjs"], { cwd }), whole));
  });
}

test("works bundled for Node by esbuild, with the module beside the bundle", async () => {
  await esbuild.build({ absWorkingDir: cwd, entryPoints: ["main.mjs"], bundle: true, minify: true, platform: "node", format: "esm", outfile: "dist/main.mjs" });
  copyFileSync(join(cwd, "node_modules/lastword/lastword.wasm"), join(cwd, "dist/lastword.wasm"));
  assert.deepEqual(await json(process.execPath, [join(cwd, "dist/main.mjs")], { cwd: "/" }), whole);
});

test("where Node has no `require` of modules it says so", async () => {
  const refused = output(VERSIONS[20], ["--no-experimental-require-module", "require.cjs"], { cwd });
  await assert.rejects(refused, /ERR_REQUIRE_ESM/);
});
