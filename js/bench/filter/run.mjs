// The comparison itself. Started by ../filter.mjs, under the Node of the lock file. All figures are the best of many
// rounds in which every row has its turn, so that only the ratios between them say anything.

import { core } from "../../../build/js/core.mjs";
import { OutputFilter } from "../../../build/js/node.mjs";
import { delays, hostileRows, sizeRows } from "./limits.mjs";
import { arcjet, re2, re2js } from "./peers.mjs";
import { readRules } from "./rules.mjs";
import { holdBack, lastWord, oneByOne, oracle, together } from "./rows.mjs";
import { FEW, makeText, tokens } from "./text.mjs";

const rules = readRules();
const [KIB, MIB] = [1024, 1024 * 1024];
const wrong = [];
const verdicts = [];

/** A sample takes at least so many ms: a row that is quicker is played more than once for it. */
const SAMPLE = 2;

/** Each row a few times to warm up, then in turn; the best time of each, in ms. */
function race(rows, { rounds = 25, warm = 3 } = {}) {
  const sample = (work, count) => {
    const start = performance.now();
    for (let left = count; left > 0; left--) work();
    return (performance.now() - start) / count;
  };
  const contestants = Object.entries(rows).map(([name, work]) => {
    let time = 0;
    for (let left = warm; left > 0; left--) time = sample(work, 1);
    return { name, work, count: Math.max(1, Math.ceil(SAMPLE / Math.max(time, 0.01))), best: Infinity };
  });
  for (let round = 0; round < rounds; round++) {
    for (const row of contestants) row.best = Math.min(row.best, sample(row.work, row.count));
  }
  return Object.fromEntries(contestants.map(({ name, best }) => [name, best]));
}

function same(name, actual, expected) {
  if (actual === expected) return;
  let at = 0;
  while (actual[at] === expected[at]) at++;
  const near = (text) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 40));
  wrong.push(`${name}: at ${at} ${near(actual)} instead of ${near(expected)}`);
}

function judge(what, value, target, fine) {
  verdicts.push([what, value, target, fine ? "met" : "MISSED"]);
}

const times = (value) => `${value.toFixed(2)}×`;
const atLeast = (what, ratio, target) => judge(what, times(ratio), `≥ ${target}×`, ratio >= target);

function title(text) {
  console.log(`\n${text}`);
}

function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  for (const row of rows) console.log(`  ${row.map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at]))).join("  ")}`);
}

/** Ours, in tokens or at once. */
const filter = new OutputFilter();
const bare = new OutputFilter({ invisible: false, escapes: false });
const whole = (text, by = filter) => by.push(text) + by.flush();
function inTokens(by, pieces) {
  let out = "";
  for (const piece of pieces) out += by.push(piece);
  return out + by.flush();
}

function correct() {
  const text = makeText(24 * 1024, { seed: 3 });
  const expected = oracle(rules, text);
  const found = expected.split("[REDACTED:").length - 1;
  if (found < 10) wrong.push(`the small text has only ${found} matches`);
  const pieces = tokens(text);
  const rows = {
    "ours, at once": () => whole(text),
    "ours, in tokens": () => inTokens(filter, pieces),
    "ours without stages": () => whole(text, bare),
    "one expression": () => together(rules)(text),
    "one expression without look-behind": () => together(rules, { lookBehind: false })(text),
    "one replacement after the other": () => oneByOne(rules)(text),
    "hold back 128": () => inTokens(holdBack(rules, 128)(), pieces),
    "hold back 128 without look-behind": () => inTokens(holdBack(rules, 128, { lookBehind: false })(), pieces),
    re2: () => re2(rules)(text),
    re2js: () => re2js(rules)(text),
  };
  for (const [name, work] of Object.entries(rows)) same(name, work(), expected);
  title(`Outputs against brute force: ${rules.length} rules, ${text.length} characters, ${found} matches: ${wrong.length === 0 ? "all equal" : "NOT EQUAL"}`);
}

function streaming() {
  const text = makeText(128 * KIB);
  const pieces = tokens(text);
  const expected = whole(text);
  const [hold, plain, word] = [holdBack(rules, 128), holdBack(rules, 128, { lookBehind: false }), lastWord(rules)];
  same("hold back 128, on the large text", inTokens(hold(), pieces), expected);
  const some = pieces.slice(0, 4 * KIB);
  const rows = {
    "ours (rules, invisible characters, escapes)": [pieces, () => inTokens(filter, pieces)],
    "ours (rules alone)": [pieces, () => inTokens(bare, pieces)],
    "hold back 128, one careful expression": [some, () => inTokens(hold(), some)],
    "hold back 128, without look-behind": [some, () => inTokens(plain(), some)],
    "hold back the last word (leaks what has spaces)": [pieces, () => inTokens(word(), pieces)],
  };
  const took = race(Object.fromEntries(Object.entries(rows).map(([name, [, work]]) => [name, work])));
  const each = Object.entries(rows).map(([name, [those]]) => [name, (took[name] * 1000) / those.length]);
  const [, [, ours]] = each;
  title("A text in tokens of four characters");
  table([["", "µs a token", "ours is"], ...each.map(([name, time]) => [name, time.toFixed(3), times(time / each[0][1])])]);
  atLeast("tokens: hold back 128, careful / ours", each[2][1] / each[0][1], 8);
  judge("tokens: ours, µs", each[0][1].toFixed(3), "≤ 0.6", each[0][1] <= 0.6);
  judge("tokens: ours / last word (leaky)", times(each[0][1] / each[4][1]), "≤ 2.5×", each[0][1] <= 2.5 * each[4][1]);
  return ours;
}

function atOnce() {
  const large = makeText(MIB);
  const expected = whole(large);
  const [one, many] = [together(rules), oneByOne(rules)];
  same("one expression, on the large text", one(large), expected);
  same("one replacement after the other, on the large text", many(large), expected);
  same("ours, as bytes", whole(new TextEncoder().encode(large)), expected);
  const text = large.slice(0, 256 * KIB);
  const bytes = new TextEncoder().encode(text);
  const took = race({
    "ours (rules, invisible characters, escapes)": () => whole(text),
    "ours (rules alone)": () => whole(text, bare),
    "ours, from bytes": () => whole(bytes),
    "one careful expression": () => one(text),
    "one replacement after the other": () => many(text),
  });
  const all = Object.entries(took);
  title("A whole message of 256 KiB");
  table([["", "MiB/s", "ours is"], ...all.map(([name, time]) => [name, (250 / time).toFixed(1), times(time / all[0][1])])]);
  atLeast("whole: one careful expression / ours", all[3][1] / all[0][1], 1.5);
  atLeast("whole: one replacement after the other / ours", all[4][1] / all[0][1], 6);
}

async function peers() {
  const text = makeText(256 * KIB);
  const expected = whole(text);
  const [slow, slower] = [re2(rules), re2js(rules)];
  same("re2-wasm", slow(text), expected);
  same("re2js", slower(text), expected);
  const took = {
    "ours, all rules": race({ ours: () => whole(text) }).ours,
    ...race({ "re2-wasm (which encodes the text anew for every match)": () => slow(text), re2js: () => slower(text) }, { rounds: 2, warm: 1 }),
  };
  const few = makeText(256 * KIB, { values: FEW });
  const own = new OutputFilter({ rules: { all: false, email: true, card: true, ipv4: true } });
  const left = await arcjet(few);
  const values = whole(few, own).split("[REDACTED:").length - 1;
  const theirs = left.split("<Redacted").length - 1;
  let best = Infinity;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    await arcjet(few);
    best = Math.min(best, performance.now() - start);
  }
  const fewOurs = race({ ours: () => whole(few, own) }).ours;
  title("Other engines, a message of 256 KiB");
  const rate = (time) => (250 / time).toFixed(2);
  table([
    ["", "MiB/s", "ours is"],
    ...Object.entries(took).map(([name, time]) => [name, rate(time), times(time / took["ours, all rules"])]),
    [`ours, e-mail, card and IPv4 alone (${values} found)`, rate(fewOurs), "1.00×"],
    [`@arcjet/redact, the same (${theirs} found)`, rate(best), times(best / fewOurs)],
  ]);
  atLeast("re2-wasm / ours", Object.values(took)[1] / took["ours, all rules"], 200);
  atLeast("@arcjet/redact / ours", best / fewOurs, 20);
}

correct();
streaming();
atOnce();
await peers();
delays({ title, table, judge });
hostileRows({ title, table, judge, race, rules });
sizeRows({ title, table, judge });
title("Targets");
table(verdicts);
console.log(`\nmemory of the module: ${(core().memory.buffer.byteLength / MIB).toFixed(1)} MiB`);
if (wrong.length > 0) console.error(`\nWRONG OUTPUTS\n${wrong.join("\n")}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
