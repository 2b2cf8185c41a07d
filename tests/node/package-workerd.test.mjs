// The packed package in workerd, bundled by wrangler as for a deployment: the module is a static import.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { output, project, whole } from "./lib/package.mjs";

const cwd = await project("workerd");

/** What a Worker of the project answers, in workerd at a compatibility date. */
async function answer(t, entry, compatibilityDate) {
  const out = join(cwd, `dist-${entry}`);
  const args = ["deploy", `${entry}.mjs`, "--dry-run", "--outdir", out];
  await output(inside("node_modules/.bin/wrangler"), args, { cwd, env: { WRANGLER_SEND_METRICS: "false" } });
  const read = (path) => readFileSync(join(out, path));
  const wasm = readdirSync(out).filter((name) => name.endsWith(".wasm"));
  assert.equal(wasm.length, 1, "the module is uploaded once");
  const modules = [
    { type: "ESModule", path: `${entry}.js`, contents: read(`${entry}.js`).toString() },
    { type: "CompiledWasm", path: wasm[0], contents: read(wasm[0]) },
  ];
  const server = new Miniflare(convertV4MiniflareOptions({ workers: [{ name: "project", compatibilityDate, modules }], cf: false }));
  t.after(() => server.dispose());
  const response = await fetch(await server.ready);
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

test("works in workerd once it is imported", async (t) => {
  assert.deepEqual(await answer(t, "worker", "2026-11-17"), whole);
});

test("works in workerd at an old compatibility date", async (t) => {
  const { filter, ...rest } = await answer(t, "worker", "2023-01-01");
  assert.deepEqual({ filter, ...rest }, whole);
});

test("says in workerd that it is not initialized if it is slim, and works with the module", async (t) => {
  assert.deepEqual(await answer(t, "slim", "2026-11-17"), { early: "not_initialized", ...whole });
});
