// The stores that need Node: a folder's files, and a SQLite database. In one process, in several, and in some that are killed.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { fileSystem, NotWritten, sqlite } from "../../js/lastword/stores/node.mjs";
import { conformance, testStore } from "../../js/lastword/testing.mjs";
import { storeProcess, storeProcesses } from "./lib/remote-store.mjs";
import { removeFolder, stateFolder } from "./lib/worker.mjs";

const folder = await stateFolder();
after(() => removeFolder(folder));

const bytes = (text) => new TextEncoder().encode(text);
const head = (key, value = "head", expect = null) => ({ key, value: bytes(value), expect });
const names = (excluded) => excluded.map(({ name }) => name);

/** Where each kind is, and how it is opened. */
const KINDS = {
  "file-system": { place: join(folder, "files", "store"), open: (place) => fileSystem(place), close() {}, clients: 5 },
  sqlite: { place: join(folder, "store.sqlite"), open: (place) => sqlite(place), close: (store) => store.close(), clients: 50 },
};

const OF_BATCH = [
  "contract: parts and head are saved in one call",
  "contract: a conflict writes nothing, no part either",
  "contract: a conflict of a save with 200 parts writes nothing",
  "races: of 50 claims with parts those that lose leave none",
];

/** A handle in a process that is killed while it saves. */
const fragile = async (kind) => {
  const { store, kill } = await storeProcess(kind, KINDS[kind].place);
  return { store, lose: kill };
};

for (const [kind, { place, open, close, clients }] of Object.entries(KINDS)) {
  describe(kind, async () => {
    const opened = () => open(place);
    const excluded = await testStore(test, opened, { close, clients, reopen: opened, fragile: () => fragile(kind) });
    test("no other case is left out", () => assert.deepEqual(names(excluded), kind === "sqlite" ? [] : OF_BATCH));
  });

  test(`${kind}: two processes race`, async (t) => {
    const { open: next, stop } = await storeProcesses(2, kind, place);
    t.after(stop);
    const { cases } = await conformance({ open: next, clients: 2 });
    const races = cases.filter(({ name }) => name.startsWith("races"));
    assert.equal(races.length, kind === "sqlite" ? 7 : 6);
    for (const { name, run } of races) await run().catch((error) => assert.fail(`${name}: ${error.message}`));
  });
}

describe("the folder", () => {
  const store = fileSystem(join(folder, "particular"));
  const at = (...path) => join(folder, "particular", ...path);

  test("has a file a value, whose first line says version and key", async () => {
    const key = "1/Acme/t%201/r.1/head";
    const version = await store.save([], head(key));
    const file = await readFile(at("1", "%41cme", "t%25201", "r%2e1", "head@"), "utf8");
    assert.equal(file, `${JSON.stringify({ version, key })}\nhead`);
    assert.deepEqual(await readdir(at("1", "%41cme", "t%25201", "r%2e1")), ["head@"], "no lock is left");
    assert.deepEqual(await readdir(at("@tmp")), [], "nothing unfinished is left");
  });

  test("keeps no empty folder of what was deleted", async () => {
    await store.save([{ key: "2/a/b/c", value: bytes("c") }], head("2/a/head"));
    await store.delete(["2/a/b/c", "2/a/head", "2/nothing"]);
    assert.deepEqual((await readdir(at())).includes("2"), false);
  });

  test("of a process that was killed in the lock, the lock is broken", async () => {
    await store.save([], head("3/head", "first"));
    const dead = `${2 ** 22 + 1}-of-nobody`;
    await mkdir(at("3", "head@lock"));
    await writeFile(at("3", "head@lock", dead), "half");
    const found = await store.load("3/head");
    const version = await store.save([], head("3/head", "second", found.version));
    assert.deepEqual(await store.load("3/head"), { value: bytes("second"), version });
    assert.deepEqual(await readdir(at("3")), ["head@"]);
  });

  test("a process that stood still in the lock until it was broken saves nothing over what came since", async (t) => {
    const other = await storeProcess("file-system", at());
    t.after(other.kill);
    // At one moment after the other: some are within the lock, and it is broken once it was waited for.
    for (let round = 0; round < 24; round++) {
      const key = `4/${round}/head`;
      const before = await store.save([], head(key, "before"));
      const late = other.store.save([], head(key, "late", before)).catch((error) => error);
      await new Promise((done) => setTimeout(done, round / 6));
      other.suspend();
      const mine = await store.save([], head(key, "mine", before));
      other.resume();
      const theirs = await late;
      const { value } = await store.load(key);
      assert.equal([mine, theirs].filter((version) => typeof version === "string").length, 1, `round ${round}: ${mine}, ${theirs}`);
      assert.deepEqual(value, bytes(mine === null ? "late" : "mine"));
    }
  });

  test("says that nothing was written where it can't write", async () => {
    await writeFile(at("file"), "");
    await assert.rejects(fileSystem(at("file")).save([], head("5/head")), NotWritten);
    await assert.rejects(fileSystem(at("file", "below")).save([{ key: "5/part", value: bytes("part") }]), NotWritten);
  });

  test("removes what was left unfinished long ago, and nothing younger", async () => {
    for (const name of ["1-old", "1-young"]) await writeFile(at("@tmp", name), "half");
    await utimes(at("@tmp", "1-old"), 0, 0);
    await fileSystem(at()).save([{ key: "6", value: bytes("6") }]);
    assert.deepEqual(await readdir(at("@tmp")), ["1-young"]);
  });
});

describe("the database", () => {
  test("is in WAL mode, and is synced at each commit", async () => {
    const path = join(folder, "mode.sqlite");
    const store = sqlite(path);
    await store.save([], head("a"));
    const db = new DatabaseSync(path);
    assert.equal(db.prepare("PRAGMA journal_mode").get().journal_mode, "wal");
    db.close();
    store.close();
    assert.ok((await stat(path)).size > 0);
  });

  test("can be one that is open already, and stays open", async () => {
    const db = new DatabaseSync(":memory:");
    const { cases } = await conformance({ open: () => sqlite(db), close: (store) => store.close() });
    for (const { name, run } of cases) await run().catch((error) => assert.fail(`${name}: ${error.message}`));
    assert.equal(db.prepare("PRAGMA synchronous").get().synchronous, 2);
    db.close();
  });

  test("says that nothing was written in the middle of a transaction that is not its own", async () => {
    const db = new DatabaseSync(":memory:");
    const store = sqlite(db);
    await store.save([], head("a"));
    db.exec("BEGIN");
    await assert.rejects(store.save([], head("b")), NotWritten);
    db.exec("COMMIT");
    await store.save([], head("b"));
    db.exec("ALTER TABLE lastword RENAME TO gone");
    await assert.rejects(store.save([], head("c")), NotWritten);
  });

  test("that is none is refused", () => {
    for (const none of [undefined, {}, 5, { exec() {} }]) assert.throws(() => sqlite(none), { code: "invalid_store" });
  });
});
