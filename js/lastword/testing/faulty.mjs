// A store that fails on purpose.

import { NotWritten } from "../errors.mjs";

const FAULTS = ["unavailable", "uncertain-before", "uncertain-after", "conflict"];

/**
 * The store, with faults. `plan` has the faults by the number of the operation, the first being 0, or is a function
 * that is asked for each: `({ at, operation, keys }) → fault`. What has been done is in `operations`.
 */
export function faulty(store, plan) {
  const operations = [];

  function fault(operation, keys) {
    const at = operations.length;
    const name = typeof plan === "function" ? plan({ at, operation, keys }) : plan[at];
    if (name !== undefined && !FAULTS.includes(name)) throw new TypeError(`There is no fault ${name}.`);
    operations.push({ operation, keys, fault: name });
    return name;
  }

  async function changing(operation, keys, work) {
    const name = fault(operation, keys);
    if (name === "unavailable") throw new NotWritten("Unavailable on purpose.");
    if (name === "uncertain-before") throw lost();
    const result = name === "conflict" && operation === "save" ? null : await work();
    if (name === "uncertain-after") throw lost();
    return result;
  }

  async function reading(operation, keys, work) {
    if (fault(operation, keys) !== undefined) throw new Error("It can't be read, on purpose.");
    return work();
  }

  return {
    traits: store.traits,
    operations,
    load: (key) => reading("load", [key], () => store.load(key)),
    list: (prefix, after, limit) => reading("list", [prefix], () => store.list(prefix, after, limit)),
    delete: (keys) => changing("delete", keys, () => store.delete(keys)),
    save(parts, head) {
      const keys = [...parts, ...(head ? [head] : [])].map(({ key }) => key);
      return changing("save", keys, () => store.save(parts, head));
    },
  };
}

const lost = () => new Error("The answer is lost, on purpose.");
