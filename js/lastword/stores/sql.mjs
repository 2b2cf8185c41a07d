// The one table of the stores in SQLite, and what is asked of it.

/** Without a row id a row is one write, not two. */
export const CREATE =
  "CREATE TABLE IF NOT EXISTS lastword (key TEXT PRIMARY KEY, value BLOB NOT NULL, version TEXT NOT NULL) WITHOUT ROWID";
export const LOAD = "SELECT value, version FROM lastword WHERE key = ?";
export const VERSION = "SELECT version FROM lastword WHERE key = ?";
export const PUT =
  "INSERT INTO lastword VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version";
export const DELETE = "DELETE FROM lastword WHERE key = ?";

/** The query and its bindings for keys in order. No key holds a character as high as the one behind the prefix. */
export function listing(prefix, after, limit) {
  const isBehind = after !== undefined && after >= prefix;
  const query = `SELECT key FROM lastword WHERE key ${isBehind ? ">" : ">="} ? AND key < ? ORDER BY key LIMIT ?`;
  return [query, isBehind ? after : prefix, `${prefix}\u{10ffff}`, Math.max(limit, 0)];
}
