// The stores in other runtimes, by their own runners: Deno KV by `deno test`, Bun's SQLite and more by `bun test`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { packageTools } from "../../js/scripts/lib/setup.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";

await packageTools();
const folder = await stateFolder();
after(() => removeFolder(folder));

/** Runs a program: its exit code, and what it printed. */
async function run(program, ...args) {
  const env = { ...process.env, STORE_FOLDER: folder, NO_COLOR: "1" };
  const child = spawn(inside("tests/package/tools/node_modules/.bin", program), args, { cwd: inside(), env });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const code = await new Promise((done, fail) => child.once("error", fail).once("close", done));
  return { code, printed: Buffer.concat(output).toString() };
}

/** How each runner says of a test that it has passed or failed, and how many cases of which store there are. */
const RUNNERS = {
  "deno test": {
    run: () => run("deno", "test", "--no-check", "--no-remote", "--unstable-kv", "-A", "--reporter=tap", "tests/node/lib/deno-kv.mjs"),
    line: /^(ok|not ok) \d+ - (.*?)(?: # .*)?$/gm,
    counts: { file: 46, memory: 41 },
  },
  "bun test": {
    run: () => run("bun", "test", "--timeout=60000", "./tests/node/lib/bun-stores.mjs"),
    line: /^\((pass|fail)\) (.*?)(?: \[[\d.]+m?s\])?$/gm,
    counts: { memory: 41, "file-system": 39, sqlite: 43 },
  },
};

for (const [name, { run, line, counts }] of Object.entries(RUNNERS)) {
  describe(name, async () => {
    const { code, printed } = await run();
    const results = [...printed.matchAll(line)].map(([, result, name]) => ({ name, isOk: result === "ok" || result === "pass" }));
    for (const { name, isOk } of results) test(name, () => assert.ok(isOk, printed));
    test("has run every case", () => {
      assert.equal(code, 0, printed);
      const of = (kind) => results.filter(({ name }) => name.startsWith(`${kind}: `)).length;
      assert.deepEqual(Object.fromEntries(Object.keys(counts).map((kind) => [kind, of(kind)])), counts);
    });
  });
}
