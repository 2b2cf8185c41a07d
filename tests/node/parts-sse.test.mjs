// Event streams on their own: SseDecoder and encodeSse, held against the core's and against what clients use.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createParser } from "eventsource-parser";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { cut, given, numbers } from "./lib/cuts.mjs";
import { askCore, hex } from "./lib/oracle-core.mjs";

const { decodeSse, encodeSse, SseDecoder } = await import(inside("build/js/sse.mjs"));
const encoder = new TextEncoder();

/** All events of pieces, and the code of the error that they end in. */
function decoded(pieces, options) {
  const decoder = new SseDecoder(options);
  const events = [];
  try {
    for (const piece of pieces) events.push(...decoder.push(piece));
    decoder.flush();
  } catch (error) {
    return { events, failed: error.code, decoder };
  }
  return { events, decoder };
}

const events = (...pieces) => decoded(pieces).events;

/** What the standard's dispatch steps know of an event, as the core tells it. */
const plain = ({ event = "message", data, id = "" }) => ({ event, data, id });

/** Pieces of event streams, good and bad. */
const SCRAPS = [
  "data: a\n\n", "data:b\r\n\r\n", "data\n", "data: c\rdata: d\r\r", "event: e\n", "event\n", "event: \n", "id: 1\n", "id\n", "id: 2\0\n",
  "retry: 30\n", "retry: x\n", ": ping\n", ":\n", "\n", "\r", "\r\n", "x: y\n", "data: é👩‍👩‍👧\n", "\ufeff", "data:  two\n", "nodata", "d", " ", ":", "événement: 1\n",
  "dataa: z\n", "event:f\n", "id:", "data: \u2028\n", "Data: q\n", "data: 1: 2: 3\n",
];

describe("the decoder", () => {
  test("reads events by the rules of the standard", () => {
    assert.deepEqual(events("data: a\n\ndata:b\n\ndata:  c\n\ndata\n\n"), [{ data: "a" }, { data: "b" }, { data: " c" }, { data: "" }]);
    assert.deepEqual(events("data: a\ndata: b\n\n"), [{ data: "a\nb" }]);
    assert.deepEqual(events("event: e\ndata: a\n\ndata: b\n\n"), [{ event: "e", data: "a" }, { data: "b" }], "a name holds for one event");
    assert.deepEqual(events("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"), [{ data: "a", id: "1" }, { data: "b", id: "1" }, { data: "c" }], "an id holds on");
    assert.deepEqual(events("retry: 5\ndata: a\n\nretry: -1\ndata: b\n\n"), [{ data: "a", retry: 5 }, { data: "b" }]);
    assert.deepEqual(events(": ping\n\nevent: e\n\nid: 7\n\n"), [], "no data, no event");
    assert.deepEqual(events("data: a\r\rdata: b\r\n\r\ndata: c\n\r"), [{ data: "a" }, { data: "b" }, { data: "c" }]);
    assert.deepEqual(events("\ufeffdata: a\n\n\ufeffdata: b\n\n"), [{ data: "a" }], "one mark, at the start");
    assert.deepEqual(events("data: a\n\ndata: b\n"), [{ data: "a" }], "what no blank line has ended is no event");
  });

  test("gives an event as soon as its blank line has ended", () => {
    const decoder = new SseDecoder();
    assert.deepEqual(decoder.push("data: a\r"), []);
    assert.deepEqual(decoder.push("\r"), [{ data: "a" }]);
    assert.deepEqual(decoder.push("\n\ndata: b\n\n"), [{ data: "b" }]);
    assert.deepEqual(decoder.push("data: c\n\nda"), [{ data: "c" }]);
    assert.deepEqual(decoder.push("ta: d\n\n"), [{ data: "d" }]);
  });

  test("goes on behind a reconnect, with the last id", () => {
    const decoder = new SseDecoder();
    decoder.push("id: 4\nretry: 9\ndata: a\n\nid: 5\ndata: cut");
    decoder.flush();
    assert.equal(decoder.lastEventId, "4");
    assert.equal(decoder.retry, 9);
    assert.deepEqual(decoder.push("\ufeffdata: b\n\n"), [{ data: "b", id: "4" }]);
  });

  test("decodes bytes over their borders", () => {
    const bytes = encoder.encode("data: é👩‍👩‍👧\n\n");
    assert.deepEqual(events(...cut(bytes, 1, () => 1)), [{ data: "é👩‍👩‍👧" }]);
    assert.deepEqual(events(Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 10, 10)), [{ data: "\ufffd" }]);
    assert.deepEqual(events(bytes.buffer), [{ data: "é👩‍👩‍👧" }]);
  });

  test("refuses an event past its bound, behind those before it, and everything after", () => {
    const decoder = new SseDecoder({ maxEvent: 10 });
    assert.deepEqual(decoder.push("data: ok\n\ndata: much too long\n\n"), [{ data: "ok" }]);
    for (let times = 0; times < 2; times++) assert.throws(() => decoder.push("data: x\n\n"), { name: "LastwordError", code: "event_too_large" });
    assert.throws(() => decoder.flush(), { code: "event_too_large" });
    for (const stream of ["data: 12345\n", "data: 1\ndata: 1\ndata: 1\n", "event: 56789\n", ": 234567890\n"]) {
      assert.equal(decoded([stream]).failed, undefined);
      assert.equal(decoded([stream], { maxEvent: 10 }).failed, "event_too_large", stream);
    }
  });

  test("reads a line of 4 MiB in small pieces, and looks at each once", () => {
    const pieces = ["data: ", ...Array.from({ length: 4096 }, () => "x".repeat(1024)), "\n\n"];
    const [event] = events(...pieces);
    assert.equal(event.data.length, 4 << 20);
  });

  test("iterates over whatever is read, and lets go of it", async () => {
    const chunks = ["data: a\n", "\ndata: b\n\n"];
    const all = async (source) => Array.fromAsync(decodeSse(source));
    const expected = [{ data: "a" }, { data: "b" }];
    assert.deepEqual(await all(chunks), expected);
    assert.deepEqual(await all(given(chunks)), expected);
    assert.deepEqual(await all(new Response(chunks.join(""))), expected);
    assert.deepEqual(await all(ReadableStream.from(chunks)), expected);
    assert.deepEqual(await all(new Response(null)), []);
    let left = false;
    const endless = new ReadableStream({ pull: (to) => to.enqueue("data: a\n\n"), cancel: () => void (left = true) }, { highWaterMark: 0 });
    for await (const event of decodeSse(endless)) {
      assert.deepEqual(event, { data: "a" });
      break;
    }
    assert.ok(left);
    await assert.rejects(all(7), { code: "invalid_input" });
  });
});

describe("the decoder and the core", () => {
  let streams;
  let core;

  before(() => {
    const below = numbers(7);
    const random = () => Array.from({ length: below(14) }, () => SCRAPS[below(SCRAPS.length)]).join("");
    streams = Array.from({ length: 3000 }, (_, at) => ({ text: random(), max: at % 3 === 0 ? 3 + below(25) : 1 << 20 }));
    // The core counts bytes where the bound counts characters: streams that come to it are of ASCII.
    for (const stream of streams) if (stream.max < 1000) stream.text = stream.text.replace(/[^\0-\x7f]/gu, "z");
    core = askCore(streams.map(({ text, max }) => ({ stream: hex(encoder.encode(text)), max })));
  });

  test("say the same of any stream, however it is cut", () => {
    const below = numbers(8);
    streams.forEach(({ text, max }, at) => {
      for (const whole of [text, encoder.encode(text)]) {
        for (const pieces of [[whole], cut(whole, 1, () => 1), cut(whole, 7, below), cut(whole, 30, below)]) {
          const { events, failed } = decoded(pieces, { maxEvent: max });
          assert.deepEqual({ events: events.map(plain), failed: failed !== undefined }, core[at], JSON.stringify({ text, max, pieces: pieces.length }));
        }
      }
    });
    assert.ok(core.some(({ failed }) => failed) && core.filter(({ events }) => events.length > 1).length > 300);
  });

  test("say the same of bytes that are no text", () => {
    const below = numbers(9);
    const bytes = Array.from({ length: 500 }, () => {
      const noise = Array.from({ length: below(12) }, () => [0xff, 0xc3, 0xa9, 0xe2, 0x82, 0xf0, 0x9f, 0x61, 0x80, 0xed, 0xa0][below(11)]);
      return Uint8Array.from([...encoder.encode("data: "), ...noise, 10, 10, ...encoder.encode("data: b\n\n")]);
    });
    const core = askCore(bytes.map((stream) => ({ stream: hex(stream), max: 1 << 20 })));
    bytes.forEach((stream, at) => {
      for (const pieces of [[stream], cut(stream, 1, () => 1), cut(stream, 5, below)]) {
        assert.deepEqual(decoded(pieces).events.map(plain), core[at].events, hex(stream));
      }
    });
  });
});

/** Texts in which a frame's borders may be lost. */
const TEXTS = ["", "a", "é👩‍👩‍👧", "\n", "\r", "\r\n", "\n\r", "\r\r\n\n", ": ", "data: x", "\u2028\u2029\u0085", "\0", "id: 7\n\n", " lead", "\ufeff", "a\nb", "a\r\nb\r"];

function frames(seed, count) {
  const below = numbers(seed);
  const text = () => Array.from({ length: below(5) }, () => TEXTS[below(TEXTS.length)]).join("");
  const maybe = (value) => (below(2) === 0 ? undefined : value);
  return Array.from({ length: count }, () => ({ data: text(), event: maybe(text()), id: maybe(text()) }));
}

const clean = (text = "") => !/[\r\n\0]/.test(text);

describe("the encoder", () => {
  test("writes frames", () => {
    assert.equal(encodeSse({ data: "a" }), "data: a\n\n");
    assert.equal(encodeSse({ data: "a\r\nb\rc\nd", event: "e", id: "1", retry: 5 }), "id: 1\nevent: e\nretry: 5\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
    assert.deepEqual(encodeSse({ data: "é" }, { bytes: true }), encoder.encode("data: é\n\n"));
  });

  test("refuses what would write fields of its own, or be ignored", () => {
    const refused = (frame) => assert.throws(() => encodeSse(frame), { name: "LastwordError", code: "invalid_frame" }, JSON.stringify(frame));
    for (const text of ["a\nb", "a\rb", "a\0b", 7, null]) {
      refused({ data: "", id: text });
      refused({ data: "", event: text });
    }
    for (const retry of [-1, 1.5, "5", NaN, Infinity]) refused({ data: "", retry });
    for (const data of [undefined, null, 7, {}]) refused({ data });
  });

  test("writes what the core writes, and refuses what it refuses", () => {
    const all = frames(1, 2000);
    const core = askCore(all.map((frame) => ({ frame })));
    const written = all.map((frame) => {
      try {
        return encodeSse(frame);
      } catch (error) {
        assert.equal(error.code, "invalid_frame");
        return null;
      }
    });
    assert.deepEqual(written, core);
    assert.ok(core.includes(null) && core.some((text) => text?.includes("\ndata: ")));
  });

  test("is read as it was written, by eventsource-parser and by the decoder, however it is cut", () => {
    const below = numbers(2);
    for (let round = 0; round < 300; round++) {
      const sent = frames(round + 10, 6).filter(({ event, id }) => clean(event) && clean(id));
      const text = sent.map((frame) => encodeSse(frame)).join("");
      const read = [];
      const parser = createParser({ onEvent: (event) => read.push(event) });
      for (const piece of cut(text, 9, below)) parser.feed(piece);
      const lines = (data) => data.replace(/\r\n|\r/g, "\n");
      const expected = sent.map(({ data, event, id }) => ({ data: lines(data), event: event || undefined, id }));
      assert.deepEqual(read.map(({ data, event, id }) => ({ data, event, id })), expected, JSON.stringify(text));
      const own = decoded(cut(text, 9, below)).events;
      assert.deepEqual(own.map(({ data, event }) => ({ data, event })), expected.map(({ data, event }) => ({ data, event })));
    }
  });
});
