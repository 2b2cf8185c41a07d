// Streams cut in every way, by a generator of numbers that gives the same ones again.

/** Whole numbers below a bound, the same for the same seed. */
export function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A text or bytes in pieces of at most that length, some of them empty. */
export function cut(whole, longest, below) {
  const pieces = [];
  for (let at = 0; at < whole.length; ) {
    const end = at + below(longest + 1);
    pieces.push(whole.slice(at, end));
    at = Math.min(end, whole.length);
  }
  return pieces;
}

/** An async generator of these pieces. */
export async function* given(pieces) {
  for (const piece of pieces) yield piece;
}
