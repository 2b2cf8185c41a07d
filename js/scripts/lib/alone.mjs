// Work that only one process at a time may do: test files that run side by side ask for the same things. Uses no package.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Runs `work` while no other process runs what has the same lock, a file. A lock whose owner has gone is nobody's. */
export async function alone(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  while (!taken(lock)) await wait(100);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isHeld(lock) {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    return owner === 0 || process.kill(owner, 0);
  } catch (error) {
    return error.code === "ENOENT" || error.code === "EPERM";
  }
}
