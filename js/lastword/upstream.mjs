// What a run reads: a response, a stream or an iterable, of bytes, texts or a framework's objects.

import { adapter, detect, encode } from "./adapters/index.mjs";
import { whenLost } from "./alive.mjs";
import { LastwordError } from "./errors.mjs";

const encoder = new TextEncoder();

/** The formats that come as bytes, and how each is asked for. */
export const FORMATS = ["auto", "chat-completions", "responses", "anthropic", "gemini", "workers-ai", "ollama", "ag-ui", "signals"];

/** Whose objects may come. `ag-ui` and `signals` may be bytes too. */
export const OBJECTS = ["ai-sdk", "openai-agents", "ag-ui", "langgraph", "signals"];

/** The format in which the core reads what comes from there. */
export function formatOf(from) {
  if (FORMATS.includes(from)) return from;
  if (OBJECTS.includes(from)) return "signals";
  throw new LastwordError("invalid_options", `from must be one of ${[...new Set([...FORMATS, ...OBJECTS])].join(", ")}.`);
}

/** An upstream that is there already: it can be opened once. */
export function once(upstream, from) {
  /** @type {{ upstream: any } | undefined} */
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
  if (isResponse(given) && !given.ok) {
    given.body?.cancel?.().catch(() => {});
    return given.status;
  }
  const source = sourceOf(given);
  const read = reading(given, source, from);
  let isLetGo = false;
  const cancel = () => {
    goesOn();
    signal?.removeEventListener("abort", cancel);
    if (!isLetGo) source.cancel();
    isLetGo = true;
  };
  const goesOn = whenLost(cancel);
  signal?.addEventListener("abort", cancel);
  return { next: read, cancel };
}

/** True of a response, of whatever realm. */
const isResponse = (given) => given instanceof Response || (typeof given?.status === "number" && "body" in given);

/** Where pieces come from: `next()` as an iterator has it, and a way to let go. */
function sourceOf(given) {
  const stream = isResponse(given) ? given.body : given;
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

/** Up to so many bytes are put together, of pieces that have come already: each way across the border costs. */
const TOGETHER = 64 * 1024;
/** How many turns of promises a piece may take that counts as having come already. */
const TURNS = 4;

/** Reads the pieces as bytes: what is no bytes and no text is somebody's objects, and is written as a stream of theirs. */
function reading(given, source, from) {
  let objects;
  let over = false;
  /** The read that is under way, or what it gave. */
  let ahead;
  /** Where pieces are put together: what was given last is copied before more is asked for. */
  let room = new Uint8Array();
  const joined = (pieces, length) => {
    if (length > room.length) room = new Uint8Array(2 * length);
    let at = 0;
    for (const piece of pieces) {
      room.set(piece, at);
      at += piece.length;
    }
    return room.subarray(0, length);
  };
  const ask = () => {
    const read = { piece: undefined };
    const came = (piece) => (read.piece = piece);
    // What is thrown ends objects as their framework has it, and breaks anything else off.
    read.came = source.next().then(came, (error) => came({ done: true, error, broken: !objects }));
    return read;
  };
  const take = ({ done, value, error, broken }) => {
    ahead = undefined;
    over = done;
    if (broken) throw error;
    return done ? objects?.end(given, error) : (bytesOf(value) ?? (objects ??= objectsOf(from, value)).take(value));
  };
  const hasCome = async () => {
    for (let turn = 0; turn < TURNS && !ahead.piece; turn++) await undefined;
    return ahead.piece !== undefined && !ahead.piece.done;
  };
  return async () => {
    const pieces = [];
    let length = 0;
    while (!over && length < TOGETHER) {
      ahead ??= ask();
      if (length === 0) await ahead.came;
      else if (!(await hasCome())) break;
      const bytes = take(ahead.piece);
      if (bytes?.length > 0) length += bytes.length, pieces.push(bytes);
    }
    return pieces.length > 1 ? joined(pieces, length) : pieces[0];
  };
}

/** A piece as bytes, if it is bytes or a text. */
function bytesOf(piece) {
  if (piece instanceof Uint8Array) return piece;
  if (typeof piece === "string") return encoder.encode(piece);
  if (ArrayBuffer.isView(piece)) return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
  return piece instanceof ArrayBuffer ? new Uint8Array(piece) : undefined;
}

/** How objects are written, by the first of them. */
function objectsOf(from, first) {
  const name = OBJECTS.includes(from) ? from : from === "auto" ? known(first) : undefined;
  return name ? adapted(adapter(name).reader()) : plainly(from, first);
}

function known(first) {
  try {
    return detect(first);
  } catch {
    return undefined;
  }
}

/** A framework's objects. One that is none of its own is no signal either, and is read as malformed. */
function adapted(reader) {
  let broken = false;
  const told = (say) => {
    if (broken) return undefined;
    try {
      return encode(say());
    } catch {
      broken = true;
      return encode([{}]);
    }
  };
  return {
    take: (object) => told(() => reader.push(object)),
    end: (given, error) => told(() => (error === undefined ? reader.end(given) : reader.fail(error))),
  };
}

/**
 * A provider's own objects, as its client gives them: they are written as they came. Of Chat Completions the client has
 * read the end mark, or has met with none and does not say so: what has ended there is told by its `finish_reason` alone.
 */
function plainly(from, first) {
  const lines = from === "ollama" || (first !== null && typeof first === "object" && "done" in first);
  return {
    take: (object) => (lines ? encoder.encode(`${JSON.stringify(object)}\n`) : encode([object])),
    end: () => undefined,
  };
}
