// What is left of a save whose process, connection or answer is lost.

import { NotWritten } from "../errors.mjs";
import { absent, bytes, check, equal, holds, isSame, noise, saved, sleep, within } from "./check.mjs";
import { fragile, of, reopen } from "./needs.mjs";

/** How long a save that was cut may stay without an end, in milliseconds. */
const PATIENCE = 5000;

export const cuts = [
  of("what was saved is there after the store was opened anew", async (trial, store) => {
    const parts = [1, 2, 3].map((at) => ({ key: trial.key(`part/${at}`), value: noise(1000, at) }));
    const head = { key: trial.key("head"), value: bytes("head"), expect: null };
    const version = saved(await trial.save(store, parts, head), "the save");
    await trial.shown();
    const after = await trial.reopen();
    for (const { key, value } of parts) holds(await after.load(key), value, key);
    const found = await after.load(head.key);
    holds(found, head.value, "the head");
    equal(found.version, version, "its version");
    await trial.pause();
    equal(await trial.put(after, head.key, bytes("other"), null), null, "a claim of the same key");
  }, reopen),

  of("a claim that is cut is there with all its parts, or is not", (trial) => cut(trial, false), fragile),
  of("a save over a version that is cut is there with all its parts, or is not", (trial) => cut(trial, true), fragile),
];

/** Cuts saves at one moment after the other, and looks at what each has left. */
async function cut(trial, isOver) {
  for (let attempt = 0; attempt < trial.cuts; attempt++) {
    const { store, lose } = await trial.fragile(attempt);
    const first = values(trial, `${attempt}/first`);
    const long = await duration(() => trial.save(store, first.parts, first.head));
    const { parts, head } = values(trial, attempt);
    const before = isOver ? saved(await trial.put(store, head.key, bytes("before"), null), "the claim") : null;
    await trial.shown();
    const saving = trial.save(store, parts, { ...head, expect: before });
    const outcome = saving.then((version) => ({ version }), (error) => ({ error }));
    if (attempt > 0) await sleep((long * 1.5 * attempt) / trial.cuts);
    await lose();
    const end = await within(outcome, PATIENCE, () => ({}));
    await look(trial, before, parts, head, end).catch((error) => {
      throw new Error(`cut ${attempt}, which has ended with ${describe(end)}: ${error.message}`);
    });
  }
}

async function duration(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const describe = ({ version, error }) => (error ? String(error) : version === undefined ? "no answer" : `the version ${version}`);

function values(trial, name) {
  const parts = [0, 1, 2, 3, 4, 5].map((at) => ({ key: trial.key(`${name}/part/${at}`), value: noise(8000, at) }));
  return { parts, head: { key: trial.key(`${name}/head`), value: noise(2000), expect: null } };
}

/** Reads the parts, the head, and the parts again: what has come between is seen by one of them. */
async function look(trial, before, parts, head, { version, error }) {
  const store = await trial.open();
  await trial.shown();
  const load = () => Promise.all(parts.map(({ key }) => store.load(key)));
  const first = await load();
  const found = await store.load(head.key);
  const second = await load();
  const isNew = found !== undefined && isSame(found.value, head.value);
  if (isNew) {
    parts.forEach(({ value }, at) => holds(second[at], value, `part ${at} of the head that is there`));
  } else {
    if (before) equal(found?.version, before, "the version of what was there before");
    else absent(found, "the head");
    if (trial.traits.batch) first.forEach((part, at) => absent(part, `part ${at} of a head that is not there`));
  }
  check(version !== null, "it says that the expectation does not hold, though nobody else has written");
  if (version) check(isNew, "it says that the head is saved, and it is not there");
  if (version) equal(found.version, version, "the head's version");
  if (error instanceof NotWritten) check(!isNew, "it says that nothing was written, and the head is there");
  await goesOn(trial, store, head);
}

/** Whatever was cut, the next save is made: the head as it stands is read, and saved over. */
async function goesOn(trial, store, head) {
  for (let tries = 0; tries < 3; tries++) {
    await trial.pause();
    const found = await store.load(head.key);
    const version = await trial.put(store, head.key, bytes("after"), found?.version ?? null);
    await trial.shown();
    if (version !== null) return holds(await store.load(head.key), bytes("after"), "the head that is saved next");
  }
  throw new Error("nothing can be saved over it");
}
