import type { Store } from "./store.js";

/**
 * Keeps values in the files of a folder, which is made if it is missing. Other processes may use it too: a save is
 * compared and set under a lock that nobody can hold for good. What is saved is on disk when the save resolves. For the
 * file systems of Linux and macOS.
 */
export function fileSystem(folder: string): Store;
