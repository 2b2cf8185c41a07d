// How long values stay in a store that lets them expire.

import { invalid } from "./traits.mjs";

/**
 * The seconds that a value is kept after its last save, by its key; undefined is for ever. A run's head is kept for
 * `ttl`, all else for as much longer as a run may take, so that nothing that a head names is gone before it.
 *
 * @param {import("./workers-kv.js").Lifetime} options
 */
export function lifetime({ ttl, longestRun = 3600 }, least = 1) {
  if (ttl === undefined) return () => undefined;
  if (!Number.isSafeInteger(ttl) || ttl < least) throw invalid(`A ttl is a whole number of seconds, ${least} at least.`);
  if (!Number.isSafeInteger(longestRun) || longestRun < 0) throw invalid("longestRun is a whole number of seconds.");
  return (key) => (isHead(key) ? ttl : ttl + longestRun);
}

/** True for the key of a run's head: `1/{scope}/{thread}/{run}/head`. */
const isHead = (key) => key.endsWith("/head") && key.split("/").length === 5;
