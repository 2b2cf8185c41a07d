// What each save, load and delete must do.

import { absent, bytes, check, equal, holds, noise, saved } from "./check.mjs";
import { atomicOutcome, batch, of } from "./needs.mjs";

const [ONE, TWO, THREE] = ["one", "two", "three"].map(bytes);

export const contract = [
  of("a key under which nothing was saved is undefined", async (trial, store) => {
    absent(await store.load(trial.key("head")), "the key");
  }),

  of("a value comes back with the version that its save gave", async (trial, store) => {
    const key = trial.key("head");
    const version = saved(await trial.put(store, key, ONE, null), "the save");
    await trial.shown();
    const found = await store.load(key);
    holds(found, ONE, "the value");
    equal(found.version, version, "its version");
  }),

  of("another value has another version", async (trial, store) => {
    const key = trial.key("head");
    const versions = new Set();
    for (const value of [ONE, TWO, THREE]) {
      versions.add(saved(await trial.put(store, key, value, undefined), "the save"));
      await trial.pause();
    }
    equal(versions.size, 3, "versions");
  }),

  of("the same value saved again has another version", async (trial, store) => {
    const key = trial.key("head");
    const first = saved(await trial.put(store, key, ONE, null), "the save");
    await trial.pause();
    const second = saved(await trial.put(store, key, ONE, first), "the same again");
    check(first !== second, "both saves have one version");
  }, atomicOutcome),

  of("expecting nothing saves only where nothing is", async (trial, store) => {
    const key = trial.key("head");
    const version = saved(await trial.put(store, key, ONE, null), "the first save");
    await trial.shown();
    await trial.pause();
    equal(await trial.put(store, key, TWO, null), null, "the second save");
    await trial.shown();
    const found = await store.load(key);
    holds(found, ONE, "the value");
    equal(found.version, version, "its version");
  }),

  of("expecting a version saves only over that version", async (trial, store) => {
    const key = trial.key("head");
    const first = saved(await trial.put(store, key, ONE, null), "the first save");
    await trial.shown();
    await trial.pause();
    const second = saved(await trial.put(store, key, TWO, first), "over the first");
    await trial.shown();
    await trial.pause();
    equal(await trial.put(store, key, THREE, first), null, "over the first once more");
    await trial.shown();
    holds(await store.load(key), TWO, "the value");
    await trial.pause();
    saved(await trial.put(store, key, THREE, second), "over the second");
    await trial.shown();
    holds(await store.load(key), THREE, "the value");
  }),

  of("expecting a version saves nothing where nothing is any more", async (trial, store) => {
    const key = trial.key("head");
    const version = saved(await trial.put(store, key, ONE, null), "the save");
    await trial.pause();
    await store.delete([key]);
    await trial.shown();
    await trial.pause();
    equal(await trial.put(store, key, TWO, version), null, "the save over what is gone");
    await trial.shown();
    absent(await store.load(key), "the key");
  }),

  of("a version holds no more once its key was deleted and saved again", async (trial, store) => {
    const key = trial.key("head");
    const version = saved(await trial.put(store, key, ONE, null), "the save");
    await store.delete([key]);
    saved(await trial.put(store, key, ONE, null), "the same save after it was deleted");
    equal(await trial.put(store, key, TWO, version), null, "a save over the version that was deleted");
    holds(await store.load(key), ONE, "the value");
  }, atomicOutcome),

  of("expecting whatever is there saves where nothing is, and over anything", async (trial, store) => {
    const key = trial.key("head");
    saved(await trial.put(store, key, ONE, undefined), "the first save");
    await trial.pause();
    saved(await trial.put(store, key, TWO, undefined), "the second save");
    await trial.shown();
    holds(await store.load(key), TWO, "the value");
  }),

  of("a save of parts alone gives an empty version", async (trial, store) => {
    const part = { key: trial.key("part"), value: ONE };
    equal(await store.save([part]), "", "the version");
    await trial.shown();
    holds(await store.load(part.key), ONE, "the part");
  }),

  of("parts can be saved again", async (trial, store) => {
    const parts = [{ key: trial.key("part"), value: ONE }];
    const head = { key: trial.key("head"), value: TWO, expect: null };
    await trial.save(store, parts);
    await trial.pause();
    saved(await trial.save(store, parts, head), "with the same part");
    await trial.pause();
    equal(await store.save([{ ...parts[0], value: THREE }]), "", "the version");
    await trial.shown();
    holds(await store.load(parts[0].key), THREE, "the part");
    holds(await store.load(head.key), TWO, "the head");
  }),

  of("a save of nothing is no error", async (trial, store) => {
    equal(await store.save([]), "", "the version");
  }),

  of("parts and head are saved in one call", async (trial, store) => {
    const parts = [1, 2, 3].map((at) => ({ key: trial.key(`part/${at}`), value: noise(100, at) }));
    const head = { key: trial.key("head"), value: ONE, expect: null };
    const version = saved(await store.save(parts, head), "the save");
    for (const { key, value } of parts) holds(await store.load(key), value, key);
    equal((await store.load(head.key)).version, version, "the head's version");
  }, batch),

  of("a conflict writes nothing, no part either", async (trial, store) => {
    const head = { key: trial.key("head"), value: ONE, expect: null };
    const first = saved(await store.save([{ key: trial.key("old"), value: ONE }], head), "the first save");
    const second = saved(await trial.put(store, head.key, TWO, first), "over the first");
    const parts = [{ key: trial.key("old"), value: THREE }, { key: trial.key("new"), value: THREE }];
    for (const expect of [null, first]) {
      equal(await store.save(parts, { key: head.key, value: THREE, expect }), null, "the save");
      holds(await store.load(trial.key("old")), ONE, "the part from before");
      absent(await store.load(trial.key("new")), "the part that was to be saved with it");
    }
    equal((await store.load(head.key)).version, second, "the head's version");
  }, batch),

  of("200 parts are saved before their head", async (trial, store) => {
    const parts = Array.from({ length: 200 }, (_, at) => ({ key: trial.key(`part/${String(at).padStart(4, "0")}`), value: noise(6000, at) }));
    const head = { key: trial.key("head"), value: ONE, expect: null };
    saved(await trial.save(store, parts, head), "the save");
    await trial.shown();
    for (const at of [0, 1, 99, 198, 199]) holds(await store.load(parts[at].key), parts[at].value, parts[at].key);
    equal((await store.list(trial.key("part/"), undefined, 1000)).length, 200, "the parts in the list");
  }),

  of("a conflict of a save with 200 parts writes nothing", async (trial, store) => {
    const key = trial.key("head");
    saved(await trial.put(store, key, ONE, null), "the first save");
    const parts = Array.from({ length: 200 }, (_, at) => ({ key: trial.key(`part/${at}`), value: noise(6000, at) }));
    equal(await store.save(parts, { key, value: TWO, expect: null }), null, "the save");
    equal(await store.list(trial.key("part/"), undefined, 1000), [], "the parts in the list");
    holds(await store.load(key), ONE, "the head");
  }, batch),

  of("deleted keys are gone, others are not", async (trial, store) => {
    const keys = Array.from({ length: 30 }, (_, at) => trial.key(`part/${at}`));
    await trial.save(store, keys.map((key) => ({ key, value: ONE })));
    await trial.pause();
    equal(await store.delete([keys[0]]), undefined, "what it gives");
    await store.delete(keys.slice(1, 29));
    await trial.shown();
    for (const at of [0, 1, 28]) absent(await store.load(keys[at]), keys[at]);
    holds(await store.load(keys[29]), ONE, "the key that was not deleted");
    equal(await store.list(trial.key("part/"), undefined, 100), [keys[29]], "the list");
  }),

  of("a missing key is deleted without an error", async (trial, store) => {
    const key = trial.key("part");
    await trial.save(store, [{ key, value: ONE }]);
    await trial.pause();
    await store.delete([trial.key("nothing"), key, trial.key("nothing/too")]);
    await store.delete([]);
    await trial.shown();
    absent(await store.load(key), "the one that was there");
  }),

  of("a deleted key can be claimed again", async (trial, store) => {
    const key = trial.key("head");
    saved(await trial.put(store, key, ONE, null), "the first claim");
    await trial.pause();
    await store.delete([key]);
    await trial.shown();
    await trial.pause();
    saved(await trial.put(store, key, TWO, null), "the second claim");
    await trial.shown();
    holds(await store.load(key), TWO, "the value");
  }),
];
