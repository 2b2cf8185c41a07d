// Values as text that every client carries whole.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `t` and the text if the bytes are UTF-8, else `b` and Base64. */
export function encode(bytes) {
  try {
    return `t${decoder.decode(bytes)}`;
  } catch {
    return `b${toBase64(bytes)}`;
  }
}

/** The bytes again. */
export function decode(text) {
  return text.startsWith("b") ? fromBase64(text.slice(1)) : encoder.encode(text.slice(1));
}

/** So many bytes become arguments of one call. */
const STEP = 8192;

function toBase64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += STEP) binary += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(binary);
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
