// What doesn't compare: how much is held back, what hostile texts cost, what it weighs.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { OutputFilter } from "../../../build/js/node.mjs";
import { FEATURES } from "../../scripts/lib/module.mjs";
import { hostile, makeText, tokens } from "./text.mjs";

/** How many bytes are held back at the ends of tokens. */
export function delays({ title, table, judge }) {
  const pieces = tokens(makeText(256 * 1024, { clean: true }));
  const rows = {
    "all that is on by default": {},
    "secrets alone": { rules: { all: false, secrets: true } },
  };
  title("Bytes held back at the ends of tokens, clean text (hold back 128: 128)");
  const lines = Object.entries(rows).map(([name, options]) => {
    const filter = new OutputFilter(options);
    let [sum, most, none] = [0, 0, 0];
    for (const piece of pieces) {
      filter.push(piece);
      const { held } = filter;
      sum += held;
      most = Math.max(most, held);
      none += held === 0 ? 1 : 0;
    }
    return [name, sum / pieces.length, most, `${((100 * none) / pieces.length).toFixed(1)} %`];
  });
  table([["", "mean", "most", "nothing held"], ...lines.map(([name, mean, ...rest]) => [name, mean.toFixed(2), ...rest])]);
  judge("delay: mean bytes held back", lines[0][1].toFixed(2), "≤ 6", lines[0][1] <= 6);
}

/** Texts that make others slow: what 64 KiB take, and 32 KiB beside 16, which a busy machine disturbs less. */
export function hostileRows({ title, table, judge, race }) {
  const filter = new OutputFilter();
  const [whole, half, quarter] = [64, 32, 16].map((size) => hostile(size * 1024));
  const lines = Object.keys(whole).map((name) => {
    const work = (text) => () => filter.push(text) + filter.flush();
    const took = race({ whole: work(whole[name]), half: work(half[name]), quarter: work(quarter[name]) });
    return [name, took.whole, took.half / took.quarter];
  });
  title("Hostile texts of 64 KiB");
  table([["", "ms", "twice the text"], ...lines.map(([name, time, ratio]) => [name, time.toFixed(2), `${ratio.toFixed(2)}×`])]);
  const [slowest, steepest] = [1, 2].map((at) => lines.reduce((most, line) => (line[at] > most[at] ? line : most)));
  judge(`hostile: the slowest, ms (${slowest[0]})`, slowest[1].toFixed(2), "≤ 4", slowest[1] <= 4);
  judge(`hostile: twice the text (${steepest[0]})`, `${steepest[2].toFixed(2)}×`, "≤ 2.2×", steepest[2] <= 2.2);
}

/** What the filter and all its rules add to a module. */
export function sizeRows({ title, table, judge }) {
  if (!process.env.BENCH_SIZES) return;
  const folder = mkdtempSync(join(tmpdir(), "lastword-sizes-"));
  const weigh = (file, level) => {
    const out = join(folder, "out.wasm");
    execFileSync("wasm-opt", [level, "--low-memory-unused", "--strip-debug", "--strip-producers", "--strip-target-features", ...FEATURES, file, "-o", out]);
    const bytes = readFileSync(out);
    return [bytes.length, gzipSync(bytes, { level: 9 }).length];
  };
  const lines = Object.entries(JSON.parse(process.env.BENCH_SIZES)).map(([profile, files]) => {
    const [without, rules, whole] = files.map((file) => weigh(file, profile === "npm" ? "-O3" : "-Oz"));
    const name = profile === "npm" ? "quick (the npm package)" : "small (the Worker)";
    return [name, rules[0] - without[0], rules[1] - without[1], whole[0] - without[0], whole[1] - without[1]];
  });
  rmSync(folder, { recursive: true });
  title("Bytes that the filter adds to a module: its engine and default rules; all that settings can ask of it");
  table([["", "engine, raw", "gzip", "all, raw", "gzip"], ...lines]);
  const [[, raw, gzip]] = lines;
  judge("size: engine and rules, raw, small", raw, "≤ 30000", raw <= 30_000);
  judge("size: engine and rules, gzip, small", gzip, "≤ 15000", gzip <= 15_000);
}
