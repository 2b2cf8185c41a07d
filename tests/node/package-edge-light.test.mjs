// The packed package in edge functions: built by webpack as Next.js does, or by esbuild, and run in edge-runtime.

import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { buildEdge, edgeFunction } from "./lib/edge.mjs";
import { project, webpack, whole } from "./lib/package.mjs";

const cwd = await project("edge-light");

const builds = {
  webpack: () => webpack(cwd),
  esbuild: () => buildEdge(cwd, "dist-esbuild", { entryPoints: ["function.mjs", "slim.mjs"] }),
};

/** What a built function answers. */
async function answer(out, name) {
  const response = await edgeFunction(join(cwd, out), name).dispatchFetch("http://edge.test/");
  return response.json();
}

for (const [bundler, build] of Object.entries(builds)) {
  describe(`the package in edge functions that ${bundler} built`, () => {
    before(build);

    test("works once it is imported", async () => assert.deepEqual(await answer(`dist-${bundler}`, "function"), whole));

    test("says that it is not initialized if it is slim, and works with the module", async () => {
      assert.deepEqual(await answer(`dist-${bundler}`, "slim"), { early: "not_initialized", ...whole });
    });
  });
}
