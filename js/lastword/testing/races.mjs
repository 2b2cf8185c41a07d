// What must hold when many write at once.

import { absent, bytes, check, equal, holds, isSame, noise, saved } from "./check.mjs";
import { atomicClaim, atomicOutcome, batch, clients, fresh, of } from "./needs.mjs";

/** So many want the same at once. */
const CROWD = 50;
/** So often a race is run. */
const ROUNDS = 4;

/** Lets a crowd save one key at once, each a value of its own: who has won, as `[at, version]`. */
async function race(trial, stores, key, expect) {
  const valueOf = (at) => bytes(`the value of ${at}`);
  const all = await Promise.all(stores.map((store, at) => trial.put(store, key, valueOf(at), expect)));
  const winners = [...all.entries()].filter(([, version]) => version !== null);
  equal(winners.length, 1, `winners among ${stores.length}`);
  const [[at, version]] = winners;
  for (const store of [stores[at], stores[(at + 1) % stores.length]]) {
    const found = await store.load(key);
    holds(found, valueOf(at), "the winner's value");
    equal(found.version, version, "the winner's version");
  }
  return version;
}

/** Others that wait for their turn get it. */
const turn = () => new Promise((done) => setTimeout(done, 0));

const counted = (found) => (found ? Number(new TextDecoder().decode(found.value)) : 0);

export const races = [
  of("of 50 claims one wins", async (trial) => {
    const stores = await trial.callers(CROWD);
    for (let round = 0; round < ROUNDS; round++) await race(trial, stores, trial.key(`${round}/head`), null);
  }, atomicClaim),

  of("of 50 saves over one version one wins", async (trial, store) => {
    const stores = await trial.callers(CROWD);
    const key = trial.key("head");
    let version = saved(await trial.put(store, key, bytes("the first"), null), "the first save");
    for (let round = 0; round < ROUNDS; round++) {
      await trial.pause();
      version = await race(trial, stores, key, version);
    }
  }, atomicOutcome),

  of("of 50 claims with parts those that lose leave none", async (trial, store) => {
    const stores = await trial.callers(CROWD);
    const key = trial.key("head");
    const part = (at) => ({ key: trial.key(`part/${at}`), value: noise(200, at) });
    const versions = await Promise.all(stores.map((store, at) => store.save([part(at)], { key, value: bytes(String(at)), expect: null })));
    const winners = [...versions.keys()].filter((at) => versions[at] !== null);
    equal(winners.length, 1, "winners");
    for (let at = 0; at < CROWD; at++) {
      const found = await store.load(part(at).key);
      if (at === winners[0]) holds(found, part(at).value, "the winner's part");
      else absent(found, `the part of ${at}, which has lost`);
    }
  }, atomicClaim, batch),

  of("no update is lost", async (trial, store) => {
    const key = trial.key("head");
    const add = async (store) => {
      for (let tries = 0; tries < 2000; tries++) {
        const found = await store.load(key);
        const next = bytes(String(counted(found) + 1));
        if ((await trial.put(store, key, next, found?.version ?? null)) !== null) return;
        await trial.pause();
      }
      throw new Error("an update never succeeded");
    };
    const stores = await trial.callers(8);
    await Promise.all(stores.map(async (store) => {
      for (let times = 0; times < 5; times++) await add(store);
    }));
    equal(counted(await store.load(key)), 40, "the sum of 40 updates");
  }, atomicOutcome, fresh),

  of("whoever sees a head sees all its parts", async (trial) => {
    const [writer, ...readers] = await trial.callers(5);
    const key = trial.key("head");
    const partsOf = (round) => [0, 1, 2, 3, 4].map((at) => ({ key: trial.key(`part/${round}/${at}`), value: noise(3000, round * 5 + at) }));
    let isOver = false;
    const look = async (store) => {
      const last = counted(await store.load(key));
      if (last > 0) for (const { key, value } of partsOf(last).reverse()) holds(await store.load(key), value, `a part that head ${last} names`);
      return last;
    };
    const read = async (store) => {
      while (!isOver) {
        await look(store);
        await turn();
      }
      equal(await look(store), 20, "the last head");
    };
    const write = async () => {
      for (let round = 1; round <= 20; round++) {
        saved(await trial.save(writer, partsOf(round), { key, value: bytes(String(round)), expect: undefined }), "the save");
      }
    };
    await Promise.all([write().finally(() => (isOver = true)), ...readers.map(read)]);
  }, fresh),

  of("what one handle has saved another sees", async (trial) => {
    const [first, second] = await trial.callers(2);
    const key = trial.key("head");
    const [part, value] = [{ key: trial.key("part"), value: noise(100) }, bytes("head")];
    absent(await second.load(key), "the key before");
    const version = saved(await trial.save(first, [part], { key, value, expect: null }), "the save");
    await trial.shown();
    const found = await second.load(key);
    holds(found, value, "the head");
    equal(found.version, version, "its version");
    holds(await second.load(part.key), part.value, "the part");
    equal(await second.list(`${trial.space}/`, undefined, 10), [key, part.key], "the list");
    await trial.pause();
    await second.delete([part.key]);
    await trial.shown();
    absent(await first.load(part.key), "the part that the other has deleted");
  }, clients),

  of("a value is never half the old and half the new", async (trial) => {
    const [writer, reader] = await trial.callers(2);
    const key = trial.key("head");
    const values = [noise(12_000, 1), noise(16_000, 2)];
    saved(await trial.put(writer, key, values[0], null), "the first save");
    await trial.shown();
    let isOver = false;
    const write = async () => {
      for (let times = 1; times <= 20; times++) {
        await trial.pause();
        saved(await trial.put(writer, key, values[times % 2], undefined), "the save");
      }
    };
    const read = async () => {
      while (!isOver) {
        const { value } = await reader.load(key);
        check(values.some((whole) => isSame(whole, value)), "a value that nobody has saved");
        await turn();
      }
    };
    await Promise.all([write().finally(() => (isOver = true)), read()]);
  }),
];
