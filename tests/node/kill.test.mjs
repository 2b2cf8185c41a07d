// Workers that are killed at any moment, with hundreds of runs and their readers under way: nothing is executed twice,
// no reader loses, repeats or reorders an event, nobody has seen an answer that the record does not hold, and no run
// stays open. `npm run soak` does the same at length.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { assertHolds } from "./lib/soak/report.mjs";

test("twenty kills, the first with two hundred runs under way", async (t) => {
  const seed = process.env.SOAK_SEED ? ["--seed", process.env.SOAK_SEED] : [];
  const options = ["--runs", "400", "--first", "280", "--width", "12", "--kills", "20", ...seed];
  const soak = fork(inside("js/scripts/soak-run.mjs"), options, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  t.after(() => soak.kill());
  soak.stdout.on("data", (said) => String(said).trimEnd().split("\n").forEach((line) => t.diagnostic(line)));
  const [[audit]] = await Promise.all([once(soak, "message"), once(soak, "close")]);
  assertHolds(audit);
  assert.equal(soak.exitCode, 0);
  assert.ok(audit.runs >= 400 && audit.underWay.length === 20, `${audit.runs} runs`);
  assert.ok(audit.underWay[0] >= 200, `${audit.underWay[0]} were under way at the first kill`);
  assert.ok(audit.underWay.every((count) => count > 0), `${audit.underWay}`);
});
