// Which values and keys a store must take.

import { absent, bytes, equal, holds, isSame, noise, saved } from "./check.mjs";
import { of } from "./needs.mjs";
import { NotWritten } from "../errors.mjs";

/** Values that a store might take for something else. */
const VALUES = {
  "each byte": Uint8Array.from({ length: 256 }, (_, at) => at),
  "each byte, backwards": Uint8Array.from({ length: 256 }, (_, at) => 255 - at),
  nothing: new Uint8Array(),
  "one zero": new Uint8Array(1),
  "a byte order mark": new Uint8Array([0xef, 0xbb, 0xbf, 0x61]),
  "a character's beginning": bytes("€").subarray(0, 2),
  "line ends": bytes("a\r\nb\nc\r\0d\u2028"),
  "beyond the base plane": bytes("👩‍💻 São"),
  "a number": bytes("123"),
  "null as text": bytes("null"),
  "JSON": bytes(JSON.stringify({ type: "Buffer", data: [1, 2], text: "\ud83d\udc69\u0000" })),
  "Base64": bytes("dGVzdA=="),
  "random bytes": noise(5000),
};

/** Keys as the layout makes them, and more: ids are escaped, long ones are hashes, what is the layout's own begins with `!`. */
const LONG = "x".repeat(64);
const HASH = `~${"0123456789abcdef".repeat(4)}`;
const KEYS = [
  "head", "Head", "HEAD", "head/", "head/a", "head-", "head_", "head0", "head!", "head~", "head%", "head%2F", "head%252F",
  "head.", "head@", "head@lock", "!active", "!runs/00000000", "!runs/00000001", "!index/r%2F1", "!list/fffffe6d8a1b2c3d-run-1",
  "%", "%00", "%0A", "%C3%A9", "%E2%82%AC", "~", "-", "_", "a//b", "con/nul",
  `${LONG}/${LONG}/head`, `${HASH}/${HASH}/${HASH}/public/event/${HASH}/0000000000000007-0003`,
  `${"%C3%A9".repeat(10)}/private/turn/i1-2/00000000`,
  `${"%F0%9F%98%80".repeat(5)}/${"Q".repeat(64)}/end`, "y".repeat(250), `${"z".repeat(250)}/head`,
];

export const values = [
  of("every kind of bytes comes back, as a part and as a head", async (trial, store) => {
    const all = Object.entries(VALUES);
    for (const [at, [, value]] of all.entries()) {
      const head = { key: trial.key(`${at}/head`), value, expect: null };
      saved(await trial.save(store, [{ key: trial.key(`${at}/part`), value }], head), "the save");
    }
    await trial.shown();
    for (const [at, [name, value]] of all.entries()) {
      for (const kind of ["part", "head"]) holds(await store.load(trial.key(`${at}/${kind}`)), value, `${name} as a ${kind}`);
    }
  }),

  of("values of maxValue bytes come back", async (trial, store) => {
    const { maxValue } = trial.traits;
    const text = bytes("é".repeat(maxValue / 2)).subarray(0, maxValue);
    const parts = [noise(maxValue), text].map((value, at) => ({ key: trial.key(`part/${at}`), value }));
    for (const part of parts) equal(await store.save([part]), "", "the version");
    await trial.shown();
    for (const { key, value } of parts) holds(await store.load(key), value, key);
  }),

  of("a head of 16 KiB comes back", async (trial, store) => {
    const key = trial.key("head");
    const first = saved(await trial.put(store, key, noise(16_384, 1), null), "the claim");
    await trial.shown();
    await trial.pause();
    saved(await trial.put(store, key, noise(16_384, 2), first), "the save over it");
    await trial.shown();
    holds(await store.load(key), noise(16_384, 2), "the head");
  }),

  of("a value larger than maxValue is kept whole or refused whole", async (trial, store) => {
    const { maxValue, batch } = trial.traits;
    const large = { key: trial.key("large"), value: noise(Math.min(maxValue * 4, maxValue + (4 << 20))) };
    const small = { key: trial.key("small"), value: bytes("small") };
    const head = { key: trial.key("head"), value: bytes("head"), expect: null };
    const error = await trial.save(store, [small, large], head).then((version) => void saved(version, "the save"), (error) => error);
    await trial.shown();
    const [first, second, third] = [await store.load(small.key), await store.load(large.key), await store.load(head.key)];
    const isRefused = error instanceof NotWritten;
    if (!isRefused && (error === undefined || third)) {
      for (const [found, { key, value }] of [[first, small], [second, large], [third, head]]) holds(found, value, key);
      return;
    }
    absent(third, `the head, after ${error}`);
    if (batch || isRefused) absent(second, `the value, after ${error}`);
    if (batch) absent(first, `the part beside it, after ${error}`);
  }),

  of("of a view its own bytes are saved", async (trial, store) => {
    const whole = noise(1000);
    const part = { key: trial.key("part"), value: whole.subarray(100, 200) };
    const head = { key: trial.key("head"), value: whole.subarray(300, 303), expect: null };
    saved(await trial.save(store, [part], head), "the save");
    await trial.shown();
    for (const { key, value } of [part, head]) holds(await store.load(key), value, key);
  }),

  of("what is changed after a save or a load does not change what is stored", async (trial, store) => {
    const part = { key: trial.key("part"), value: noise(64, 1) };
    const head = { key: trial.key("head"), value: noise(64, 2), expect: null };
    saved(await trial.save(store, [part], head), "the save");
    await trial.shown();
    for (const [at, { key, value }] of [part, head].entries()) {
      value.fill(0);
      const found = await store.load(key);
      holds(found, noise(64, at + 1), `${key} after its bytes were changed where they came from`);
      found.value.fill(0);
      holds(await store.load(key), noise(64, at + 1), `${key} after the loaded bytes were changed`);
    }
  }),

  of("every form of key names a value of its own", async (trial, store) => {
    const valueOf = (key) => bytes(`the value of ${key}`);
    const keys = KEYS.map((name) => trial.key(name));
    for (const [at, key] of keys.entries()) {
      if (at % 2 === 0) saved(await trial.put(store, key, valueOf(key), null), key);
      else equal(await store.save([{ key, value: valueOf(key) }]), "", key);
    }
    await trial.shown();
    for (const key of keys) holds(await store.load(key), valueOf(key), key);
    equal(await store.list(`${trial.space}/`, undefined, 1000), [...keys].sort(), "the list");
    await trial.pause();
    await store.delete(keys.slice(1));
    await trial.shown();
    const left = await Promise.all(keys.map(async (key) => ((await store.load(key)) === undefined ? [] : [key])));
    equal(left.flat(), keys.slice(0, 1), "the keys that are left");
  }),

  of("many keys are saved at once", async (trial) => {
    const stores = await trial.callers(50);
    const parts = stores.map((_, at) => ({ key: trial.key(`${at}/part`), value: noise(500, at) }));
    const heads = stores.map((_, at) => ({ key: trial.key(`${at}/head`), value: noise(50, at), expect: null }));
    const versions = await Promise.all(stores.map((store, at) => trial.save(store, [parts[at]], heads[at])));
    versions.forEach((version, at) => saved(version, `save ${at}`));
    await trial.shown();
    for (const [at, store] of stores.entries()) {
      const found = await store.load(heads[(at + 1) % 50].key);
      holds(found, noise(50, (at + 1) % 50), `the head beside ${at}`);
      equal(isSame((await store.load(parts[at].key)).value, parts[at].value), true, `part ${at}`);
    }
  }),
];
