// What a case holds against a store. Uses nothing of a runtime's own.

/** Fails unless it is true. */
export function check(isTrue, message) {
  if (!isTrue) throw new Error(message);
}

/** Fails unless both are the same as JSON. */
export function equal(actual, expected, what) {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value) ?? "undefined");
  check(left === right, `${what}: ${short(left)} is not ${short(right)}`);
}

const short = (text) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** Fails unless something was found, and its value has these bytes. */
export function holds(found, bytes, what) {
  check(found !== undefined && found !== null, `${what}: there is nothing`);
  const { value, version } = found;
  check(value instanceof Uint8Array, `${what}: its value is no Uint8Array`);
  check(typeof version === "string" && version !== "", `${what}: its version is no text: ${JSON.stringify(version)}`);
  check(isSame(value, bytes), `${what}: its ${value.length} bytes are not the ${bytes.length} that were saved`);
}

/** Fails if anything was found. */
export function absent(found, what) {
  check(found === undefined, `${what}: there is something, or null in the place of undefined`);
}

/** Fails unless a save has given a version. */
export function saved(version, what) {
  check(version !== null, `${what}: the store says that the expectation does not hold`);
  check(typeof version === "string" && version !== "", `${what}: it gives no version but ${JSON.stringify(version)}`);
  return version;
}

/** True if both have the same bytes. */
export function isSame(left, right) {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

const encoder = new TextEncoder();

/** The bytes of a text. */
export const bytes = (text) => encoder.encode(text);

/** So many bytes that are no text, different for each seed. */
export function noise(length, seed = 1) {
  const value = new Uint8Array(length);
  let state = (seed * 2654435761 + 1) >>> 0;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    value[at] = state >>> 24;
  }
  return value;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** What a promise gives, or what `late()` does once it has taken so many milliseconds. */
export async function within(promise, ms, late) {
  let timer;
  const over = new Promise((done) => (timer = setTimeout(done, ms)));
  try {
    return await Promise.race([promise, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
