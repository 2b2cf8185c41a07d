// A store's calls as text, for a store that lives elsewhere: in another process or behind a server.

import { NotWritten } from "../../../js/lastword/errors.mjs";

/** JSON in which bytes are `{ bytes }`. */
export const pack = (value) => JSON.stringify(value, (_, inner) => (inner instanceof Uint8Array ? { bytes: toBase64(inner) } : inner));

export const unpack = (text) => JSON.parse(text, (_, inner) => (typeof inner?.bytes === "string" ? fromBase64(inner.bytes) : inner));

function toBase64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Makes a call on a store: what came of it, as text. */
export async function perform(store, call) {
  const { method, args } = unpack(call);
  if (method === "list") args[1] ??= undefined;
  try {
    return pack({ result: await store[method](...args) });
  } catch (error) {
    return pack({ error: { message: String(error?.message), isNotWritten: error instanceof NotWritten } });
  }
}

/** A store that makes each call by `send(text) → text`. */
export function remote(send, traits) {
  const call = (method) => async (...args) => {
    const { result, error } = unpack(await send(pack({ method, args })));
    if (error) throw error.isNotWritten ? new NotWritten(error.message) : new Error(error.message);
    return result;
  };
  return { traits, load: call("load"), save: call("save"), list: call("list"), delete: call("delete") };
}
