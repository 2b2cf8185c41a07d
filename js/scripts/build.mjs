// Builds the Worker: Rust → WebAssembly → glue → optimiser → one JavaScript file and one module in
// build/worker, which is what wrangler.toml names. Says the sizes and fails if they pass the limit.
// `npm run build` builds the npm package's module too (package.mjs).
// Runs on Node 20 and uses no package itself.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { cargoModule, compile, FEATURES, kb, tool, XTASK } from "./lib/module.mjs";
import { withPlaces } from "./lib/order.mjs";
import { inside } from "./lib/paths.mjs";
import { Failure, main, run, say, step } from "./lib/run.mjs";
import { fingerprint, npmPackages, once, rust } from "./lib/setup.mjs";
import { buildPackage } from "./package.mjs";

/** The most bytes of the Worker, compressed: what is uploaded and what starts cold. */
const LIMIT = 480_000;

const MODULE = cargoModule("release");
const GLUE = inside("build/glue");
const WORKER = inside("build/worker");
const STAMP = inside("build/worker.stamp");

/** Sets up what is missing and builds what has changed. */
export async function build({ enforce = true } = {}) {
  await rust();
  await Promise.all([npmPackages(), compile("the Worker's Rust code", "release", "worker"), tool()]);
  await once(STAMP, inputs(), assemble);
  report(enforce);
}

/** What the assembled files depend on. */
const inputs = () =>
  fingerprint([
    MODULE,
    inside("Cargo.lock"),
    inside("package-lock.json"),
    inside("xtask/src/main.rs"),
    inside("js/worker/shim.mjs"),
    inside("js/lastword/broken.mjs"),
    inside("js/scripts/build.mjs"),
    inside("js/scripts/lib/module.mjs"),
    inside("js/scripts/lib/order.mjs"),
  ]);

async function assemble() {
  for (const old of [GLUE, WORKER, STAMP]) rmSync(old, { recursive: true, force: true });
  mkdirSync(WORKER, { recursive: true });
  await step("glue", () => run(XTASK, ["worker", MODULE, GLUE]));
  shortenNames();
  await step("optimiser", optimise);
  await step("bundle", bundle);
}

/** The glue's names end in a hash of what they are made from, which no compressor makes smaller: each
 * becomes a number of the same length. */
function shortenNames() {
  const [script, module] = [`${GLUE}/lastword.js`, `${GLUE}/lastword_bg.wasm`];
  const HASH = /(?<=_h?)[0-9a-f]{16}(?![0-9a-f])/g;
  const numbers = new Map();
  for (const hash of readFileSync(script, "latin1").match(HASH)) {
    if (!numbers.has(hash)) numbers.set(hash, String(numbers.size).padStart(16, "0"));
  }
  for (const file of [script, module]) {
    const text = readFileSync(file, "latin1").replace(HASH, (hash) => numbers.get(hash) ?? hash);
    writeFileSync(file, text, "latin1");
  }
}

/** What makes the module smallest once it is compressed: a function that is inlined, or a value that is
 * kept in a local for its next use, costs more there than what is said again. */
const PASSES = [
  "-Oz",
  "--always-inline-max-function-size=0",
  "--flexible-inline-max-function-size=0",
  "--one-caller-inline-max-function-size=0",
  "--merge-similar-functions",
  "--skip-pass=local-cse",
  "--skip-pass=memory-packing",
  // The first KB is the far end of the stack.
  "--low-memory-unused",
];

async function optimise() {
  const [small, named] = [`${GLUE}/small.wasm`, `${GLUE}/named.wasm`];
  await run("wasm-opt", [...PASSES, ...FEATURES, `${GLUE}/lastword_bg.wasm`, "-o", small]);
  writeFileSync(named, withPlaces(readFileSync(small)));
  const last = ["--reorder-functions-by-name", "--strip-target-features"];
  await run("wasm-opt", [...last, ...FEATURES, named, "-o", `${WORKER}/lastword.wasm`]);
}

const bundle = () =>
  run("esbuild", [
    "js/worker/shim.mjs",
    "--bundle",
    "--format=esm",
    "--target=es2022",
    "--minify",
    "--external:cloudflare:*",
    "--external:./lastword.wasm",
    `--outfile=${WORKER}/index.js`,
  ]);

function report(enforce) {
  const raw = readFileSync(MODULE);
  const files = ["lastword.wasm", "index.js"].map((name) => readFileSync(`${WORKER}/${name}`));
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  const optimised = sum(files.map((file) => file.length));
  const gzip = sum(files.map((file) => gzipSync(file, { level: 9 }).length));
  say(`the Worker: ${kb(raw.length)} from cargo, ${kb(optimised)} optimised with its JavaScript, ${kb(gzip)} gzip`);
  if (gzip <= LIMIT) return;
  const large = `The Worker is larger than its limit of ${kb(LIMIT)} gzip.`;
  if (enforce) throw new Failure(large);
  say(large);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(build);
  await main(buildPackage);
}
