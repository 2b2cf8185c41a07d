// Who may replace a file now.
//
// A lock is a folder beside the file, `…@lock`, with one file in it, whose name is its holder's. It is taken by giving
// a folder with that file in it this name, which fails while there is a file in the lock. The file is the value that is
// to be saved: to give it the name of the file that it replaces saves it, and frees the lock, in one step. So a lock
// can be broken at any time: whoever removes the file in it does it before that step, which then fails, or is too late.

import { access, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isMissing, makeFolder } from "./files.mjs";

/** How long the same holder is waited for before its lock is broken, in milliseconds. */
const PATIENCE = 2000;
/** How long a lock is waited for at all. */
const LONGEST = 20_000;

/** A lock that could not be had, or was lost. */
export class Lost extends Error {}

/**
 * Takes the lock of a file with the folder `mine`, in which is one file of the name `holder`. False if meanwhile
 * `goesOn()` says that it is no longer wanted.
 */
export async function take(lock, mine, goesOn = () => true) {
  let seen;
  let since;
  for (const end = performance.now() + LONGEST; performance.now() < end; ) {
    if (await taken(lock, mine)) return true;
    if (!(await goesOn())) return false;
    const [holder] = await readdir(lock).catch(() => []);
    if (holder !== seen) [seen, since] = [holder, performance.now()];
    else if (holder && (isDead(holder) || performance.now() - since > PATIENCE)) await remove(join(lock, holder));
    await sleep(1 + Math.random() * 5);
  }
  throw new Lost("The lock could not be had.");
}

async function taken(lock, mine) {
  try {
    await rename(mine, lock);
    return true;
  } catch (error) {
    if (isMissing(error)) await makeFolder(dirname(lock));
    else if (!isTaken(error)) throw error;
    return false;
  }
}

/** True for the error that there is a file in the lock. @param {any} error */
const isTaken = ({ code }) => code === "ENOTEMPTY" || code === "EEXIST";

/** Saves what is in the lock. Throws `Lost` if it was broken: nothing is saved then. */
export async function replace(lock, holder, path) {
  try {
    await rename(join(lock, holder), path);
  } catch (error) {
    throw isMissing(error) ? new Lost("The lock was broken.") : error;
  }
}

/** True while nobody has broken the lock. */
export const isHeld = (lock, holder) => access(join(lock, holder)).then(() => true, () => false);

/** Frees a lock; what is still in it is not saved. */
export async function free(lock, holder) {
  await remove(join(lock, holder));
  await rmdir(lock).catch(() => {});
}

const remove = (path) => unlink(path).catch((error) => (isMissing(error) ? undefined : Promise.reject(error)));

/** A holder's name, and the process that it is of. A process of another machine may look dead: breaking its lock is no harm. */
export const holderOf = (token) => `${process.pid}-${token}`;

/** True for the error that there is no such process. @param {any} error */
const isGone = ({ code }) => code === "ESRCH";

function isDead(holder) {
  try {
    process.kill(Number.parseInt(holder, 10), 0);
    return false;
  } catch (error) {
    return isGone(error);
  }
}
