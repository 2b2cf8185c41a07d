// The packed package as files: what it holds, what linters of packages say, what of it a bundler leaves away.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import esbuild from "esbuild";
import { inside, root } from "../../js/scripts/lib/paths.mjs";
import { filesIn } from "../../js/scripts/package.mjs";
import { output, packed, project, tool } from "./lib/package.mjs";

const cwd = await project("plain");
const installed = join(cwd, "node_modules/lastword");
const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const files = filesIn(installed);

test("publint finds nothing", async () => {
  await output(tool("publint"), [packed, "--strict"]);
});

test("attw finds no wrong types", async () => {
  await output(tool("attw"), [packed, "--profile", "esm-only"]);
});

test("it is of the version of the crate, depends on nothing and runs nothing when it is installed", () => {
  const [, version] = readFileSync(inside("Cargo.toml"), "utf8").match(/^version = "(.+)"$/m);
  assert.equal(manifest.version, version);
  for (const key of ["dependencies", "peerDependencies", "optionalDependencies", "scripts", "devDependencies"]) assert.equal(manifest[key], undefined, key);
});

test("its conditions are in the order in which they must be tried, with the types first", () => {
  assert.deepEqual(Object.keys(manifest.exports["."]), ["types", "workerd", "edge-light", "node", "deno", "bun", "browser", "default"]);
  for (const [path, target] of Object.entries(manifest.exports)) if (typeof target === "object") assert.equal(Object.keys(target)[0], "types", path);
});

test("its files are the sources, the module with its glue, and what goes with a package", () => {
  const beside = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "lastword.js", "lastword.wasm", "package.json"];
  assert.deepEqual(files, [...beside, ...filesIn(inside("js/lastword"))].sort());
});

test("no file names this machine", () => {
  for (const name of files) {
    const text = readFileSync(join(installed, name), "latin1");
    for (const place of [root, homedir()]) assert.ok(!text.includes(`${place}/`), `${name} names ${place}`);
  }
});

test("the entries that start the module on import are those that have side effects", () => {
  const starts = files.filter((name) => name.endsWith(".mjs") && /^initSync\(/m.test(readFileSync(join(installed, name), "utf8")));
  assert.deepEqual(manifest.sideEffects.map((name) => name.slice(2)).sort(), starts.sort());
});

/** What a bundle holds of a program. */
async function bundled(program, conditions) {
  const stdin = { contents: program, resolveDir: cwd };
  const { outputFiles } = await esbuild.build({ stdin, conditions, bundle: true, minify: true, format: "esm", external: ["*.wasm"], write: false });
  return outputFiles[0].text;
}

test("a bundler leaves away what is not used, and never the start of the module", async () => {
  const error = await bundled(`import { LastwordError } from "lastword/slim"; console.log(LastwordError);`);
  assert.ok(error.length < 300, error);
  const worker = await bundled(`import { LastwordError } from "lastword"; console.log(LastwordError);`, ["workerd"]);
  assert.match(worker, /lastword\.wasm/);
});
