// Why a case is left out for a store. Each says it in words, or nothing.

export const atomicClaim = ({ claim }) => (claim === "atomic" ? undefined : "claim is best_effort: more than one may win");
export const atomicOutcome = ({ outcome }) => (outcome === "atomic" ? undefined : "outcome is best_effort: another writer may come between");
export const batch = (traits) => (traits.batch ? undefined : "batch is false: values are saved one by one");
export const fresh = ({ staleness }) => (staleness === 0 ? undefined : `staleness is ${staleness}: what is read may be old`);
export const clients = (_, { clients = 1 }) => (clients > 1 ? undefined : "clients is 1: there is one handle alone");
export const reopen = (_, { reopen }) => (reopen ? undefined : "there is no reopen: nothing is known of what survives");
export const fragile = (_, { fragile }) => (fragile ? undefined : "there is no fragile: no save can be cut");

/** A case: its name, what it does with a trial and its first handle, and what it needs. */
export const of = (name, run, ...needs) => ({ name, run, needs });
