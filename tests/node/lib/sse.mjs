// A strict reader of event streams: takes only what Lastword promises to write, and fails on the rest.

import assert from "node:assert/strict";
import { assertEvent } from "./schema.mjs";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BLANK = Buffer.from("\n\n");

/** Reads a stream in pieces. `frames` are `{raw, at, id?, data, json}`, `at` when they came; `comments` counts the heartbeats. */
export class SseReader {
  frames = [];
  comments = 0;
  #rest = Buffer.alloc(0);

  feed(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let end = this.#rest.indexOf(BLANK); end >= 0; end = this.#rest.indexOf(BLANK)) {
      this.#block(this.#rest.subarray(0, end + BLANK.length));
      this.#rest = this.#rest.subarray(end + BLANK.length);
    }
  }

  /** The stream is over: it must not have ended inside a frame. */
  end() {
    assert.equal(String(this.#rest), "", "the stream ended inside a frame");
  }

  #block(raw) {
    const text = utf8.decode(raw);
    assert.doesNotMatch(text, /[\r\u2028\u2029]/, "LF is all that a client may take for the end of a line");
    const lines = text.slice(0, -2).split("\n");
    if (lines.every((line) => line.startsWith(":"))) this.comments += 1;
    else this.frames.push({ raw: Buffer.from(raw), at: Date.now(), ...fields(lines) });
  }
}

/** A frame is an optional `id:` line and one `data:` line with a JSON object that has a type. */
function fields(lines) {
  const [data, id, ...more] = lines.toReversed();
  assert.deepEqual(more, [], `a frame has two lines at most: ${lines.join("\\n")}`);
  assert.match(data, /^data: \{.*\}$/, "the last line is the data, one JSON object");
  const json = JSON.parse(data.slice("data: ".length));
  assert.equal(typeof json.type, "string", `a frame has a type: ${data}`);
  assertSize(json, data);
  if (/^[A-Z_]+$/.test(json.type)) assertEvent(json);
  if (id === undefined) return { data, json };
  assert.match(id, /^id: ([1-9][0-9]*-)?[0-9]+(\.[0-9]+)?$/);
  return { id: id.slice("id: ".length), data, json };
}

/** A piece of text stands in frames of 64 KiB, and nothing is longer than 4 MiB. */
function assertSize({ type, delta }, data) {
  const most = typeof delta === "string" ? 64 << 10 : 4 << 20;
  const bytes = Buffer.byteLength(data) - "data: ".length;
  assert.ok(bytes <= most, `${bytes} bytes in a ${type}`);
}

/** Reads a whole stream. */
export function readSse(bytes) {
  const reader = new SseReader();
  reader.feed(bytes);
  reader.end();
  return reader;
}

/** The bytes of the frames, without the heartbeats between them. */
export const frameBytes = (frames) => Buffer.concat(frames.map((frame) => frame.raw)).toString();

/**
 * What every frame of every wire keeps to: no null but in what is a host's own data, integer times, rising ids. What
 * an AG-UI frame may hold beyond that is asked of the schema as it is read.
 */
export function assertWire(frames) {
  for (const { json } of frames) {
    const { snapshot, messages, ...own } = json;
    assertNoNulls(own, json.type);
    for (const time of [json.timestamp, json.meta?.at, json.meta?.seq]) {
      assert.ok(time === undefined || Number.isSafeInteger(time), `not an integer: ${time} in ${json.type}`);
    }
  }
  const cursors = frames.flatMap((frame) => (frame.id === undefined ? [] : [position(frame.id)]));
  for (const [index, cursor] of cursors.entries()) {
    if (index > 0) assert.ok(isAfter(cursor, cursors[index - 1]), `ids rise: ${cursors[index - 1]} then ${cursor}`);
  }
}

/** `seq.k` stands before the bare `seq`, which is on an event's last frame. In a thread the run's ordinal leads. */
const position = (id) => {
  const [cursor, ordinal = 0] = id.split("-").reverse();
  const [seq, k = Infinity] = cursor.split(".").map(Number);
  return [Number(ordinal), seq, k];
};

const isAfter = (one, other) => {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && one[at] > other[at];
};

function assertNoNulls(value, path) {
  assert.notEqual(value, null, `null at ${path}`);
  if (typeof value !== "object") return;
  for (const [key, member] of Object.entries(value)) assertNoNulls(member, `${path}.${key}`);
}
