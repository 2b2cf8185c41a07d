// Every client × every kind of turn, on every wire: the answer is exactly the answer, and a failure is visible as one.
// `npm run test:clients`; with LASTWORD_CLIENTS=quick without the silence of 105 seconds.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startUpstream, upstreamVars } from "../node/lib/upstream.mjs";
import { sharedWorker } from "../node/lib/worker.mjs";
import { askAll, CLIENTS, SCENARIOS, startCutter, taskOf, VARS } from "./matrix.mjs";

const quick = process.env.LASTWORD_CLIENTS === "quick";
const upstream = await startUpstream();
after(() => upstream.stop());
const live = sharedWorker(upstreamVars(upstream, VARS));
const recorded = sharedWorker(VARS);

const cells = Object.entries(SCENARIOS)
  .filter(([, { long }]) => !(long && quick))
  .flatMap(([name, scenario]) => CLIENTS.filter((one) => scenario.of?.(one) ?? true).map((one) => ({ name, scenario, one })));

let asked;
/** The results of all cells, which are asked at once when the first test wants one. */
function results() {
  asked ??= (async () => {
    const cutter = await startCutter(live.url);
    const env = { live: live.url, recorded: recorded.url, cutter: cutter.url, upstream };
    const told = await askAll(cells.map(({ scenario, one }) => taskOf(scenario, one, env)));
    cutter.stop();
    return told;
  })();
  return asked;
}

for (const one of CLIENTS) {
  describe(`${one.wire}, ${one.language}, ${one.client}`, () => {
    for (const [at, cell] of cells.entries()) {
      if (cell.one === one) test(cell.name, async () => cell.scenario.expect(assert, (await results())[at], one));
    }
  });
}
