// Every recording × {as recorded, failed, cancelled} × {joined at every event, joined after the end} × both official
// clients × {nothing public, everything}. The streams are those of the real reader over a store, printed by a Rust
// program; what the live Worker sends is in live-matrix.test.mjs.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { run } from "../../js/scripts/lib/run.mjs";
import { cannedAgent, readAll, readPart } from "./lib/canned.mjs";
import { VERSIONS } from "./lib/oracle.mjs";
import { recordings } from "./lib/recordings.mjs";

const ENDS = ["Recorded", "Failed", "Cancelled"];

/** The versions that read a run which a client began that has declared 1.0, or nothing. */
const readers = ({ declared, public: all }) => (declared ? ["1.0.0"] : all ? ["0.0.59"] : VERSIONS);

let cells;
let joins = 0;

before(async () => {
  const text = await run("cargo", ["run", "--quiet", "--example", "agui_matrix"], { log: "agui-matrix" });
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  cells = Map.groupBy(lines.map((line) => JSON.parse(line)), ({ recording }) => recording);
});

describe("in the end everybody has what the starter has", () => {
  for (const { name } of recordings) {
    for (const end of ENDS) test(`${name}, ${end.toLowerCase()}`, () => checkAll(name, end));
  }
});

test("the matrix has a cell for everything", () => {
  assert.deepEqual(new Set(cells.keys()), new Set(recordings.map(({ name }) => name)));
  for (const all of cells.values()) assert.equal(all.length, ENDS.length * 4);
  assert.ok(joins > 1_000, `${joins} joins`);
});

/** Under some terms a run says the same bytes as under others: those are read once. */
async function checkAll(name, end) {
  const read = new Set();
  for (const cell of cells.get(name).filter((one) => one.end === end)) {
    for (const version of readers(cell)) {
      const streams = JSON.stringify([version, cell.declared, cell.live, cell.joins, cell.late]);
      if (!read.has(streams)) await check(cell, version);
      read.add(streams);
    }
  }
}

async function check({ input, live, joins: cuts, late, ...terms }, version) {
  const { runId } = input;
  const before = live.at(-1).seq - 1;
  const until = (seq) => live.filter((frame) => frame.seq <= seq).map(({ raw }) => raw).join("");
  const agent = () => cannedAgent(version, input);
  const starter = agent();
  const whole = ending(starter, await readAll(starter, runId, until(Infinity)));
  assertEnd(terms, version, whole.terminal);
  for (const { cut, raw } of [...cuts, { cut: before, raw: late }]) {
    const held = [agent(), await readPart(agent(), runId, until(cut)), await readPart(agent(), runId, until(cut / 2))];
    for (const client of held) {
      assert.deepEqual(ending(client, await readAll(client, runId, raw)), whole, `${JSON.stringify(terms)}, cut ${cut}`);
      joins += 1;
    }
  }
}

/** What a client has at the end. The time of the terminal is the event's own. */
const ending = ({ state }, { transcript, events, terminal }) => {
  const withdrawn = events.find(({ name }) => name === "lastword.withdrawn")?.value;
  return { state: structuredClone(state), transcript, withdrawn, terminal };
};

/** A client is told the end in its own words. */
function assertEnd({ end, declared }, version, terminal) {
  const outcome = terminal.outcome?.type ?? terminal.code;
  if (end === "Failed") assert.ok(terminal.type === "RUN_ERROR" && terminal.code, JSON.stringify(terminal));
  if (end === "Cancelled") assert.equal(outcome, "cancelled");
  if (end === "Cancelled") assert.equal(terminal.type, declared ? "RUN_FINISHED" : "RUN_ERROR", version);
}
