// Measures the ways side by side.

import { setLog } from "../../../build/js/node.mjs";
import { parts } from "./parts.mjs";
import { chunks, text, TOKENS } from "./turn.mjs";
import { aiSdk, answered, byHand, live, said } from "./ways.mjs";

setLog(false);
const ROUNDS = Number(process.env.ROUNDS ?? 15);

/** The median of some figures. */
const median = (figures) => figures.toSorted((a, b) => a - b)[figures.length >> 1];

/** How often the ways come one after the other. Each then runs some times in a row, so that it pays for its own garbage, and
 * for nobody else's, which is collected before. */
const PASSES = 3;
/** How often a way runs unmeasured before, in each pass. */
const WARM = 6;

/** Microseconds a token of each way: the median of all its runs. */
async function measured(ways, pieces) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [name, way] of Object.entries(ways)) {
      globalThis.gc?.();
      for (let round = -WARM; round < ROUNDS; round++) {
        const begun = performance.now();
        await way(pieces);
        if (round >= 0) times[name].push(((performance.now() - begun) * 1000) / TOKENS);
      }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, figures]) => [name, median(figures)]));
}

const ratio = (name, value, wanted) => console.log(`  ${name.padEnd(58)} ${value.toFixed(1)}×  (wanted ${wanted}×)${value >= wanted ? "" : "  MISSED"}`);

for (const size of [16_384, "event"]) {
  const pieces = chunks(size);
  const ways = { "AI SDK": aiSdk, "by hand": byHand, "Lastword, live": live, "Lastword, the answer": answered };
  console.log(`\n${TOKENS} tokens of Chat Completions, chunks of ${size === "event" ? "one event" : `${size} bytes`}`);
  for (const [name, way] of Object.entries(ways)) {
    const { text: got, frames } = said(await way(pieces));
    if (got !== text) throw new Error(`${name} has not said what the model said`);
    console.log(`  ${name.padEnd(24)} ${String(frames).padStart(6)} frames of text`);
  }
  const took = await measured(ways, pieces);
  for (const [name, time] of Object.entries(took)) console.log(`  ${name.padEnd(24)} ${time.toFixed(2).padStart(6)} µs a token`);
  ratio("(a) live, a frame a token: AI SDK", took["AI SDK"] / took["Lastword, live"], 50);
  ratio("(a) live, a frame a token: by hand", took["by hand"] / took["Lastword, live"], 2.5);
  ratio("(b) as people use it: AI SDK", took["AI SDK"] / took["Lastword, the answer"], 80);
  ratio("(b) as people use it: by hand", took["by hand"] / took["Lastword, the answer"], 4);
}

await parts({ measured: median, ratio, rounds: ROUNDS });
