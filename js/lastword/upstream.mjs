// What a run reads: a response, a stream or an iterable, of bytes, texts or a framework's objects.

import { adapter } from "./adapters/index.mjs";
import { LastwordError } from "./errors.mjs";

const encoder = new TextEncoder();

/** The formats that come as bytes, and how each is asked for. */
export const FORMATS = ["auto", "chat-completions", "responses", "anthropic", "gemini", "workers-ai", "ollama", "ag-ui", "signals"];

/** The format in which the core reads what comes from there. */
export const formatOf = (from) => (FORMATS.includes(from) ? from : "signals");

/** An upstream that is there already: it can be opened once. */
export function once(upstream, from) {
  let left = { upstream };
  return {
    open(_, signal) {
      if (!left) throw new LastwordError("upstream_unreachable", "The stream was read already.");
      const { upstream } = left;
      left = undefined;
      return open(upstream, from, signal);
    },
    /** Lets go of an upstream that nobody has opened. */
    async cancel() {
      const unread = left;
      left = undefined;
      if (unread) (await sourceOf(await unread.upstream)).cancel();
    },
  };
}

/** An upstream that is called: `call(request, { signal, run, call })` gives what `respond` takes. */
export function called(call, from) {
  return {
    async open(body, signal, nth, run) {
      const request = JSON.parse(new TextDecoder().decode(body));
      return open(await call(request, { signal, run, call: nth }), from, signal);
    },
  };
}

/** A stream as the core reads it, or the status with which the upstream has refused. */
async function open(upstream, from, signal) {
  const given = await upstream;
  if (typeof given?.status === "number" && "body" in given && !given.ok) {
    given.body?.cancel?.().catch(() => {});
    return given.status;
  }
  const source = sourceOf(given);
  const read = reading(source, from);
  signal?.addEventListener("abort", source.cancel, { once: true });
  return {
    next: read,
    cancel() {
      signal?.removeEventListener("abort", source.cancel);
      source.cancel();
    },
  };
}

/** Where pieces come from: `next()` as an iterator has it, and a way to let go. */
function sourceOf(given) {
  const stream = given instanceof Response || (given && "body" in given && typeof given.status === "number") ? given.body : given;
  if (stream === null) return { next: async () => ({ done: true }), cancel() {} };
  if (typeof stream?.getReader === "function") {
    const reader = stream.getReader();
    return { next: () => reader.read(), cancel: () => void reader.cancel().catch(() => {}) };
  }
  if (typeof stream === "string" || ArrayBuffer.isView(stream) || stream instanceof ArrayBuffer) return sourceOf([stream]);
  const iterator = stream?.[Symbol.asyncIterator]?.() ?? stream?.[Symbol.iterator]?.();
  if (!iterator) throw new LastwordError("invalid_upstream", "An upstream is a Response, a ReadableStream or an iterable.");
  return {
    next: async () => iterator.next(),
    cancel() {
      // An iterator that is at work ends when it comes to it.
      Promise.resolve(iterator.return?.()).catch(() => {});
    },
  };
}

/** Reads the pieces as bytes: what is no bytes and no text is a framework's, and goes through its adapter. */
function reading(source, from) {
  let objects;
  let over = false;
  return async () => {
    for (;;) {
      if (over) return undefined;
      let piece;
      try {
        piece = await source.next();
      } catch (error) {
        if (!objects) throw error;
        piece = { done: true, error };
      }
      if (piece.done) {
        over = true;
        const rest = objects?.end(piece.error);
        if (rest?.length > 0) return rest;
        return undefined;
      }
      const { value } = piece;
      if (value instanceof Uint8Array) {
        if (value.length > 0) return value;
      } else if (typeof value === "string") {
        if (value) return encoder.encode(value);
      } else if (ArrayBuffer.isView(value)) {
        return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      } else if (value instanceof ArrayBuffer) {
        return new Uint8Array(value);
      } else {
        objects ??= adapter(from, value);
        const bytes = objects.read(value);
        if (bytes.length > 0) return bytes;
      }
    }
  };
}
