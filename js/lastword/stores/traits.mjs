// What a store says that it is, made whole.

import { LastwordError } from "../errors.mjs";

/** The least that a store takes as one value, in bytes: a head is never larger. */
export const LEAST_VALUE = 16_384;

/** What is taken for true of a store that does not say. */
export const WEAKEST = Object.freeze({
  claim: "best_effort",
  outcome: "best_effort",
  owner: "shared",
  batch: false,
  maxValue: LEAST_VALUE,
  minInterval: 1000,
  staleness: 60_000,
});

const isGuarantee = (value) => value === "atomic" || value === "best_effort";
const isTime = (value) => Number.isSafeInteger(value) && value >= 0;

const VALID = {
  claim: isGuarantee,
  outcome: isGuarantee,
  owner: (value) => value === "exclusive" || value === "shared",
  batch: (value) => typeof value === "boolean",
  maxValue: (value) => Number.isSafeInteger(value) && value >= LEAST_VALUE,
  minInterval: isTime,
  staleness: isTime,
};

/** All traits of a store. Throws `invalid_store` if it is none, or says what can't be. */
export function traitsOf(store) {
  for (const method of ["load", "save", "list", "delete"]) {
    if (typeof store?.[method] !== "function") throw invalid(`A store has a method ${method}.`);
  }
  const traits = { ...WEAKEST };
  for (const [name, value] of Object.entries(store.traits ?? {})) {
    if (value === undefined) continue;
    if (!Object.hasOwn(VALID, name)) throw invalid(`There is no trait ${name}.`);
    if (!VALID[name](value)) throw invalid(`The trait ${name} can't be ${JSON.stringify(value)}.`);
    traits[name] = value;
  }
  return traits;
}

/** The error for a store, or for what it is to be made from, that can't be one. */
export const invalid = (message) => new LastwordError("invalid_store", message);
