// What the machine needs, put there once. Runs on Node 20 and uses no package.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { alone } from "./alone.mjs";
import { inside, node } from "./paths.mjs";
import { capture, Failure, has, run, step } from "./run.mjs";

/** Runs `work` unless it has been run before with the same `key`. */
export async function once(stamp, key, work) {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, key);
}

/** Lets a program be called by another name, next to the tools that cargo installs. */
function link(program, name) {
  mkdirSync(inside("target/tools/bin"), { recursive: true });
  rmSync(inside("target/tools/bin", name), { force: true });
  symlinkSync(inside(program), inside("target/tools/bin", name));
}

/** The hash of some files' contents. */
export function fingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

/** The npm packages of the lock file. */
export async function npmPackages() {
  const key = fingerprint([inside("package-lock.json")]);
  await once(inside("node_modules/.lastword-stamp"), key, () =>
    step("npm packages", () => run("npm", ["ci", "--no-audit", "--no-fund"], { log: "npm-ci" })),
  );
  if (!existsSync(node)) throw new Failure("npm did not install the `node` package: are install scripts switched off?");
}

/** Where the runtimes, bundlers and compilers are that the packed package is tested with: a folder of their own, since
 * nothing else needs them. */
const PACKAGE_TOOLS = inside("tests/package/tools");

/** Those programs, by the lock file there. Test files that run at the same time may all ask for them. */
export async function packageTools() {
  const key = fingerprint([`${PACKAGE_TOOLS}/package.json`, `${PACKAGE_TOOLS}/package-lock.json`]);
  const install = () => step("runtimes and bundlers", () => run("npm", ["ci", "--no-audit", "--no-fund"], { log: "npm-ci-tools", cwd: PACKAGE_TOOLS }));
  await alone(inside("target/package-tools.lock"), () => once(`${PACKAGE_TOOLS}/node_modules/.lastword-stamp`, key, install));
}

/** Rust with the WebAssembly target. */
export async function rust() {
  if (!(await has("cargo"))) {
    throw new Failure("Rust is missing. Install it with rustup (https://rustup.rs), open a new shell and try again.");
  }
  const sysroot = (await run("rustc", ["--print", "sysroot"])).trim();
  if (existsSync(join(sysroot, "lib/rustlib/wasm32-unknown-unknown"))) return;
  if (!(await has("rustup"))) {
    throw new Failure("Rust's target wasm32-unknown-unknown is missing, and there is no rustup to add it.");
  }
  await step("Rust's WebAssembly target", () => run("rustup", ["target", "add", "wasm32-unknown-unknown"]));
}

/** Chromium and its driver. Returns the driver's path, or why there is none. */
export async function browser() {
  if (!(await has("chromedriver"))) {
    if (!(await has("apt-get"))) return { missing: "chromium and chromedriver: install them, this machine has no apt-get" };
    const installed = await step("Chromium, by apt-get", installChromium);
    if (!installed) return { missing: "chromium and chromium-driver: apt-get could not install them (target/logs/apt.log)" };
  }
  const driver = (await run("sh", ["-c", "command -v chromedriver"], { log: "versions" })).trim();
  return { driver };
}

const installChromium = () => aptGet(["chromium", "chromium-driver"], "apt");

/** A Redis to start. Returns the program, or why there is none. */
export async function redisServer() {
  const program = "redis-server";
  if (await has(program)) return { program };
  if (!(await has("apt-get"))) return { missing: "redis-server: install it, this machine has no apt-get" };
  const installed = await step("Redis, by apt-get", () => aptGet([program], "apt-redis"));
  return installed ? { program } : { missing: "redis-server: apt-get could not install it (target/logs/apt-redis.log)" };
}

/** Installs packages of Debian; true if that could be done. */
async function aptGet(packages, log) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await capture("apt-get", ["update", "-qq"], { log: "apt-update", env });
  const { code } = await capture("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { log, env });
  return code === 0;
}

/** The version of wasm-pack that the browser layer is run with. */
const WASM_PACK = "0.15.1";

/** `wasm-pack` and the two programs that it calls. Returns why they are missing, if they are. */
export async function browserTestTools() {
  try {
    await run("cargo", ["build", "-p", "xtask", "--features", "test-tools", "--target-dir", "target/xtask"], { log: "test-tools" });
    for (const name of ["wasm-bindgen", "wasm-bindgen-test-runner"]) link("target/xtask/debug/test-tools", name);
    await once(inside("target/tools/stamp"), WASM_PACK, () =>
      run("cargo", ["install", "--debug", "--locked", "--root", "target/tools", `wasm-pack@${WASM_PACK}`], { log: "wasm-pack" }),
    );
  } catch (error) {
    return { missing: `wasm-pack and the wasm-bindgen test runner: cargo could not build them\n${error.message}` };
  }
  return {};
}
