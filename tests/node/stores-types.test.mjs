// The stores' types take what the clients' own types give.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { packageTools } from "../../js/scripts/lib/setup.mjs";

await packageTools();
const TOOLS = inside("tests/package/tools/node_modules");

/** A project that has installed the package, as far as its types go, and the clients. */
const cwd = mkdtempSync(join(tmpdir(), "lastword-stores-"));
after(() => rmSync(cwd, { recursive: true, force: true }));
const modules = join(cwd, "node_modules");
cpSync(inside("js/lastword"), join(modules, "lastword"), { recursive: true });
copyFileSync(inside("js/package.json"), join(modules, "lastword", "package.json"));
mkdirSync(join(modules, "@upstash"));
for (const name of ["redis", "redis-v5", "ioredis", "ioredis-v5", "@upstash/redis"]) symlinkSync(inside("node_modules", name), join(modules, name));
for (const name of ["@types", "@cloudflare"]) symlinkSync(join(TOOLS, name), join(modules, name));
writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));

/** What a program says of a file that it can't compile. */
async function wrong(program, file, args) {
  copyFileSync(inside("tests/node/lib", file), join(cwd, file));
  const env = { ...process.env, DENO_DIR: inside("target/deno"), NO_COLOR: "1" };
  const run = promisify(execFile)(join(TOOLS, ".bin", program), [...args, file], { cwd, env });
  return run.then(() => "", (error) => error.stdout + error.stderr);
}

const tsc = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck", "--target", "es2023", "--module", "nodenext"];

describe("the types of the stores take", () => {
  test("clients of Redis, a database, a store of one's own", async () => {
    assert.equal(await wrong("tsc", "stores-consumer.ts", [...tsc, "--types", "node"]), "");
  });

  test("what a Worker is given", async () => {
    assert.equal(await wrong("tsc", "stores-consumer-workers.ts", [...tsc, "--lib", "es2023", "--types", "@cloudflare/workers-types"]), "");
  });

  test("what Deno gives", async () => {
    assert.equal(await wrong("deno", "stores-consumer-deno.ts", ["check", "--quiet", "--no-remote", "--unstable-kv"]), "");
  });
});
