import type { Store } from "./store.js";

/** What is used of a `DatabaseSync` of `node:sqlite`, or of a `Database` of `better-sqlite3` or `bun:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { get(...bindings: any[]): any; all(...bindings: any[]): any[]; run(...bindings: any[]): unknown };
}

/**
 * Keeps values in the table `lastword` of a SQLite database, each save in one transaction that is on disk when the
 * save resolves. A path opens the file with `node:sqlite`, in WAL mode; other processes may use it too.
 *
 * @throws {LastwordError} `invalid_store` if it is no database, or this runtime has no `node:sqlite`.
 */
export function sqlite(database: string | SqliteDatabase): Store & {
  /** Closes the database if it was given as a path. */
  close(): void;
};
