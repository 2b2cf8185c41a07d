// Keys as paths. A key's pieces are folders, its last one a file whose name ends in `@`. A name holds only what every
// file system takes and tells apart: lower case letters, digits, `_`, `-` and `!`; any other byte is `%` and its hex.

import { createHash } from "node:crypto";

/** The most characters of a name that stands for itself: a longer one is `~` and a hash, and the file says its key. */
const LONGEST = 180;

/** The names of a key's folders and, last, of its file. */
export function namesOf(key) {
  const names = key.split("/").map(nameOf);
  names.push(`${names.pop()}@`);
  return names;
}

/** A piece of a key as a name. No piece gives a name that is empty, or that holds an `@` or a dot. */
export function nameOf(piece) {
  if (piece === "") return "%";
  const name = Array.from(Buffer.from(piece), escaped).join("");
  return name.length <= LONGEST ? name : `~${createHash("sha256").update(piece).digest("hex")}`;
}

/** The piece that a name stands for; undefined if the name does not say. */
export function pieceOf(name) {
  if (name === "%") return "";
  return name.startsWith("~") ? undefined : decodeURIComponent(name);
}

function escaped(byte) {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_!-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
}
