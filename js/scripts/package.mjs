// Builds what the npm package holds, into build/js: Rust → WebAssembly → glue → optimiser, and the JavaScript of
// js/lastword beside it. Says the size and fails if it passes the limit. Runs on Node 20 and uses no package itself.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { cargoModule, compile, FEATURES, kb, tool, XTASK } from "./lib/module.mjs";
import { inside } from "./lib/paths.mjs";
import { Failure, main, run, say, step } from "./lib/run.mjs";
import { fingerprint, npmPackages, once, rust } from "./lib/setup.mjs";

/** The most bytes of the module, compressed. */
const LIMIT = 400_000;

const MODULE = cargoModule("npm");
const GLUE = inside("build/glue-npm");
const PACKAGE = inside("build/js");
const STAMP = inside("build/js.stamp");

/** Sets up what is missing and builds what has changed. */
export async function buildPackage() {
  await rust();
  await Promise.all([npmPackages(), compile("the npm package's Rust code", "npm", "js"), tool()]);
  await once(STAMP, inputs(), assemble);
  report();
}

const sources = () => readdirSync(inside("js/lastword")).sort();

/** What the assembled files depend on. */
const inputs = () =>
  fingerprint([
    MODULE,
    inside("Cargo.lock"),
    inside("package-lock.json"),
    inside("xtask/src/main.rs"),
    ...sources().map((name) => inside("js/lastword", name)),
    inside("js/scripts/package.mjs"),
    inside("js/scripts/lib/module.mjs"),
  ]);

async function assemble() {
  for (const old of [GLUE, PACKAGE, STAMP]) rmSync(old, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  await step("the npm package", async () => {
    await run(XTASK, ["npm", MODULE, GLUE]);
    await run("wasm-opt", ["-O3", "--low-memory-unused", ...FEATURES, `${GLUE}/lastword_bg.wasm`, "-o", `${PACKAGE}/lastword.wasm`]);
    copyFileSync(`${GLUE}/lastword.js`, `${PACKAGE}/lastword.js`);
    for (const name of sources()) copyFileSync(inside("js/lastword", name), `${PACKAGE}/${name}`);
  });
}

function report() {
  const module = readFileSync(`${PACKAGE}/lastword.wasm`);
  const gzip = gzipSync(module, { level: 9 }).length;
  say(`the npm package's module: ${kb(module.length)}, ${kb(gzip)} gzip`);
  if (gzip > LIMIT) throw new Failure(`The npm package's module is larger than its limit of ${kb(LIMIT)} gzip.`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(buildPackage);
