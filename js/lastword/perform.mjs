// A store's operations, as the machines ask for them and are told what came of them.

import { LastwordError, raw, withInput } from "./core.mjs";

/** How long a store may take to answer, in milliseconds. */
const LONGEST = 10_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a store has replied, as the module numbers it. */
export const [FOUND, MISSING, SAVED, CONFLICT, UNAVAILABLE, UNCERTAIN] = [0, 1, 2, 3, 4, 5];

/** The operation in the raw output: `{ op, … }`, with copies of its values. */
export function operation(length) {
  const bytes = raw(length);
  const told = new DataView(bytes.buffer).getUint32(0, true);
  const { op, key, parts, head } = JSON.parse(decoder.decode(bytes.subarray(4, 4 + told)));
  let at = 4 + told;
  const valued = ({ length, ...rest }) => /** @type {any} */ ({ ...rest, value: bytes.slice(at, (at += length)) });
  return op === "load" ? { op, key } : { op, parts: parts.map(valued), head: head && expecting(valued(head)) };
}

const expecting = ({ key, value, expect }) => ({ key, value, expect });

/**
 * Performs it. Of an exception from a save nobody knows what was written, unless it says that it was nothing; so of one
 * that does not end.
 * @param {import("./stores/store.js").Store} store
 * @param {any} operation
 * @returns {Promise<any>}
 */
export async function perform(store, operation) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(reject, LONGEST)));
  try {
    return await Promise.race([performed(store, operation), late]);
  } catch (error) {
    return { kind: operation.op === "load" || codeOf(error) === "store_unavailable" ? UNAVAILABLE : UNCERTAIN };
  } finally {
    clearTimeout(timer);
  }
}

async function performed(store, { op, key, parts, head }) {
  if (op === "load") {
    const found = await store.load(key);
    return found ? { kind: FOUND, version: String(found.version), value: new Uint8Array(found.value) } : { kind: MISSING };
  }
  const version = await store.save(parts, head);
  return version === null ? { kind: CONFLICT } : { kind: SAVED, version: String(version ?? "") };
}

/** What is stored under a key: `{ version, value }`, or nothing. */
export async function loaded(store, key) {
  const { kind, ...found } = await perform(store, { op: "load", key });
  if (kind === UNAVAILABLE) throw new LastwordError("store_unavailable", "The store is not available.");
  return kind === FOUND ? found : undefined;
}

/** What `use` gives for a reply in the input: its kind, and how long its version and its value are. */
export function withReply({ kind, version = "", value = new Uint8Array() }, use) {
  const first = encoder.encode(version);
  return withInput(joined(first, value), () => use(kind, first.length, value.length));
}

/** The code of whatever was thrown, if it has one. */
const codeOf = (error) => error?.code;

/** Bytes behind each other. */
export function joined(...pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  pieces.reduce((at, piece) => (bytes.set(piece, at), at + piece.length), 0);
  return bytes;
}

/** Resolves at that time, in milliseconds since the Unix epoch. */
export const until = (at) => new Promise((resolve) => setTimeout(resolve, Math.max(at - Date.now(), 0)));
