// Workers that are killed at any moment, with hundreds of runs and their readers under way: nothing is executed twice,
// no reader loses, repeats or reorders an event, nobody has seen an answer that the record does not hold, and no run
// stays open. `npm run soak` does the same at length.

import assert from "node:assert/strict";
import { test } from "node:test";
import { soak } from "./lib/soak/index.mjs";
import { assertHolds, told } from "./lib/soak/report.mjs";
import { anySeed } from "./lib/soak/random.mjs";

test("twenty kills, the first with two hundred runs under way", async (t) => {
  const seed = Number(process.env.SOAK_SEED ?? anySeed());
  t.diagnostic(`SOAK_SEED=${seed}`);
  const audit = await soak({ seed, runs: 400, first: 220, width: 24, times: 20 });
  for (const line of told(audit)) t.diagnostic(line);
  assertHolds(audit);
  assert.ok(audit.underWay[0] >= 190, `${audit.underWay[0]} were under way`);
  assert.ok(audit.underWay.every((count) => count > 0), `${audit.underWay}`);
});
