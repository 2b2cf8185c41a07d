// The packed package in edge functions: built by webpack as Next.js does, or by esbuild, and run in edge-runtime.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import esbuild from "esbuild";
import { project, required, webpack, whole } from "./lib/package.mjs";

const { EdgeRuntime } = required("edge-runtime");
const cwd = await project("edge-light");

const builds = {
  webpack: () => webpack(cwd),
  esbuild: () =>
    esbuild.build({
      absWorkingDir: cwd,
      entryPoints: ["function.mjs", "slim.mjs"],
      bundle: true,
      minify: true,
      target: "es2022",
      conditions: ["edge-light"],
      plugins: [modules],
      outdir: "dist-esbuild",
      logLevel: "silent",
    }),
};

/** An import with `?module` becomes a global that the host puts the compiled module into. */
const modules = {
  name: "modules",
  setup(build) {
    build.onResolve({ filter: /\.wasm\?module$/ }, async ({ path, ...how }) => {
      const { path: found, errors } = await build.resolve(path.slice(0, -"?module".length), { ...how, kind: "import-statement" });
      return { path: found, errors, namespace: "module" };
    });
    build.onLoad({ filter: /.*/, namespace: "module" }, async ({ path }) => {
      const bytes = await readFile(path);
      const name = `wasm_${createHash("sha1").update(bytes).digest("hex")}`;
      mkdirSync(join(cwd, "dist-esbuild"), { recursive: true });
      writeFileSync(join(cwd, "dist-esbuild", `${name}.wasm`), bytes);
      return { contents: `export default ${name};` };
    });
  },
};

/** What a built function answers. The host compiles its module: the function itself may compile none. */
async function answer(out, name) {
  const files = readdirSync(join(cwd, out)).filter((file) => file.endsWith(".wasm"));
  const globals = Object.fromEntries(files.map((file) => [file.slice(0, -5), new WebAssembly.Module(readFileSync(join(cwd, out, file)))]));
  const runtime = new EdgeRuntime({ initialCode: readFileSync(join(cwd, out, `${name}.js`), "utf8"), extend: (context) => Object.assign(context, globals) });
  const response = await runtime.dispatchFetch("http://edge.test/");
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
