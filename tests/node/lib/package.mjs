// The packed package, and small projects that it is installed into as anybody would, in folders of their own.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";
import { alone } from "../../../js/scripts/lib/alone.mjs";
import { environment, inside } from "../../../js/scripts/lib/paths.mjs";
import { packageTools } from "../../../js/scripts/lib/setup.mjs";
import { pack } from "../../../js/scripts/pack.mjs";
import { filesIn } from "../../../js/scripts/package.mjs";
import { expected } from "../../package/scenario.mjs";

const PACKAGE = inside("build/js");
const PROJECTS = inside("tests/package");
const SHARED = ["scenario.mjs", "scenario", "page.mjs"];

/** Where the runtimes and bundlers are. */
export const TOOLS = inside("tests/package/tools/node_modules");
/** One of them that is a program, and one that is a library. */
export const tool = (name) => join(TOOLS, ".bin", name);
export const required = createRequire(TOOLS);
await packageTools();

/** Packed once for what has been built. */
async function tarball() {
  const hash = createHash("sha256");
  for (const name of filesIn(PACKAGE)) hash.update(name).update("\0").update(readFileSync(join(PACKAGE, name))).update("\0");
  const folder = inside("target/package", hash.digest("hex").slice(0, 16));
  const { name, version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const packed = join(folder, `${name}-${version}.tgz`);
  await alone(inside("target/package.lock"), async () => {
    if (existsSync(packed)) return;
    rmSync(dirname(folder), { recursive: true, force: true });
    await pack(folder);
  });
  return packed;
}

/** The tarball that is tested. */
export const packed = await tarball();

/** What the scenario gives wherever the package works. */
export const whole = { exports: Object.keys(await import(join(PACKAGE, "index.mjs"))).sort(), ...expected };

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })));

/**
 * A project in a new folder: the files of `tests/package/<name>` with the scenario beside them, and the package
 * installed. `uses` are tools that its own files import. It goes when the test file is done.
 */
export async function project(name, { uses = [], within = tmpdir() } = {}) {
  const folder = mkdtempSync(join(within, `lastword-${name}-`));
  folders.push(folder);
  cpSync(join(PROJECTS, name), folder, { recursive: true });
  for (const file of SHARED) cpSync(join(PROJECTS, file), join(folder, file), { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: "project", private: true, type: "module" }));
  await output("npm", ["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", packed], { cwd: folder });
  for (const used of uses) {
    mkdirSync(dirname(join(folder, "node_modules", used)), { recursive: true });
    symlinkSync(join(TOOLS, used), join(folder, "node_modules", used));
  }
  return folder;
}

/** Builds a project as its `webpack.config.mjs` says. */
export async function webpack(cwd) {
  const { default: config } = await import(join(cwd, "webpack.config.mjs"));
  const configs = [config].flat().map((one) => ({ performance: { hints: false }, ...one, context: cwd }));
  const stats = await promisify(required("webpack"))(configs);
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
}

/** What a program writes, which must succeed. Nothing of this repository is in its path but Node 24. */
export async function output(command, args, { cwd, env } = {}) {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env: environment(env), maxBuffer: 1 << 26 });
  return stdout;
}

/** The same as JSON. */
export const json = async (command, args, options) => JSON.parse(await output(command, args, options));
