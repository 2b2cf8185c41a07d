// Short runs in one object, one after the other: the module's memory levels off. `npm run soak -- --short-runs 10000`
// does the same at length.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLevels, shortRuns } from "./lib/soak/short.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";

const RUNS = 2000;

test(`${RUNS} short runs in one object leave nothing behind`, async (t) => {
  const folder = await stateFolder();
  t.after(() => removeFolder(folder));
  const samples = await shortRuns({ runs: RUNS, persist: folder });
  t.diagnostic(JSON.stringify(samples.at(-1)));
  assert.equal(samples.at(-1).runs, RUNS);
  assertLevels(samples);
});
