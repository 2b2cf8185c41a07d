// What the Worker has stored, changed behind its back. It must not be running.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The databases of a state folder that hold a key like this one. */
function* holding(folder, key) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".sqlite"));
  for (const file of files) {
    const database = new DatabaseSync(join(folder, file));
    try {
      const tables = database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'kv'").get();
      if (tables.n && database.prepare("SELECT key FROM kv WHERE key LIKE ?").get(key)) yield database;
    } finally {
      database.close();
    }
  }
}

/** Changes the values under the keys that are like this one; `change` takes and gives text. */
export function rewrite(folder, key, change) {
  let changed = 0;
  for (const database of holding(folder, key)) {
    for (const row of database.prepare("SELECT key, value FROM kv WHERE key LIKE ?").all(key)) {
      const value = Buffer.from(change(Buffer.from(row.value).toString()));
      changed += database.prepare("UPDATE kv SET value = ? WHERE key = ?").run(value, row.key).changes;
    }
  }
  assert.ok(changed > 0, `nothing is stored under ${key}`);
}

/** Lets every query on the objects that hold such a key fail. */
export function breakTables(folder, key) {
  let broken = 0;
  for (const database of holding(folder, key)) {
    database.exec("ALTER TABLE kv RENAME COLUMN value TO gone");
    broken += 1;
  }
  assert.ok(broken > 0, `nothing is stored under ${key}`);
}

/** The values under the keys that are like this one, as `[key, text]`. */
export function stored(folder, key) {
  const values = [];
  for (const database of holding(folder, key)) {
    const rows = database.prepare("SELECT key, value FROM kv WHERE key LIKE ? ORDER BY key").all(key);
    values.push(...rows.map((row) => [row.key, Buffer.from(row.value).toString()]));
  }
  assert.ok(values.length > 0, `nothing is stored under ${key}`);
  return values;
}

/** How many threads have stored anything. */
export function threadsOn(folder) {
  let threads = 0;
  for (const _ of holding(folder, "!owner")) threads += 1;
  return threads;
}

/** The keys that the objects of a class hold, in all; `ThreadObject` or `IndexObject`. It may be running. */
export function keysOf(folder, kind) {
  return tables(folder, kind, "kv", "key").map(({ key }) => key);
}

/** When the alarms of the objects of a class are set for, as text. It may be running. */
export function alarmsOf(folder, kind) {
  return tables(folder, kind, "_cf_ALARM", "CAST(scheduled_time AS TEXT) AS at").map(({ at }) => at);
}

function tables(folder, kind, table, columns) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.includes(kind) && name.endsWith(".sqlite"));
  return files.flatMap((file) => {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      const { n } = database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = ?").get(table);
      return n ? database.prepare(`SELECT ${columns} FROM ${table}`).all() : [];
    } finally {
      database.close();
    }
  });
}
