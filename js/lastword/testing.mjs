// What a store must do, as cases to run against one: `lastword/testing`.

import { traitsOf } from "./stores/traits.mjs";
import { within } from "./testing/check.mjs";
import { contract } from "./testing/contract.mjs";
import { cuts } from "./testing/cuts.mjs";
import { lists } from "./testing/lists.mjs";
import { races } from "./testing/races.mjs";
import { Trial } from "./testing/trial.mjs";
import { values } from "./testing/values.mjs";

export { faulty } from "./testing/faulty.mjs";

/** How long a case may take, in milliseconds. */
const PATIENCE = 120_000;

const ALL = Object.entries({ contract, values, lists, races, cuts });

/** The cases that a store must pass, as `{ traits, cases: [{ name, run }], excluded: [{ name, reason }] }`. */
export async function conformance(options) {
  const traits = await seen(options);
  const cases = [];
  const excluded = [];
  for (const [group, some] of ALL) {
    for (const one of some) {
      const name = `${group}: ${one.name}`;
      const reason = one.needs.map((need) => need(traits, options)).find((reason) => reason !== undefined);
      if (reason !== undefined) excluded.push({ name, reason });
      else cases.push({ name, run: () => run(one, options, traits) });
    }
  }
  return { traits, cases, excluded };
}

/**
 * Registers the cases with a runner's `test(name, fn)`: of node:test, Deno, Bun or Vitest. Each case calls `open` for
 * a handle of its own. Says which cases are left out, and why.
 */
export async function testStore(test, open, options = {}) {
  const { cases, excluded } = await conformance({ open, ...options });
  for (const { name, run } of cases) test(name, () => run());
  for (const { name, reason } of excluded) console.log(`left out: ${name}: ${reason}`);
  return excluded;
}

/** What the store says of itself. */
async function seen({ open, close }) {
  const store = await open();
  try {
    return traitsOf(store);
  } finally {
    await close?.(store);
  }
}

async function run({ run }, options, traits) {
  const trial = new Trial(options, traits);
  const { patience = PATIENCE } = options;
  const late = () => Promise.reject(new Error(`It takes longer than ${patience} ms.`));
  try {
    await within(trial.open().then((store) => run(trial, store)), patience, late);
  } finally {
    await trial.close();
  }
}
