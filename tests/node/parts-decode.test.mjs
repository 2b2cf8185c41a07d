// decode: every recording of every format gives the signals that the core gives natively, however it is cut.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { cut, given, numbers } from "./lib/cuts.mjs";
import { askCore, hex } from "./lib/oracle-core.mjs";
import { quirksOf } from "./lib/quirks.mjs";

const PACKAGE = inside("build/js");
await import(`${PACKAGE}/node.mjs`);
const { decode, Decoder } = await import(`${PACKAGE}/decode.mjs`);
const { core: exports } = await import(`${PACKAGE}/core.mjs`);

const FORMATS = {
  agui: "ag-ui",
  anthropic: "anthropic",
  chat_completions: "chat-completions",
  gemini: "gemini",
  ollama: "ollama",
  responses: "responses",
  workers_ai: "workers-ai",
};

/** Every recording of a format's quirks, and what is played by the Worker's own provider. */
const recordings = Object.entries(FORMATS).flatMap(([folder, format]) => quirksOf(folder).map(({ name, bytes }) => ({ name: `${folder}/${name}`, format, bytes })));
const PLAYED = inside("src/provider/replay/recordings");
for (const name of readdirSync(PLAYED, { recursive: true }).filter((name) => name.endsWith(".sse"))) {
  recordings.push({ name: `replay/${name}`, format: "chat-completions", bytes: readFileSync(`${PLAYED}/${name}`) });
}

/** What a decoder makes of these pieces. */
function decoded(format, pieces, options) {
  const decoder = new Decoder(format, options);
  const signals = pieces.flatMap((piece) => decoder.push(piece));
  signals.push(...decoder.end());
  decoder.free();
  return signals;
}

describe("every recording", () => {
  /** By setting: the core's signals of each recording. */
  const core = {};

  before(() => {
    const settings = { own: (format) => ({ format, tags: false }), read: (format) => ({ format, tags: true }), told: () => ({ format: "auto", tags: false }) };
    for (const [setting, how] of Object.entries(settings)) {
      core[setting] = askCore(recordings.map(({ format, bytes }) => ({ response: hex(bytes), ...how(format) })));
    }
  });

  test("is one of many of each format", () => {
    assert.ok(recordings.length > 250, `${recordings.length}`);
    for (const format of Object.values(FORMATS)) assert.ok(recordings.filter((recording) => recording.format === format).length >= 20, format);
  });

  test("gives the core's signals, whole and in any pieces", () => {
    const below = numbers(3);
    recordings.forEach(({ name, format, bytes }, at) => {
      for (const pieces of [[bytes], cut(bytes, 1, () => 1), cut(bytes, 60, below), cut(bytes, 900, below)]) {
        assert.deepEqual(decoded(format, pieces), core.own[at], `${name} in ${pieces.length}`);
      }
    });
  });

  test("does so where thinking tags are read", () => {
    const below = numbers(4);
    let other = 0;
    recordings.forEach(({ name, format, bytes }, at) => {
      for (const pieces of [[bytes], cut(bytes, 40, below)]) assert.deepEqual(decoded(format, pieces, { thinkingTags: true }), core.read[at], name);
      other += JSON.stringify(core.read[at]) === JSON.stringify(core.own[at]) ? 0 : 1;
    });
    assert.ok(other > 5, `${other} say something else`);
  });

  test("does so where the format is told by its first bytes", () => {
    const below = numbers(5);
    recordings.forEach(({ name, bytes }, at) => {
      for (const pieces of [[bytes], cut(bytes, 50, below)]) assert.deepEqual(decoded("auto", pieces), core.told[at], name);
    });
  });

  test("gives them one by one, of whatever is read", async () => {
    const some = recordings.filter((_, at) => at % 7 === 0);
    const below = numbers(6);
    for (const { name, format, bytes } of some) {
      const expected = core.own[recordings.findIndex((recording) => recording.name === name)];
      const sources = [[bytes], given(cut(bytes, 50, below)), new Response(bytes), ReadableStream.from(cut(bytes, 50, below))];
      for (const source of sources) assert.deepEqual(await Array.fromAsync(decode(format, source)), expected, name);
    }
  });
});

const START = 'data: {"type":"text","delta":"a"}\n\n';
const ENDED = `${START}data: {"type":"response_end"}\n\n`;
const signals = [{ type: "response_start" }, { type: "text", delta: "a" }];
const done = { type: "response_end", stop: "complete" };
const isCut = { type: "error", fault: "cut" };

describe("a decoder", () => {
  test("gives signals as they end, strings or bytes, and says how a stream died", () => {
    const decoder = new Decoder("signals");
    assert.deepEqual(decoder.push(START.slice(0, 9)), []);
    assert.deepEqual(decoder.push(Buffer.from(START.slice(9))), signals);
    assert.deepEqual(decoder.push(new ArrayBuffer(0)), []);
    assert.deepEqual(decoder.end(), [isCut]);
    assert.deepEqual(decoder.end(), []);
    assert.deepEqual(decoded("signals", [START, "data: x\n\n"]).at(-1), { type: "error", fault: "malformed" });
    assert.deepEqual(decoded("chat-completions", ['data: {"error":{"message":"no"}}\n\n']).at(-1), { type: "error" });
  });

  test("takes a piece of more than the buffer between JavaScript and the module holds", () => {
    const delta = "é".repeat(400_000);
    assert.deepEqual(decoded("signals", [START.replace('"a"', JSON.stringify(delta))])[1], { type: "text", delta });
    assert.deepEqual(decoded("signals", [ENDED]), [...signals, done], "and what comes after as before");
  });

  test("crosses the border once a piece", () => {
    const decoder = new Decoder("signals");
    const calls = [];
    const { decode_push } = exports();
    exports().decode_push = (...args) => (calls.push(args), decode_push(...args));
    decoder.push(START.repeat(500));
    exports().decode_push = decode_push;
    assert.equal(calls.length, 1);
  });

  test("says which format the first bytes were of", () => {
    const decoder = new Decoder("auto");
    assert.equal(decoder.format, undefined);
    decoder.push(quirksOf("anthropic")[0].bytes);
    assert.equal(decoder.format, "anthropic");
    assert.equal(new Decoder("ollama").format, undefined);
  });

  test("refuses what it does not know, and is not to be used once it is freed", () => {
    assert.throws(() => new Decoder("telepathy"), { name: "LastwordError", code: "invalid_input", message: /chat-completions/ });
    assert.throws(() => new Decoder(), { code: "invalid_input" });
    const decoder = new Decoder("signals");
    assert.throws(() => decoder.push(7), { code: "invalid_input" });
    decoder.free();
    decoder.free();
    assert.throws(() => decoder.push("x"), { code: "freed" });
    assert.throws(() => decoder.end(), { code: "freed" });
  });

  test("leaves no memory of 20,000 that were freed", () => {
    const round = () => {
      for (let at = 0; at < 20_000; at++) {
        const decoder = new Decoder("anthropic");
        decoder.push("data: {");
        decoder.free();
      }
      return exports().memory.buffer.byteLength;
    };
    const once = round();
    assert.equal(round(), once);
  });
});

describe("decode", () => {
  test("lets go of its source behind the end, and if the loop is left", async () => {
    for (const [text, read] of [[ENDED, Infinity], [START, 1]]) {
      let left = 0;
      const endless = new ReadableStream({ pull: (to) => to.enqueue(text), cancel: () => void (left += 1) }, { highWaterMark: 0 });
      let seen = 0;
      for await (const _ of decode("signals", endless)) if ((seen += 1) >= read) break;
      assert.equal(left, 1);
    }
  });

  test("takes a source that fails for one that is cut", async () => {
    const broken = async function* () {
      yield START;
      throw new Error("the network");
    };
    assert.deepEqual(await Array.fromAsync(decode("signals", broken())), [...signals, isCut]);
    const failed = new ReadableStream({ start: (to) => to.error(new Error("x")) });
    assert.deepEqual(await Array.fromAsync(decode("signals", failed)), [{ type: "response_start" }, isCut]);
    const empty = new Response(null);
    assert.deepEqual(await Array.fromAsync(decode("signals", empty)), [{ type: "response_start" }, isCut]);
  });

  test("throws what is the caller's own fault", async () => {
    await assert.rejects(Array.fromAsync(decode("telepathy", [""])), { code: "invalid_input" });
    await assert.rejects(Array.fromAsync(decode("signals", [7])), { code: "invalid_input" });
    await assert.rejects(Array.fromAsync(decode("signals", 7)), { code: "invalid_input" });
  });
});
