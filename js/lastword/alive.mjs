// What was begun in an instance of the module that is lost never settles: who waits for it is told.

import { core, lost, onLost } from "./core.mjs";
import { LastwordError } from "./errors.mjs";

/** What to call when the instance is lost, each once. */
const waiting = new Set();

onLost(() => {
  const told = [...waiting];
  waiting.clear();
  for (const tell of told) tell();
});

/** Has `tell` called once the instance is lost, unless what it gives is called before. */
export function whenLost(tell) {
  waiting.add(tell);
  return () => void waiting.delete(tell);
}

/** Settles as the promise that `begin` gives, or rejects with `instance_lost`. */
export function unlessLost(begin) {
  return new Promise((resolve, reject) => {
    const exports = core();
    const tell = () => reject(new LastwordError("instance_lost", "The WebAssembly instance was lost, and with it what was under way."));
    const goesOn = whenLost(tell);
    const fail = (cause) => reject(lost(cause, exports));
    try {
      begin().then(resolve, fail).finally(goesOn);
    } catch (cause) {
      goesOn();
      fail(cause);
    }
  });
}

/** Makes something of the instance that is there, and makes it anew once that is lost. */
export function ofInstance(make) {
  let made;
  onLost(() => (made = undefined));
  return () => (made ??= make());
}
