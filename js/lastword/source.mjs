// What is read piece by piece, whatever it is.

import { LastwordError } from "./errors.mjs";

/** An iterator over a `Response`, a `ReadableStream`, or any iterable. */
export function iteratorOf(source) {
  const from = typeof Response === "function" && source instanceof Response ? (source.body ?? []) : source;
  if (typeof from?.getReader === "function") return ofReader(from.getReader());
  const iterator = from?.[Symbol.asyncIterator]?.() ?? (typeof from === "string" ? undefined : from?.[Symbol.iterator]?.());
  if (!iterator) throw new LastwordError("invalid_input", "What is read is a Response, a ReadableStream, or an iterable.");
  return iterator;
}

/** The same, to loop over. A loop that is left lets go of the source. */
export const chunksOf = (source) => ({ [Symbol.asyncIterator]: () => iteratorOf(source) });

function ofReader(reader) {
  return {
    next: () => reader.read(),
    async return(value) {
      await reader.cancel(value).catch(() => {});
      reader.releaseLock();
      return { done: true, value };
    },
  };
}
