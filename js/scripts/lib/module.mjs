// What the two modules have in common: how cargo builds them, and what of WebAssembly they may use.

import { homedir } from "node:os";
import { join } from "node:path";
import { inside, root } from "./paths.mjs";
import { run, step } from "./run.mjs";

/** What rustc's target and the glue use, and every host runs, as options of the optimiser. */
export const FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "exception-handling",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
].map((feature) => `--enable-${feature}`);

/** Where cargo puts the module of a profile. */
export const cargoModule = (profile) => inside(`target/wasm32-unknown-unknown/${profile}/lastword.wasm`);

/** Builds the module of a binding. */
export const compile = (name, profile, feature) =>
  step(name, () =>
    run("cargo", ["build", "--profile", profile, "--target", "wasm32-unknown-unknown", "--features", feature], {
      log: feature,
      env: { CARGO_ENCODED_RUSTFLAGS: remap().join("\x1f") },
    }),
  );

/** Panics name their place in the source. It is told without the folders of this machine. */
function remap() {
  const home = (variable, folder) => process.env[variable] ?? join(homedir(), folder);
  const names = [[home("CARGO_HOME", ".cargo"), "cargo"], [home("RUSTUP_HOME", ".rustup"), "rustup"], [root, "lastword"]];
  return names.map(([folder, name]) => `--remap-path-prefix=${folder}=${name}`);
}

/** The program that writes the glue. */
export const XTASK = inside("target/xtask/debug/xtask");

/** Builds it. */
export const tool = () =>
  step("the build program", () =>
    run("cargo", ["build", "-p", "xtask", "--target-dir", "target/xtask"], { log: "xtask" }),
  );

export const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
