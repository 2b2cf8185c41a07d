// The stores in Bun, by `bun test`: in memory, in a folder, and in SQLite by Bun's own package.

import { Database } from "bun:sqlite";
import { test } from "bun:test";
import { fileSystem, memory, sqlite } from "../../../js/lastword/stores/node.mjs";
import { testStore } from "../../../js/lastword/testing.mjs";

const folder = process.env.STORE_FOLDER;
const databases = new Map();
const stores = {
  memory: [() => memory()],
  "file-system": [() => fileSystem(`${folder}/files`), { clients: 3, reopen: () => fileSystem(`${folder}/files`) }],
  sqlite: [open, { clients: 20, reopen: open, close: (store) => databases.get(store).close() }],
};

function open() {
  const db = new Database(`${folder}/bun.sqlite`);
  db.exec("PRAGMA journal_mode = WAL");
  const store = sqlite(db);
  databases.set(store, db);
  return store;
}

for (const [kind, [opened, options]] of Object.entries(stores)) {
  await testStore((name, run) => test(`${kind}: ${name}`, run), opened, options);
}
