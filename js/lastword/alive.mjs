// What was begun in an instance of the module that is lost never settles: who waits for it is told.

import { onLost } from "./core.mjs";
import { LastwordError } from "./errors.mjs";

/** What to call when the instance is lost, each once. */
const waiting = new Set();

onLost(() => {
  const told = [...waiting];
  waiting.clear();
  for (const tell of told) tell();
});

/** Settles as `promise` does, or rejects with `instance_lost`. */
export function unlessLost(promise) {
  return new Promise((resolve, reject) => {
    const tell = () => reject(new LastwordError("instance_lost", "The WebAssembly instance was lost, and with it what was under way."));
    waiting.add(tell);
    promise.then(resolve, reject).finally(() => waiting.delete(tell));
  });
}

/** Makes something of the instance that is there, and makes it anew once that is lost. */
export function ofInstance(make) {
  let made;
  onLost(() => (made = undefined));
  return () => (made ??= make());
}
