// `npm run bench:package`: what it costs to start the package in Node, in new processes, one after the other. Builds the
// npm package first. Nothing fails by it. Runs on Node 20.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { FEATURES, kb, XTASK } from "../scripts/lib/module.mjs";
import { inside, node } from "../scripts/lib/paths.mjs";
import { main, run, say, step } from "../scripts/lib/run.mjs";
import { buildPackage } from "../scripts/package.mjs";

const TIMES = 25;
const PACKAGE = inside("build/js");

/** What is measured, in milliseconds, each in a process of its own. */
const MEASURED = {
  "import and instantiation": `
    const start = performance.now();
    await import("${PACKAGE}/node.mjs");
    console.log(performance.now() - start);`,
  "instantiation, of bytes": `
    const bytes = (await import("node:fs")).readFileSync("${PACKAGE}/lastword.wasm");
    const { initSync } = await import("${PACKAGE}/slim.mjs");
    const start = performance.now();
    initSync(bytes);
    console.log(performance.now() - start);`,
  "instantiation, of a compiled module": `
    const module = new WebAssembly.Module((await import("node:fs")).readFileSync("${PACKAGE}/lastword.wasm"));
    const { initSync } = await import("${PACKAGE}/slim.mjs");
    const start = performance.now();
    initSync(module);
    console.log(performance.now() - start);`,
  "the first filter, with its first text": `
    const { OutputFilter } = await import("${PACKAGE}/node.mjs");
    const start = performance.now();
    const filter = new OutputFilter();
    filter.push("Hello. ") + filter.flush();
    console.log(performance.now() - start);`,
};

/** The module as it is if it is built for size alone: it is weighed, and used for nothing. */
async function small() {
  const [target, glue] = [inside("target/size"), inside("target/size/glue")];
  const args = ["build", "--release", "--target", "wasm32-unknown-unknown", "--features", "js", "--target-dir", target];
  await step("a module for size", async () => {
    await run("cargo", args, { log: "size" });
    await run(XTASK, ["npm", `${target}/wasm32-unknown-unknown/release/lastword.wasm`, glue]);
    await run("wasm-opt", ["-Oz", "--low-memory-unused", ...FEATURES, `${glue}/lastword_bg.wasm`, "-o", `${glue}/small.wasm`], { log: "wasm-opt" });
  });
  const bytes = readFileSync(`${glue}/small.wasm`);
  say(`the module, if it is built for size: ${kb(bytes.length)}, ${kb(gzipSync(bytes, { level: 9 }).length)} gzip`);
}

await main(async () => {
  await buildPackage();
  await small();
  for (const [name, script] of Object.entries(MEASURED)) {
    const times = [];
    for (let time = 0; time < TIMES; time++) times.push(Number(await run(node, ["--input-type=module", "-e", script], { log: "bench-package" })));
    times.sort((a, b) => a - b);
    say(`${name}: ${times[0].toFixed(1)} ms at best, ${times[TIMES >> 1].toFixed(1)} ms in the middle of ${TIMES}`);
  }
});
