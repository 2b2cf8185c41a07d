// The packed package in Bun: as it is, bundled, compiled into a program, and slim.

import assert from "node:assert/strict";
import { test } from "node:test";
import { json, output, project, tool, whole } from "./lib/package.mjs";

const bun = tool("bun");
const cwd = await project("bun");
const early = "not_initialized";

test("works in Bun once it is imported", async () => {
  assert.deepEqual(await json(bun, ["main.mjs"], { cwd }), whole);
});

test("works in Bun by `require`", async () => {
  const script = `const lastword = require("lastword"); console.log(new lastword.OutputFilter().push("fine "));`;
  assert.equal(await output(bun, ["-e", script], { cwd }), "fine \n");
});

test("says in Bun that it is not initialized if it is slim, and works with its bytes", async () => {
  assert.deepEqual(await json(bun, ["slim.mjs"], { cwd }), { early, ...whole });
});

test("works bundled for Bun, wherever the bundle is started", async () => {
  await output(bun, ["build", "main.mjs", "--target=bun", "--minify", "--outdir=dist"], { cwd });
  assert.deepEqual(await json(bun, ["dist/main.js"], { cwd }), whole);
  assert.deepEqual(await json(bun, [`${cwd}/dist/main.js`], { cwd: "/" }), whole);
});

test("works compiled into a program", async () => {
  await output(bun, ["build", "main.mjs", "--compile", "--outfile=program"], { cwd });
  await output("rm", ["-r", "node_modules/lastword/lastword.wasm"], { cwd });
  assert.deepEqual(await json(`${cwd}/program`, [], { cwd: "/" }), whole);
});
