// A folder: a file a value. A value that is saved as a head replaces the one before under a lock of its file.

import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { NotWritten } from "../errors.mjs";
import { isMissing, makeFolder, move, read, removeEmpty, syncFolder, writeNew } from "./file-system/files.mjs";
import { free, holderOf, isHeld, Lost, replace, take } from "./file-system/lock.mjs";
import { nameOf, namesOf, pieceOf } from "./file-system/names.mjs";
import { token } from "./token.mjs";

/** How long what a process that is gone has left unfinished is kept, in milliseconds. */
const LEFTOVER = 3_600_000;
/** How often a save whose lock was broken is made again. */
const TRIES = 5;

/**
 * Keeps values in the files of a folder, which other processes may use too.
 *
 * @type {typeof import("./file-system.js").fileSystem}
 */
export function fileSystem(folder) {
  const root = resolve(folder);
  const unfinished = join(root, "@tmp");
  const pathOf = (key) => join(root, ...namesOf(key));
  const foldersOf = (keys) => [...new Set(keys.map((key) => dirname(pathOf(key))))];
  let ready;

  async function load(key) {
    const found = await read(pathOf(key));
    return found && { value: found.value, version: found.version };
  }

  const holds = async ({ key, expect }) => expect === undefined || ((await load(key))?.version ?? null) === expect;

  const prepared = () => (ready ??= prepare().catch((error) => ((ready = undefined), Promise.reject(error))));

  /** Removes what processes that are gone have left unfinished. */
  async function prepare() {
    await makeFolder(unfinished);
    for (const name of await readdir(unfinished)) {
      const path = join(unfinished, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > LEFTOVER) await rm(path, { recursive: true, force: true });
    }
  }

  /** Writes a value where nobody looks: its path there. */
  async function stage(part) {
    const path = join(unfinished, holderOf(token()));
    await writeNew(path, part, token());
    return path;
  }

  /** Replaces the head's file if its expectation holds: its version, or null. `begins` is called before it does. */
  async function swap(head, begins) {
    const path = pathOf(head.key);
    for (let left = TRIES; ; left--) {
      const version = token();
      const replaced = async (lock, holder) => {
        if (!(await holds(head))) return false;
        begins();
        await replace(lock, holder, path);
        return true;
      };
      try {
        const isSaved = await locked(path, head, version, replaced, () => holds(head));
        if (isSaved) await syncFolder(dirname(path));
        return isSaved ? version : null;
      } catch (error) {
        if (!(error instanceof Lost) || left === 0) throw error;
      }
    }
  }

  /** What `work(lock, holder)` gives with the lock of a file, in which is the value; false once it is not wanted any longer. */
  async function locked(path, value, version, work, goesOn) {
    const [lock, holder] = [`${path}lock`, holderOf(token())];
    const mine = join(unfinished, holder);
    await mkdir(mine);
    try {
      await writeNew(join(mine, holder), value, version);
      if (!(await take(lock, mine, goesOn))) return false;
      return await work(lock, holder).finally(() => free(lock, holder));
    } finally {
      await rm(mine, { recursive: true, force: true });
    }
  }

  async function remove(key) {
    const path = pathOf(key);
    const isThere = await stat(path).catch((error) => (isMissing(error) ? undefined : Promise.reject(error)));
    if (!isThere) return;
    await locked(path, { key, value: new Uint8Array() }, token(), async (lock, holder) => {
      if (await isHeld(lock, holder)) await rm(path, { force: true });
      else throw new Lost("The lock was broken.");
    });
  }

  /** All keys below a folder, whose own pieces are given. */
  async function* keysIn(path, pieces) {
    const entries = await readdir(path, { withFileTypes: true }).catch((error) => (isMissing(error) ? [] : Promise.reject(error)));
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isDirectory() && !entry.name.includes("@")) yield* keysIn(inner, [...pieces, pieceOf(entry.name)]);
      if (!entry.isFile() || !entry.name.endsWith("@")) continue;
      const all = [...pieces, pieceOf(entry.name.slice(0, -1))];
      const key = all.includes(undefined) ? (await read(inner))?.key : all.join("/");
      if (key !== undefined) yield key;
    }
  }

  return {
    traits: { claim: "atomic", outcome: "atomic", owner: "shared", batch: false, maxValue: 4 << 20, minInterval: 0, staleness: 0 },

    load,

    /** All is on disk before anything gets its name. */
    async save(parts, head) {
      let isBegun = false;
      try {
        await prepared();
        if (head && !(await holds(head))) return null;
        const staged = await Promise.all(parts.map(stage));
        for (const [at, part] of parts.entries()) {
          isBegun = true;
          await move(staged[at], pathOf(part.key));
        }
        await Promise.all(foldersOf(parts.map(({ key }) => key)).map(syncFolder));
        return head ? await swap(head, () => (isBegun = true)) : "";
      } catch (error) {
        throw isBegun ? error : new NotWritten("Nothing could be written to the folder.", { cause: error });
      }
    },

    async list(prefix, after, limit) {
      const pieces = prefix.split("/").slice(0, -1);
      const keys = [];
      for await (const key of keysIn(join(root, ...pieces.map(nameOf)), pieces)) {
        if (key.startsWith(prefix) && (after === undefined || key > after)) keys.push(key);
      }
      return keys.sort().slice(0, Math.max(limit, 0));
    },

    async delete(keys) {
      await prepared();
      for (const key of keys) await remove(key);
      for (const path of foldersOf(keys)) {
        await syncFolder(path);
        await removeEmpty(path, root);
      }
    },
  };
}
