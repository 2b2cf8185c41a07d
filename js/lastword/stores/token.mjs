// Versions that no save before has had.

/** So many characters has each. */
export const TOKEN = 25;

/** A token of 96 random bits. No JSON, so that no client takes it for a number. */
export function token() {
  let text = "v";
  for (const byte of crypto.getRandomValues(new Uint8Array(12))) text += byte.toString(16).padStart(2, "0");
  return text;
}
