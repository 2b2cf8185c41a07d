// In which order and how far a store lists.

import { bytes, equal } from "./check.mjs";
import { of } from "./needs.mjs";

const VALUE = bytes("value");

/** In order of their bytes. */
const NAMES = ["a", "a!", "a%2F", "a-", "a-b", "a/", "a/b", "a/b/c", "a0", "aA", "a_", "aa", "a~", "b", "b/1", "b/10", "b/2", "c"];

/** Saves under these names, in no order: the keys, in order. */
async function fill(trial, store, names) {
  const keys = names.map((name) => trial.key(name));
  const shuffled = keys.map((key, at) => [(at * 7919) % keys.length, key]).sort(([left], [right]) => left - right);
  const parts = shuffled.map(([, key]) => ({ key, value: VALUE }));
  await inPieces(parts, trial.traits.batch ? 200 : 20, (some) =>
    trial.traits.batch ? store.save(some) : Promise.all(some.map((part) => store.save([part]))),
  );
  await trial.shown();
  return keys;
}

async function inPieces(items, size, work) {
  for (let at = 0; at < items.length; at += size) await work(items.slice(at, at + size));
}

export const lists = [
  of("where nothing was saved the list is empty", async (trial, store) => {
    equal(await store.list(`${trial.space}/`, undefined, 10), [], "the list");
    await fill(trial, store, ["a"]);
    equal(await store.list(trial.key("b"), undefined, 10), [], "another prefix");
  }),

  of("keys are listed in order of their bytes", async (trial, store) => {
    const keys = await fill(trial, store, NAMES);
    equal(await store.list(`${trial.space}/`, undefined, 100), keys, "the list");
  }),

  of("a prefix ends where its last character does", async (trial, store) => {
    await fill(trial, store, NAMES);
    const named = async (prefix) => (await store.list(trial.key(prefix), undefined, 100)).map((key) => key.slice(trial.space.length + 1));
    for (const prefix of ["a", "a/", "a/b", "a-", "aa", "b/1", "c", "c/"]) {
      equal(await named(prefix), NAMES.filter((name) => name.startsWith(prefix)), `the prefix ${prefix}`);
    }
  }),

  of("keys up to `after` are left out, whether it is there or not", async (trial, store) => {
    const keys = await fill(trial, store, NAMES);
    for (const after of ["", "0", "a", "a/", "a/a", "a/b/c", "a0", "b/1", "bb", "c", "d"]) {
      const expected = keys.filter((key) => key > trial.key(after));
      equal(await store.list(`${trial.space}/`, trial.key(after), 100), expected, `after ${after}`);
    }
    const within = keys.filter((key) => key.startsWith(trial.key("b/")));
    equal(await store.list(trial.key("b/"), trial.key("a"), 100), within, "after what is before the prefix");
    equal(await store.list(trial.key("a/"), trial.key("b"), 100), [], "after what is behind the prefix");
    equal(await store.list(trial.key("b/"), trial.key("b/10"), 100), [trial.key("b/2")], "after one within the prefix");
  }),

  of("at most `limit` keys are listed, the first ones", async (trial, store) => {
    const keys = await fill(trial, store, NAMES);
    for (const limit of [0, 1, 2, keys.length - 1, keys.length, keys.length + 1]) {
      equal(await store.list(`${trial.space}/`, undefined, limit), keys.slice(0, limit), `the limit ${limit}`);
    }
    equal(await store.list(`${trial.space}/`, keys[4], 3), keys.slice(5, 8), "a limit after a key");
  }),

  of("page by page each key comes once", async (trial, store) => {
    const keys = await fill(trial, store, NAMES);
    const seen = [];
    for (let page = await store.list(`${trial.space}/`, undefined, 4); page.length > 0 && seen.length <= keys.length; ) {
      seen.push(...page);
      page = await store.list(`${trial.space}/`, page.at(-1), 4);
    }
    equal(seen, keys, "all pages");
  }),

  of("more than a thousand keys are listed", async (trial, store) => {
    const names = Array.from({ length: 1100 }, (_, at) => `list/${String(at).padStart(5, "0")}`);
    const keys = await fill(trial, store, names);
    equal(await store.list(trial.key("list/"), undefined, 5000), keys, "all of them");
    equal(await store.list(trial.key("list/"), keys[1049], 1050), keys.slice(1050), "the last fifty");
    equal(await store.list(trial.key("list/"), undefined, 1050), keys.slice(0, 1050), "all but the last fifty");
  }),

  of("a key that was saved again is listed once, heads and parts alike", async (trial, store) => {
    const [part, head] = await fill(trial, store, ["a", "b"]);
    for (let times = 0; times < 3; times++) {
      await trial.pause();
      await store.save([{ key: part, value: VALUE }]);
      await trial.put(store, head, bytes(`value ${times}`), undefined);
    }
    await trial.shown();
    equal(await store.list(`${trial.space}/`, undefined, 10), [part, head], "the list");
  }),
];
