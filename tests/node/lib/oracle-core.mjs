// What the core makes of streams, frames and responses natively (`examples/oracle.rs`).

import { execFileSync } from "node:child_process";
import { root } from "../../../js/scripts/lib/paths.mjs";

/** The core's answers to these questions, in order. */
export function askCore(questions) {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join("");
  const options = { cwd: root, input, maxBuffer: 2 ** 30, stdio: ["pipe", "pipe", "inherit"] };
  const text = execFileSync("cargo", ["run", "--quiet", "--example", "oracle"], options).toString();
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

export const hex = (bytes) => Buffer.from(bytes).toString("hex");
