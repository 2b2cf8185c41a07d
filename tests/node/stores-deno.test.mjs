// The store in Deno KV must pass every case in Deno itself.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";

const folder = await stateFolder();
after(() => removeFolder(folder));

/** Runs `deno test`, without a network: what it printed, and what each test came to. */
async function denoTest(file) {
  const args = ["test", "--no-remote", "--unstable-kv", "-A", "--reporter=tap", inside(file)];
  const child = spawn(inside("node_modules/.bin/deno"), args, { env: { ...process.env, STORE_FOLDER: folder, NO_COLOR: "1" } });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const code = await new Promise((done, fail) => child.once("error", fail).once("close", done));
  const printed = Buffer.concat(output).toString();
  const results = [...printed.matchAll(/^(ok|not ok) \d+ - (.*?)(?: # .*)?$/gm)].map(([, result, name]) => ({ name, isOk: result === "ok" }));
  return { code, printed, results };
}

describe("Deno KV", async () => {
  const { code, printed, results } = await denoTest("tests/node/lib/deno-kv.mjs");
  for (const { name, isOk } of results) test(name, () => assert.ok(isOk, printed));
  test("nothing else has failed", () => {
    assert.equal(code, 0, printed);
    const of = (kind) => results.filter(({ name }) => name.startsWith(`${kind}: `)).length;
    assert.deepEqual([of("file"), of("memory")], [46, 41]);
  });
});
