// What must hold of the source besides its tests: its form, no warning natively nor in any binding, no fuzz target that
// does not compile, and documentation without a broken link.

import { capture, tail } from "./run.mjs";

const deny = ["--", "-D", "warnings"];
const wasm = ["--target", "wasm32-unknown-unknown", "--features"];

const CHECKS = [
  ["fmt", "--all", "--check"],
  ["clippy", "--workspace", "--all-targets", ...deny],
  ["clippy", "--all-targets", ...wasm, "js", ...deny],
  ["clippy", "--all-targets", ...wasm, "worker", ...deny],
  ["clippy", "--all-targets", ...wasm, "component", ...deny],
  ["doc", "--no-deps"],
  // A workspace of its own: nothing else would notice that a target no longer compiles.
  ["check", "--quiet", "--bins", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target/fuzz"],
];

/** Runs every check, each counted as one. */
export async function lint() {
  const failures = [];
  for (const check of CHECKS) {
    const options = { log: "lint", env: { RUSTDOCFLAGS: "-D warnings" } };
    const { code, output } = await capture("cargo", check, options);
    if (code !== 0) failures.push(`cargo ${check.join(" ")}\n${tail(output, 40)}`);
  }
  const note = failures.length > 0 ? failures.join("\n\n") : undefined;
  return { passed: CHECKS.length - failures.length, failed: failures.length, skipped: 0, note };
}
