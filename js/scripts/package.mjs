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
const LIMIT = 700_000;
/** The most bytes of the JavaScript that an entry loads, minified and compressed. */
const GLUE_LIMIT = 20_000;

const MODULE = cargoModule("npm");
const GLUE = inside("build/glue-npm");
const SOURCE = inside("js/lastword");
const PACKAGE = inside("build/js");
const STAMP = inside("build/js.stamp");
const SMALL = `${GLUE}/small.wasm`;

/** What goes into the package beside its code, and where it is kept. */
const BESIDE = { "README.md": "js/README.md", "CHANGELOG.md": "CHANGELOG.md", "LICENSE-MIT": "LICENSE-MIT", "LICENSE-APACHE": "LICENSE-APACHE" };

/** Sets up what is missing and builds what has changed. */
export async function buildPackage() {
  await rust();
  await Promise.all([npmPackages(), compile("the npm package's Rust code", "npm", "js"), tool()]);
  await once(STAMP, inputs(), assemble);
  report();
}

/** The files in a folder and those below it, by their paths in it. */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.slice(folder.length + 1))
    .sort();

/** What the assembled files depend on. */
const inputs = () =>
  fingerprint([
    MODULE,
    inside("Cargo.toml"),
    inside("Cargo.lock"),
    inside("package-lock.json"),
    inside("xtask/src/main.rs"),
    inside("js/package.json"),
    ...Object.values(BESIDE).map((path) => inside(path)),
    ...filesIn(SOURCE).map((name) => `${SOURCE}/${name}`),
    inside("js/scripts/package.mjs"),
    inside("js/scripts/lib/module.mjs"),
  ]);

async function assemble() {
  for (const old of [GLUE, PACKAGE, STAMP]) rmSync(old, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  await step("the npm package", async () => {
    await run(XTASK, ["npm", MODULE, GLUE]);
    const optimised = (how, to) => run("wasm-opt", [how, "--low-memory-unused", ...FEATURES, `${GLUE}/lastword_bg.wasm`, "-o", to], { log: `wasm-opt${how}` });
    await Promise.all([optimised("-O3", `${PACKAGE}/lastword.wasm`), optimised("-Oz", SMALL)]);
    copyFileSync(`${GLUE}/lastword.js`, `${PACKAGE}/lastword.js`);
    cpSync(SOURCE, PACKAGE, { recursive: true });
    for (const [name, path] of Object.entries(BESIDE)) copyFileSync(inside(path), `${PACKAGE}/${name}`);
    writeFileSync(`${PACKAGE}/package.json`, `${JSON.stringify(manifest(), undefined, 2)}\n`);
    await bundleEntries();
  });
}

/** The package's own package.json. An export whose files are not there yet is named and left out. */
function manifest() {
  const manifest = JSON.parse(readFileSync(inside("js/package.json"), "utf8"));
  const [, version] = readFileSync(inside("Cargo.toml"), "utf8").match(/^version = "(.+)"$/m);
  if (manifest.version !== version) throw new Failure(`js/package.json is of version ${manifest.version}, Cargo.toml of ${version}.`);
  for (const [path, target] of Object.entries(manifest.exports)) {
    if (targets(target).every((file) => file === "./package.json" || existsSync(`${PACKAGE}/${file}`))) continue;
    say(`not exported, since it is not there yet: ${path}`);
    delete manifest.exports[path];
  }
  return manifest;
}

/** The files that an export may lead to. */
const targets = (target) => (typeof target === "string" ? [target] : Object.values(target).flatMap(targets));

/** The entries that load code, by the conditions that choose them; with `import source`, Deno's can't be bundled. */
const ENTRIES = ["workerd", "edge-light", "node", "bun", "browser", "slim"];

/** Each entry with all that it imports, minified, to be weighed. */
const bundleEntries = () =>
  run("esbuild", [
    ...ENTRIES.map((name) => `${PACKAGE}/${name}.mjs`),
    "--bundle",
    "--minify",
    "--format=esm",
    "--target=es2022",
    "--external:node:*",
    "--external:*.wasm",
    "--external:*.wasm?module",
    `--outdir=${GLUE}/entries`,
  ]);

function report() {
  const gzip = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
  const module = `${PACKAGE}/lastword.wasm`;
  const [size, small] = [gzip(module), gzip(SMALL)];
  const glue = Math.max(...ENTRIES.map((name) => gzip(`${GLUE}/entries/${name}.js`)));
  say(`the npm package's module: ${kb(readFileSync(module).length)}, ${kb(size)} gzip (${kb(small)} if built for size); its JavaScript: ${kb(glue)} gzip`);
  if (size > LIMIT) throw new Failure(`The npm package's module is larger than its limit of ${kb(LIMIT)} gzip.`);
  if (glue > GLUE_LIMIT) throw new Failure(`The npm package's JavaScript is larger than its limit of ${kb(GLUE_LIMIT)} gzip.`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(buildPackage);
