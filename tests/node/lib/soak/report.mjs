// What is said of a soak, and what must hold.

import assert from "node:assert/strict";

/** What must not have happened, and how it is called. */
const FAULTS = {
  executedAgain: "second executions",
  toolsAgain: "tools begun twice in a run",
  lost: "events lost",
  repeated: "events repeated",
  reordered: "events reordered",
  altered: "events that are not as the record has them",
  absent: "answers seen that the record does not hold",
  unequalTranscripts: "transcripts of the official client unlike those of one that comes now",
  falseEnds: "streams that ended as if all had been said",
  open: "runs still open after the lease",
  refusals: "requests refused that should not be",
};

/** The counts, line by line. */
export function told(audit) {
  const { runs, kills, underWay, readers, connections, events, modelCalls, tools, onDisk, ends } = audit;
  const list = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
  return [
    `${runs} runs (${list.join(", ")}), ${onDisk} heads on disk, ${modelCalls} model calls, ${tools} tools`,
    `${kills} kills of two Workers, with ${underWay.join(", ")} runs under way`,
    `${readers} readers over ${connections} connections, ${events} events compared`,
    Object.entries(FAULTS).map(([key, name]) => `${audit[key]} ${name}`).join("; "),
  ];
}

/** Every promise holds. */
export function assertHolds(audit) {
  const broken = Object.entries(FAULTS).filter(([key]) => audit[key] !== 0).map(([key, name]) => `${audit[key]} ${name}`);
  assert.deepEqual(broken, [], audit.notes.join("\n"));
  assert.equal(audit.onDisk, audit.runs, "every run that was begun is on disk");
}
