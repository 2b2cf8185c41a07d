// A filter as a stream that others are piped through.

/**
 * A `TransformStream` through the filter, which begins as new. A stream that is cancelled or aborted never gives
 * what was held back. If the filter blocks, the readable side ends and the writable side takes no more.
 */
export function through(filter, { bytes = false } = {}) {
  const encoder = bytes ? new TextEncoder() : undefined;
  const give = (text, to) => text && to.enqueue(encoder ? encoder.encode(text) : text);
  filter.abort();
  return new TransformStream({
    transform(piece, to) {
      give(filter.push(piece), to);
      if (filter.blocked) to.terminate();
    },
    flush(to) {
      give(filter.flush(), to);
    },
    cancel() {
      filter.abort();
    },
  });
}
