// `npm run soak`: what `npm test` shows of runs that must survive, at length. Needs a built Worker (`npm run build`).
//
// `--runs N` (2,000 unless said) and `--seed S` (any): runs and readers on Workers that are killed twenty times, with
// state on disk. `--short-runs N`: that many short runs in one object instead, and its memory.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { shortRuns } from "../../tests/node/lib/soak/short.mjs";
import { soak } from "../../tests/node/lib/soak/index.mjs";
import { assertHolds, told } from "../../tests/node/lib/soak/report.mjs";
import { anySeed } from "../../tests/node/lib/soak/random.mjs";
