// `npm test`: sets up what is missing and runs every test, layer by layer. Runs on Node 20.
//
// `npm test` runs all layers; `node js/scripts/test.mjs native node` only those named. The last line is
// `N passed, N failed, N skipped`. What this machine lacks and can't be given is named and counted as
// skipped; with CI=true that is a failure too.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { build } from "./build.mjs";
import { buildPackage } from "./package.mjs";
import { inside, node } from "./lib/paths.mjs";
import { capture, main, onEnd, say, step, tail } from "./lib/run.mjs";
import { lint } from "./lib/lint.mjs";
import { python } from "./lib/python.mjs";
import { browser, browserTestTools, npmPackages, packageTools, redisServer, rust } from "./lib/setup.mjs";

const layers = { native, lint, worker, browser: inBrowser, clients: byClients, node: onWorkerd };

onEnd((signal) => process.exit(signal === "SIGINT" ? 130 : 143));
await main(async () => {
  const named = process.argv.slice(2);
  const chosen = Object.keys(layers).filter((name) => named.length === 0 || named.includes(name));
  await rust();
  await npmPackages();
  // Slow to compile and needed late: begins at once, beside the other layers.
  const tools = chosen.includes("browser") ? browserTestTools() : undefined;
  const results = [];
  for (const name of chosen) results.push(await layer(name, () => layers[name](tools)));
  summary(results);
});

async function layer(name, work) {
  try {
    return { name, ...(await step(`layer ${name}`, work)) };
  } catch (error) {
    return { name, passed: 0, failed: 1, skipped: 0, note: error.message };
  }
}

/** The core and everything else that runs without a host. */
async function native() {
  const { code, output } = await capture("cargo", ["test", "--no-fail-fast"], { log: "native" });
  return counted(code, output, cargoCounts(output));
}

/** The Worker and the npm package can be built and keep their sizes. */
async function worker() {
  await build();
  await buildPackage();
  return { passed: 2, failed: 0, skipped: 0, note: "the Worker and the npm package were built" };
}

/** The core in a real browser. */
async function inBrowser(tools) {
  const [{ driver, missing: noBrowser }, { missing: noTools }] = await Promise.all([browser(), tools]);
  const missing = noBrowser ?? noTools;
  if (missing) return notRun(missing);
  const args = ["test", "--headless", "--chrome", "--chromedriver", driver, ".", "--test", "web"];
  const { code, output } = await capture("wasm-pack", args, { log: "browser" });
  return counted(code, output, cargoCounts(output));
}

/** Real clients against the built Worker in workerd, and the npm package wherever it runs. */
async function onWorkerd() {
  await build();
  await buildPackage();
  await packageTools();
  const { missing } = await redisServer();
  if (missing) say(`missing: ${missing}`);
  const files = readdirSync(inside("tests/node")).filter((name) => name.endsWith(".test.mjs"));
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, note: "there are no Node tests" };
  return nodeTests("node", ["--test-timeout=180000", "--test-concurrency=2"], files.map((name) => `tests/node/${name}`));
}

/** Every client of every language against the built Worker. */
async function byClients() {
  const { missing } = await python();
  if (missing) return notRun(missing);
  await build();
  return nodeTests("clients", ["--test-timeout=400000"], ["tests/clients/matrix.test.mjs", "tests/clients/readme.test.mjs"]);
}

/** Runs files with Node's test runner. */
async function nodeTests(log, options, files) {
  const tap = inside(`target/logs/${log}.tap`);
  rmSync(tap, { force: true });
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=tap", `--test-reporter-destination=${tap}`);
  const { code, output } = await capture(node, ["--test", "--test-force-exit", ...options, ...reporters, ...files], { log });
  return counted(code, output, tapCounts(existsSync(tap) ? readFileSync(tap, "utf8") : ""));
}

function notRun(what) {
  return { passed: 0, failed: 0, skipped: 1, note: `NOT RUN, missing: ${what}` };
}

/** A layer's result. A program that failed without a failed test (it did not compile, it crashed) counts as one. */
function counted(code, output, { passed, failed, skipped }) {
  const silent = code !== 0 && failed === 0 ? 1 : 0;
  const nothing = code === 0 && passed + failed + skipped === 0 ? 1 : 0;
  const note = nothing ? "no test was found" : code === 0 ? undefined : tail(output, 200);
  return { passed, failed: failed + silent + nothing, skipped, note };
}

function cargoCounts(output) {
  const line = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm;
  return [...output.matchAll(line)].reduce(
    (sum, [, passed, failed, ignored]) => ({
      passed: sum.passed + Number(passed),
      failed: sum.failed + Number(failed),
      skipped: sum.skipped + Number(ignored),
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

function tapCounts(tap) {
  const count = (word) => Number(tap.match(new RegExp(`^# ${word} (\\d+)$`, "m"))?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail") + count("cancelled"), skipped: count("skipped") + count("todo") };
}

function summary(results) {
  for (const { name, failed, note } of results.filter((result) => result.note)) {
    console.log(failed > 0 ? `\n--- ${name} ---\n${note}\n` : `${name}: ${note}`);
  }
  console.log();
  for (const { name, passed, failed, skipped } of results) {
    say(`${name.padEnd(8)} ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
  const strict = process.env.CI === "true";
  if (sum("failed") > 0 || (strict && sum("skipped") > 0)) process.exitCode = 1;
}
