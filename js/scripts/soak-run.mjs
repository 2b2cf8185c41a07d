// The soak itself, over the built Worker. Started by soak.mjs, and by a test, under the Node of the lock file. A process
// of its own, since the official client leaves a rejection unhandled where its connection breaks.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { soak } from "../../tests/node/lib/soak/index.mjs";
import { anySeed } from "../../tests/node/lib/soak/random.mjs";
import { assertHolds, told } from "../../tests/node/lib/soak/report.mjs";
import { assertLevels, shortRuns } from "../../tests/node/lib/soak/short.mjs";
import { main, say } from "./lib/run.mjs";

const number = { type: "string" };
const { values } = parseArgs({ options: { runs: number, kills: number, width: number, first: number, seed: number, "short-runs": number } });
const value = (name, unless) => Number(values[name] ?? unless);

/** On a real disk, unlike in `npm test`. */
const folder = await mkdtemp(join(tmpdir(), "lastword-soak-"));
await main(async () => {
  try {
    if (values["short-runs"]) await short(value("short-runs"));
    else await killed();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
process.exit(process.exitCode ?? 0);

async function killed() {
  const options = { runs: value("runs", 2000), times: value("kills", 20), width: value("width", 230), seed: value("seed", anySeed()) };
  options.first = value("first", options.width);
  say(`${JSON.stringify(options)}; again with --seed ${options.seed}`);
  const audit = await soak({ ...options, folder, say });
  told(audit).forEach(say);
  process.send?.(audit);
  assertHolds(audit);
  say("all promises hold");
}

async function short(runs) {
  const samples = await shortRuns({ runs, persist: folder, say });
  assertLevels(samples);
  say("memory levels off");
}
