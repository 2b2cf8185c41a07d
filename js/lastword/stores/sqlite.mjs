// A SQLite database of Node's own, or of a package with the same calls.

import { NotWritten } from "../errors.mjs";
import { CREATE, DELETE, listing, LOAD, PUT, VERSION } from "./sql.mjs";
import { token } from "./token.mjs";
import { invalid } from "./traits.mjs";

/** How long another process is waited for that writes, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Keeps values in a database: a file's path, or a `DatabaseSync` or what is called alike, as `better-sqlite3`'s.
 *
 * @type {typeof import("./sqlite.js").sqlite}
 */
export function sqlite(database) {
  const ours = typeof database === "string" ? open(database) : undefined;
  const db = ours ?? /** @type {import("./sqlite.js").SqliteDatabase} */ (database);
  if (typeof db?.prepare !== "function" || typeof db.exec !== "function") throw invalid("This is no database.");
  const statements = new Map();
  let isMade = false;

  const statement = (query) => statements.get(query) ?? statements.set(query, db.prepare(query)).get(query);
  const holds = ({ key, expect }) => expect === undefined || (statement(VERSION).get(key)?.version ?? null) === expect;

  /** The connection is as it must be, and the table is there. Both may have to wait for others. */
  async function ready() {
    if (isMade) return;
    await patiently(() => {
      if (ours) db.exec("PRAGMA journal_mode = WAL");
      // Nothing counts as saved before it is on disk.
      db.exec("PRAGMA synchronous = FULL");
      db.exec(CREATE);
    });
    isMade = true;
  }

  /** Does `work` in one transaction, unless it gives false. What fails before its end has surely written nothing. */
  async function transaction(work) {
    let isEnding = false;
    try {
      await ready();
      return await patiently(() => {
        isEnding = false;
        db.exec("BEGIN IMMEDIATE");
        try {
          const isDone = work() !== false;
          isEnding = isDone;
          db.exec(isDone ? "COMMIT" : "ROLLBACK");
          return isDone;
        } catch (error) {
          rollBack(db);
          throw error;
        }
      });
    } catch (error) {
      throw isEnding ? error : new NotWritten("The database has written nothing.", { cause: error });
    }
  }

  return {
    traits: { claim: "atomic", outcome: "atomic", owner: "shared", batch: true, maxValue: 4 << 20, minInterval: 0, staleness: 0 },

    async load(key) {
      await ready();
      const row = await patiently(() => statement(LOAD).get(key));
      return row ? { value: new Uint8Array(row.value), version: row.version } : undefined;
    },

    async save(parts, head) {
      const version = token();
      const isSaved = await transaction(() => {
        if (head && !holds(head)) return false;
        for (const { key, value } of head ? [...parts, head] : parts) statement(PUT).run(key, value, version);
      });
      return !isSaved ? null : head ? version : "";
    },

    async list(...wanted) {
      await ready();
      const [query, ...bindings] = listing(...wanted);
      return patiently(() => statement(query).all(...bindings).map(({ key }) => key));
    },

    async delete(keys) {
      await transaction(() => keys.forEach((key) => statement(DELETE).run(key)));
    },

    /** Closes the database if it was given as a path. */
    close() {
      statements.clear();
      ours?.close();
    },
  };
}

function open(path) {
  const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? {};
  if (!DatabaseSync) throw invalid("This Node.js has no node:sqlite: open the database with better-sqlite3 and give that.");
  return new DatabaseSync(path);
}

function rollBack(db) {
  try {
    db.exec("ROLLBACK");
  } catch {
    // The error has ended the transaction.
  }
}

/** What `work` gives, tried again while another connection is writing. Nothing else of this process stands still meanwhile. */
async function patiently(work) {
  for (const end = performance.now() + PATIENCE; ; ) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    await new Promise((done) => setTimeout(done, 1 + Math.random() * 5));
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED, as each package says them. @param {any} error */
const isBusy = ({ errcode, code }) => [5, 6].includes(errcode & 0xff) || /^SQLITE_(BUSY|LOCKED)/.test(code);
