// Builds the npm package's folder, build/js: Rust → WebAssembly → glue → optimiser, the JavaScript of js/lastword beside
// it as it is, and what goes with a package. Says the sizes and fails if they pass the limits. Runs on Node 20 and uses
// no package itself.

import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { cargoModule, compile, FEATURES, kb, tool, XTASK } from "./lib/module.mjs";
import { inside } from "./lib/paths.mjs";
import { Failure, main, run, say, step } from "./lib/run.mjs";
import { fingerprint, npmPackages, once, rust } from "./lib/setup.mjs";

/** The most bytes of the module, compressed. */
const LIMIT = 740_000;
/** The most bytes of the JavaScript that `import { respond }` loads, minified and compressed. */
const GLUE_LIMIT = 12_000;

const MODULE = cargoModule("npm");
const GLUE = inside("build/glue-npm");
const SOURCE = inside("js/lastword");
const PACKAGE = inside("build/js");
const SCRIPTS = ["js/scripts/package.mjs", "js/scripts/lib/module.mjs"];

/** What goes into the package beside its code, and where it is kept. */
const BESIDE = { "README.md": "js/README.md", "CHANGELOG.md": "CHANGELOG.md", "LICENSE-MIT": "LICENSE-MIT", "LICENSE-APACHE": "LICENSE-APACHE" };

/** Sets up what is missing and builds what has changed. */
export async function buildPackage() {
  await rust();
  await Promise.all([npmPackages(), compile("the npm package's Rust code", "npm", "js"), tool()]);
  await once(`${GLUE}.stamp`, made(), glue);
  await once(`${PACKAGE}.stamp`, assembled(), assemble);
  report();
}

/** The files in a folder and those below it, by their paths in it. */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.slice(folder.length + 1))
    .sort();

/** What the module and its glue depend on. */
const made = () => fingerprint([MODULE, ...["package-lock.json", "xtask/src/main.rs", ...SCRIPTS].map((path) => inside(path))]);

/** What the package's folder depends on. */
const assembled = () => {
  const beside = ["Cargo.toml", "js/package.json", ...Object.values(BESIDE)].map((path) => inside(path));
  return made() + fingerprint([...beside, ...filesIn(SOURCE).map((name) => `${SOURCE}/${name}`)]) + filesIn(SOURCE);
};

async function glue() {
  for (const old of [GLUE, `${GLUE}.stamp`]) rmSync(old, { recursive: true, force: true });
  await step("the npm package's module", async () => {
    await run(XTASK, ["npm", MODULE, GLUE]);
    betterGlue();
    await run("wasm-opt", ["-O2", "--low-memory-unused", ...FEATURES, `${GLUE}/lastword_bg.wasm`, "-o", `${GLUE}/lastword.wasm`], { log: "wasm-opt" });
  });
}

/** What the glue as generated says, and what it is to say. */
const BETTER = [
  // An edge function's host gives it a module that was compiled outside of it, by another `WebAssembly` than its own: the
  // glue would take that for bytes.
  ["!(module instanceof WebAssembly.Module)", 'Object.prototype.toString.call(module) !== "[object WebAssembly.Module]"'],
  // What an instance that is lost has waited for comes later, to nobody: what is thrown then would end the process.
  ["throw new Error('Cannot invoke closure from previous WASM instance');", "return;"],
];

function betterGlue() {
  let text = readFileSync(`${GLUE}/lastword.js`, "utf8");
  for (const [said, better] of BETTER) {
    if (text.split(said).length !== 2) throw new Failure(`The glue no longer says \`${said}\` once: look at what it says instead.`);
    text = text.replace(said, better);
  }
  writeFileSync(`${GLUE}/lastword.js`, text);
}

async function assemble() {
  for (const old of [PACKAGE, `${PACKAGE}.stamp`]) rmSync(old, { recursive: true, force: true });
  cpSync(SOURCE, PACKAGE, { recursive: true });
  for (const name of ["lastword.js", "lastword.wasm"]) copyFileSync(`${GLUE}/${name}`, `${PACKAGE}/${name}`);
  for (const [name, path] of Object.entries(BESIDE)) copyFileSync(inside(path), `${PACKAGE}/${name}`);
  writeFileSync(`${PACKAGE}/package.json`, `${JSON.stringify(manifest(), undefined, 2)}\n`);
  await step("the npm package", bundleEntries);
}

/** The package's own package.json. All files that it exports must be there. */
function manifest() {
  const manifest = JSON.parse(readFileSync(inside("js/package.json"), "utf8"));
  const [, version] = readFileSync(inside("Cargo.toml"), "utf8").match(/^version = "(.+)"$/m);
  if (manifest.version !== version) throw new Failure(`js/package.json is of version ${manifest.version}, Cargo.toml of ${version}.`);
  for (const [path, target] of Object.entries(manifest.exports)) {
    const missing = targets(target).find((file) => file !== "./package.json" && !existsSync(`${PACKAGE}/${file.replace("*", "")}`));
    if (missing) throw new Failure(`js/package.json exports ${path}, and ${missing} is not there.`);
  }
  return manifest;
}

/** The files that an export may lead to. */
const targets = (target) => (typeof target === "string" ? [target] : Object.values(target).flatMap(targets));

/** The entries that load code, by the conditions that choose them; with `import source`, Deno's can't be bundled. */
const ENTRIES = ["workerd", "edge-light", "node", "bun", "browser", "slim"];
const LOADS = `${GLUE}/loads`;

/** What `import { respond }` loads by each entry, minified, to be weighed; the adapters of frameworks apart. */
async function bundleEntries() {
  mkdirSync(LOADS, { recursive: true });
  for (const name of ENTRIES) writeFileSync(`${LOADS}/${name}.mjs`, `export { respond } from ${JSON.stringify(`${PACKAGE}/${name}.mjs`)};\n`);
  const how = ["--bundle", "--splitting", "--minify", "--format=esm", "--target=es2022", "--external:node:*", "--external:*.wasm", "--external:*.wasm?module", "--external:*/adapters/index.mjs"];
  await run("esbuild", [...ENTRIES.map((name) => `${LOADS}/${name}.mjs`), ...how, `--outdir=${GLUE}/entries`]);
}

function report() {
  const gzip = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
  const module = `${PACKAGE}/lastword.wasm`;
  const size = gzip(module);
  const glue = Math.max(...ENTRIES.map(loaded));
  say(`the npm package's module: ${kb(readFileSync(module).length)}, ${kb(size)} gzip; its JavaScript: ${kb(glue)} gzip`);
  if (size > LIMIT) throw new Failure(`The npm package's module is larger than its limit of ${kb(LIMIT)} gzip.`);
  if (glue > GLUE_LIMIT) throw new Failure(`The npm package's JavaScript is larger than its limit of ${kb(GLUE_LIMIT)} gzip.`);
}

/** The bytes that an entry loads, compressed: it and what it imports at once, which it shares with others. */
function loaded(name) {
  const files = new Set([`${name}.js`]);
  for (const file of files) {
    for (const [, shared] of readFileSync(`${GLUE}/entries/${file}`, "utf8").matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) files.add(shared);
  }
  return gzipSync(Buffer.concat([...files].map((file) => readFileSync(`${GLUE}/entries/${file}`))), { level: 9 }).length;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(buildPackage);
