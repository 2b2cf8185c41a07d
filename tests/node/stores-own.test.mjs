// A store of one's own: the one in the documentation passes every case, and each way to get it wrong fails one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { memory, NotWritten, traitsOf } from "../../js/lastword/stores/index.mjs";
import { conformance, faulty, testStore } from "../../js/lastword/testing.mjs";
import { inside } from "../../js/scripts/lib/paths.mjs";

/** The example in the documentation of `Store`, as it stands there. */
const [, example] = readFileSync(inside("js/lastword/stores/store.d.ts"), "utf8").match(/```js\n([^]*?)```/);
const code = example.replace(/^ \* ?/gm, "");
const documented = () => new Function(`${code}; return { store, values, put };`)();

/** The names of the cases that a store fails. */
async function failures(options, only = /./) {
  const { cases } = await conformance({ patience: 5000, ...options });
  const failed = [];
  for (const { name, run } of cases.filter(({ name }) => only.test(name))) await run().catch(() => failed.push(name));
  return failed;
}

const bytes = (text) => new TextEncoder().encode(text);
const head = (key, value = "head", expect = null) => ({ key, value: bytes(value), expect });
const pause = () => new Promise((done) => setTimeout(done, 1));

describe("a store in ten lines", async () => {
  const { store } = documented();
  const excluded = await testStore(test, () => store);
  test("is no more than ten lines, and leaves out only what needs more than one handle", () => {
    assert.ok(code.slice(code.indexOf("const store")).trim().split("\n").length <= 11, code);
    assert.deepEqual([...new Set(excluded.map(({ reason }) => reason))], [
      "clients is 1: there is one handle alone",
      "there is no reopen: nothing is known of what survives",
      "there is no fragile: no save can be cut",
    ]);
  });
});

/** Ways to get it wrong, by what each changes of the store in the documentation, and a case that must catch it. */
const WRONG = {
  "compares nothing": [
    ({ put }) => ({ save: async (parts, head) => (parts.forEach(put), head ? put(head) : "") }),
    "contract: expecting nothing saves only where nothing is",
  ],
  "compares, waits, and then writes": [
    ({ store, values }) => ({
      async save(parts, head) {
        const holds = !head || head.expect === undefined || (values.get(head.key)?.version ?? null) === head.expect;
        await pause();
        return holds ? store.save(parts, head && { ...head, expect: undefined }) : null;
      },
    }),
    "races: of 50 claims one wins",
    "races: no update is lost",
  ],
  "writes the head before the parts": [
    ({ store }) => ({
      async save(parts, head) {
        const version = await store.save([], head);
        await pause();
        if (version !== null) await store.save(parts);
        return version;
      },
    }),
    "races: whoever sees a head sees all its parts",
  ],
  "writes the parts of a save that loses": [
    ({ store, put }) => ({ save: async (parts, head) => (parts.forEach(put), store.save([], head)) }),
    "contract: a conflict writes nothing, no part either",
    "races: of 50 claims with parts those that lose leave none",
  ],
  "lists in the order of writing": [
    ({ values }) => ({
      list: async (prefix, after = "", limit) => [...values.keys()].filter((key) => key.startsWith(prefix) && key > after).slice(0, limit),
    }),
    "lists: keys are listed in order of their bytes",
  ],
  "lists in the order of a language": [
    ({ store }) => ({
      list: async (prefix, after, limit) => (await store.list(prefix, after, 1e6)).sort((a, b) => a.localeCompare(b)).slice(0, limit),
    }),
    "lists: keys are listed in order of their bytes",
  ],
  "lists from `after` on": [
    ({ values }) => ({
      list: async (prefix, after = "", limit) => [...values.keys()].filter((key) => key.startsWith(prefix) && key >= after).sort().slice(0, limit),
    }),
    "lists: keys up to `after` are left out, whether it is there or not",
  ],
  "lists a thousand at most": [
    ({ store }) => ({ list: (prefix, after, limit) => store.list(prefix, after, Math.min(limit, 1000)) }),
    "lists: more than a thousand keys are listed",
  ],
  "lists all": [
    ({ store }) => ({ list: (prefix, after) => store.list(prefix, after, 1e6) }),
    "lists: at most `limit` keys are listed, the first ones",
  ],
  "takes a prefix for a piece": [
    ({ store }) => ({ list: (prefix, after, limit) => store.list(prefix.endsWith("/") ? prefix : `${prefix}/`, after, limit) }),
    "lists: a prefix ends where its last character does",
  ],
  "keeps the buffer that it is given": [
    ({ values, store }) => ({
      async save(parts, head) {
        const version = await store.save(parts, head);
        if (version !== null) for (const one of [...parts, head ?? []].flat()) values.get(one.key).value = one.value;
        return version;
      },
    }),
    "values: what is changed after a save or a load does not change what is stored",
  ],
  "gives the buffer that it keeps": [
    ({ values }) => ({ load: async (key) => values.get(key) }),
    "values: what is changed after a save or a load does not change what is stored",
  ],
  "saves the whole buffer of a view": [
    ({ store }) => ({
      save: (parts, head) => {
        const whole = (one) => ({ ...one, value: new Uint8Array(one.value.buffer) });
        return store.save(parts.map(whole), head && whole(head));
      },
    }),
    "values: of a view its own bytes are saved",
  ],
  "keeps values as text": [
    ({ store }) => ({
      load: async (key) => {
        const found = await store.load(key);
        return found && { ...found, value: bytes(new TextDecoder().decode(found.value)) };
      },
    }),
    "values: every kind of bytes comes back, as a part and as a head",
  ],
  "takes an empty value for none": [
    ({ store }) => ({
      load: async (key) => {
        const found = await store.load(key);
        return found?.value.length === 0 ? undefined : found;
      },
    }),
    "values: every kind of bytes comes back, as a part and as a head",
  ],
  "gives null where nothing is": [
    ({ store }) => ({ load: async (key) => (await store.load(key)) ?? null }),
    "contract: a key under which nothing was saved is undefined",
  ],
  "forgets the case of keys": [
    ({ store }) => ({
      load: (key) => store.load(key.toLowerCase()),
      save: (parts, head) => {
        const low = (one) => ({ ...one, key: one.key.toLowerCase() });
        return store.save(parts.map(low), head && low(head));
      },
    }),
    "values: every form of key names a value of its own",
  ],
  "counts versions by key": [
    ({ values }) => {
      const put = ({ key, value }) => {
        const version = String(Number(values.get(key)?.version ?? 0) + 1);
        values.set(key, { value: value.slice(), version });
        return version;
      };
      const save = async (parts, head) => {
        if (head && head.expect !== undefined && (values.get(head.key)?.version ?? null) !== head.expect) return null;
        parts.forEach(put);
        return head ? put(head) : "";
      };
      return { save };
    },
    "contract: a version holds no more once its key was deleted and saved again",
  ],
  "has one version for all": [
    ({ store, values }) => ({
      save: async (parts, head) => {
        const version = await store.save(parts, head);
        for (const one of values.values()) one.version = "1";
        return version && "1";
      },
    }),
    "contract: another value has another version",
  ],
  "gives a version of its own making": [
    ({ store }) => ({ save: async (parts, head) => ((await store.save(parts, head)) ? crypto.randomUUID() : null) }),
    "contract: a value comes back with the version that its save gave",
  ],
  "deletes the first key alone": [
    ({ store }) => ({ delete: (keys) => store.delete(keys.slice(0, 1)) }),
    "contract: deleted keys are gone, others are not",
  ],
  "fails on a missing key": [
    ({ store, values }) => ({
      delete: async (keys) => (keys.every((key) => values.has(key)) ? store.delete(keys) : Promise.reject(new Error("missing"))),
    }),
    "contract: a missing key is deleted without an error",
  ],
  "cuts what is too large": [
    ({ store }) => ({
      save: (parts, head) => store.save(parts.map((part) => ({ ...part, value: part.value.subarray(0, 20_000) })), head),
    }),
    "values: a value larger than maxValue is kept whole or refused whole",
  ],
  "says that nothing was written after it has written": [
    ({ store }) => ({
      save: async (parts, head) => {
        const large = parts.some(({ value }) => value.length > 60_000);
        const version = await store.save(parts, head);
        if (large) throw new NotWritten();
        return version;
      },
    }),
    "values: a value larger than maxValue is kept whole or refused whole",
  ],
};

describe("a store that", () => {
  for (const [name, [change, ...caught]] of Object.entries(WRONG)) {
    test(name, async () => {
      const right = documented();
      const store = { ...right.store, ...change(right) };
      const failed = await failures({ open: () => store });
      for (const one of caught) assert.ok(failed.includes(one), `it fails only ${JSON.stringify(failed)}`);
    });
  }
});

/** A store whose handles can be lost: `lost` says what then becomes of the saves that are on their way. */
function losing(lost) {
  const { store } = documented();
  const handle = () => {
    const under = { way: true };
    const save = async (parts, head) => {
      const half = () => store.save(parts.slice(0, 3));
      await pause();
      return under.way ? store.save(parts, head) : lost({ store, parts, head, half });
    };
    return { store: { ...store, save }, lose: () => (under.way = false) };
  };
  return { open: () => store, fragile: async () => handle() };
}

describe("a save that is lost on its way", () => {
  const gone = () => {
    throw new Error("gone");
  };
  const LOST = {
    "is not made, or is made and not answered": [({ store, parts, head }) => (head.key.length % 2 ? gone() : store.save(parts, head).then(gone))],
    "is surely not made": [() => Promise.reject(new NotWritten())],
    "is said to be made": [() => "v1", "cuts: a claim that is cut is there with all its parts, or is not"],
    "is said to be a conflict": [() => null, "cuts: a save over a version that is cut is there with all its parts, or is not"],
    "is made, and said to be surely not made": [
      ({ store, parts, head }) => store.save(parts, head).then(() => Promise.reject(new NotWritten())),
      "cuts: a claim that is cut is there with all its parts, or is not",
    ],
    "leaves a head without its parts": [
      ({ store, head, half }) => half().then(() => store.save([], head)).then(gone),
      "cuts: a claim that is cut is there with all its parts, or is not",
    ],
    "leaves parts without their head": [({ half }) => half().then(gone), "cuts: a claim that is cut is there with all its parts, or is not"],
    "leaves a head that is cut": [
      ({ store, parts, head }) => store.save(parts, { ...head, value: head.value.subarray(0, 100) }).then(gone),
      "cuts: a save over a version that is cut is there with all its parts, or is not",
    ],
  };
  for (const [name, [lost, caught]] of Object.entries(LOST)) {
    test(name, async () => {
      const failed = await failures(losing(lost), /^cuts/);
      if (caught === undefined) assert.deepEqual(failed, []);
      else assert.ok(failed.includes(caught), JSON.stringify(failed));
    });
  }

  test("and what was saved before is gone when the store is opened anew", async () => {
    let { store } = documented();
    const reopen = () => ({ store } = documented()).store;
    assert.deepEqual(await failures({ open: () => store, reopen }, /^cuts/), ["cuts: what was saved is there after the store was opened anew"]);
  });
});

describe("the suite", () => {
  test("says which cases the weakest traits leave out, and why", async () => {
    const { store } = documented();
    const { traits, cases, excluded } = await conformance({ open: () => ({ ...store, traits: {} }) });
    assert.deepEqual(traits, {
      claim: "best_effort", outcome: "best_effort", owner: "shared", batch: false, maxValue: 16_384, minInterval: 1000, staleness: 60_000,
    });
    assert.equal(cases.length, 31);
    assert.deepEqual(new Set(excluded.map(({ reason }) => reason.split(":")[0])), new Set([
      "claim is best_effort", "outcome is best_effort", "batch is false", "staleness is 60000", "clients is 1", "there is no reopen", "there is no fragile",
    ]));
  });

  test("waits as long as a weak store needs it", async () => {
    const { store } = documented();
    const waited = new Set();
    const wait = async (ms) => void waited.add(ms);
    assert.deepEqual(await failures({ open: () => ({ ...store, traits: { minInterval: 7, staleness: 5 } }), wait }), []);
    assert.deepEqual(waited, new Set([5, 7]));
  });

  test("opens as many handles as it is told to, and closes each", async () => {
    const { store } = documented();
    const [opened, closed] = [new Set(), []];
    const open = () => {
      const handle = { ...store };
      opened.add(handle);
      return handle;
    };
    assert.deepEqual(await failures({ open, close: (handle) => closed.push(handle), clients: 7 }, /of 50 claims one wins/), []);
    assert.equal(opened.size, 1 + 7);
    assert.deepEqual(new Set(closed), opened);
  });

  test("does not wait for ever", async () => {
    const { store } = documented();
    const { cases } = await conformance({ open: () => ({ ...store, load: () => new Promise(() => {}) }), patience: 20 });
    await assert.rejects(cases[0].run(), /longer than 20 ms/);
  });

  test("refuses what is no store, and traits that can't be", async () => {
    const { store } = documented();
    const wrong = [{ ...store, load: undefined }, { ...store, traits: { claim: "maybe" } }, { ...store, traits: { maxValue: 1000 } }, { ...store, traits: { fast: true } }];
    for (const open of wrong.map((store) => () => store)) await assert.rejects(conformance({ open }), { code: "invalid_store" });
    assert.throws(() => traitsOf(undefined), { code: "invalid_store" });
    assert.equal(traitsOf(memory()).owner, "exclusive");
  });
});

describe("the store in memory", async () => {
  await testStore(test, () => memory());

  test("takes no more than it may", async () => {
    const store = memory({ maxBytes: 100 });
    const sixty = (key) => ({ key, value: new Uint8Array(60) });
    await store.save([sixty("a")]);
    await assert.rejects(store.save([sixty("b")], head("head")), NotWritten);
    assert.deepEqual(await store.list("", undefined, 10), ["a"]);
    await store.save([{ key: "a", value: new Uint8Array(50) }]);
    await store.delete(["a"]);
    await store.save([sixty("b")], head("head"));
    assert.deepEqual(await store.list("", undefined, 10), ["b", "head"]);
  });
});

describe("a faulty store", () => {
  test("does what its plan says, by numbers", async () => {
    const store = memory();
    const bad = faulty(store, ["unavailable", "uncertain-before", "uncertain-after", "conflict", undefined, "unavailable"]);
    await assert.rejects(bad.save([], head("a")), NotWritten);
    await assert.rejects(bad.save([], head("b")), (error) => !(error instanceof NotWritten));
    await assert.rejects(bad.save([{ key: "part", value: bytes("c") }], head("c")), (error) => !(error instanceof NotWritten));
    assert.equal(await bad.save([], head("d")), null);
    assert.deepEqual(await bad.list("", undefined, 10), ["c", "part"]);
    await assert.rejects(bad.load("c"));
    assert.deepEqual((await bad.load("c")).value, bytes("head"));
    assert.deepEqual(bad.operations.map(({ operation, keys, fault }) => [operation, keys.join(), fault ?? "none"]), [
      ["save", "a", "unavailable"], ["save", "b", "uncertain-before"], ["save", "part,c", "uncertain-after"], ["save", "d", "conflict"],
      ["list", "", "none"], ["load", "c", "unavailable"], ["load", "c", "none"],
    ]);
    assert.equal(bad.traits, store.traits);
  });

  test("does what its plan says, by a function", async () => {
    const store = memory();
    const bad = faulty(store, ({ operation, keys }) => (operation === "delete" && keys.includes("a") ? "uncertain-after" : undefined));
    await bad.save([], head("a"));
    await assert.rejects(bad.delete(["a"]));
    assert.equal(await store.load("a"), undefined);
    await bad.delete(["b"]);
    await assert.rejects(faulty(store, ["broken"]).load("a"), TypeError);
  });

  test("that fails now and then is no store", async () => {
    const store = memory();
    const failed = await failures({ open: () => faulty(store, ({ at, operation }) => (operation === "save" && at % 2 ? "conflict" : undefined)) }, /^contract/);
    assert.ok(failed.length > 5);
  });
});
