// Files that are there whole and durable, or not at all.

import { mkdir, open, readFile, rename, rmdir } from "node:fs/promises";
import { dirname } from "node:path";

/** How often a folder is made again that somebody takes for empty and removes. */
const TRIES = 20;

/** True for the error that something is not there. @param {any} error */
export const isMissing = ({ code }) => code === "ENOENT" || code === "ENOTDIR";

/** Writes a new file: a line of JSON that says version and key, then the value. */
export async function writeNew(path, { key, value }, version) {
  const file = await open(path, "wx");
  try {
    await file.writeFile(`${JSON.stringify({ version, key })}\n`);
    await file.writeFile(value);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What such a file says: `{ version, key, value }`; undefined if there is none. */
export async function read(path) {
  const bytes = await readFile(path).catch((error) => (isMissing(error) ? undefined : Promise.reject(error)));
  if (!bytes) return undefined;
  const end = bytes.indexOf(10);
  return { ...JSON.parse(bytes.subarray(0, end).toString()), value: new Uint8Array(bytes.subarray(end + 1)) };
}

/** Gives what is at `from` another path, whose folders are made if they are missing. Throws if something is there that must not be replaced. */
export async function move(from, to) {
  for (let left = TRIES; ; left--) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!isMissing(error) || left === 0) throw error;
    }
    await makeFolder(dirname(to));
  }
}

/** Makes a folder and those it is in; what was made is durable. */
export async function makeFolder(path) {
  const first = await mkdir(path, { recursive: true });
  for (let made = path; first; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) return;
  }
}

/** What was put into a folder, or taken out of it, is durable. */
export async function syncFolder(path) {
  const folder = await open(path).catch((error) => (isMissing(error) ? undefined : Promise.reject(error)));
  try {
    await folder?.sync();
  } finally {
    await folder?.close();
  }
}

/** Removes a folder, and those it is in up to `root`, as far as they are empty. */
export async function removeEmpty(path, root) {
  try {
    for (; path !== root; path = dirname(path)) await rmdir(path);
  } catch {
    // One that is not empty stays.
  }
}
