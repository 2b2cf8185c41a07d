// What an operator reads of a turn while it goes on, and a customer of an answer that streams early: the provider's pieces,
// joined where they come together, or each by itself if that is asked for.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memory, replay, respond, setLog } from "../../build/js/node.mjs";
import { fresh } from "./lib/worker.mjs";

setLog(false);

const WORDS = "the refund was approved and the money should be back on your card within three working days ";
/** Pieces as a tokenizer makes them, some in the middle of a word. */
const PIECES = WORDS.repeat(40).match(/.{1,5}/gs);
const ADDRESS = ["ana.souza", "firma.com.br"].join("@");

const signals = (pieces, item = {}) => [{ type: "item_start", ...item }, ...pieces.map((delta) => ({ type: "text", delta })), { type: "response_end" }];
const bytes = (objects) => new TextEncoder().encode(objects.map((object) => `data: ${JSON.stringify(object)}\n\n`).join(""));

/** The frames of a stream: their id and their event. */
async function frames(response) {
  const text = await response.text();
  return text.split("\n\n").filter((frame) => frame.includes("data: {")).map((frame) => ({
    id: frame.match(/^id: (.+)$/m)?.[1],
    event: JSON.parse(frame.match(/^data: (.+)$/m)[1]),
  }));
}

const deltas = (all, type) => all.filter(({ event }) => event.type === type).map(({ event }) => event.delta);

/** The text in chunks of that many bytes, whole if it is none. */
async function* chunks(whole, size = whole.length) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function live(upstream, options) {
  const { response, done } = respond(upstream, { from: "signals", to: "canonical", view: "operator", ...options });
  const all = await frames(response);
  assert.equal((await done).status, "succeeded");
  return all;
}

describe("what an operator reads live", () => {
  test("is a frame a piece, if each is to stay one, however the bytes were cut", async () => {
    for (const size of [undefined, 7, 1000, 4096]) {
      const all = await live(chunks(bytes(signals(PIECES)), size), { deltas: "each" });
      const told = deltas(all, "intermediate");
      assert.equal(told.join(""), PIECES.join(""));
      // A piece of which the filter has let out a part before its bytes' end may be two frames.
      const ends = new Set(PIECES.map((_, at) => PIECES.slice(0, at + 1).join("").length));
      let end = 0;
      const cut = new Set(told.map((delta) => (end += delta.length)));
      for (const place of ends) assert.ok(cut.has(place), `a piece ends at ${place}, in bytes by ${size}`);
      if (!size) assert.deepEqual(told, PIECES);
    }
  });

  test("is less frames if nothing is said", async () => {
    const told = deltas(await live(chunks(bytes(signals(PIECES)))), "intermediate");
    assert.equal(told.join(""), PIECES.join(""));
    assert.ok(told.length < PIECES.length / 10, `${told.length}`);
  });

  test("never holds what is removed, whatever pieces it came in", async () => {
    const said = `${WORDS}${ADDRESS} ${WORDS}`;
    for (const length of [1, 3, 9, 1000]) {
      const pieces = said.match(new RegExp(`.{1,${length}}`, "gs"));
      for (const options of [{ deltas: "each" }, {}]) {
        const all = await live(chunks(bytes(signals(pieces))), options);
        assert.equal(deltas(all, "intermediate").join(""), said.replace(ADDRESS, "[REDACTED:email]"));
        assert.ok(!JSON.stringify(all).includes(ADDRESS));
      }
    }
  });

  test("goes on behind any of its frames", async () => {
    const place = { store: memory(), thread: fresh("thread"), run: fresh("run") };
    const all = await live(chunks(bytes(signals(PIECES.slice(0, 30)))), { ...place, deltas: "each" });
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length, "each frame has a cursor of its own");
    for (const [at, { id }] of all.entries()) {
      const rest = await frames(replay({ ...place, to: "canonical", view: "operator", after: id }).response);
      assert.deepEqual(rest, all.slice(at + 1), `behind ${id}`);
    }
  });
});

test("an answer that streams early is a delta a piece, if each is to stay one", async () => {
  const early = { early: "final_answer", to: "chat-completions" };
  const upstream = () => chunks(bytes(signals(PIECES, { phase: "final_answer" })));
  const told = async (options) => {
    const { response } = respond(upstream(), { from: "signals", ...early, ...options });
    return (await frames(response)).map(({ event }) => event.choices?.[0]?.delta?.content).filter(Boolean);
  };
  const [each, joined] = [await told({ deltas: "each" }), await told({})];
  for (const texts of [each, joined]) assert.equal(texts.join(""), PIECES.join(""));
  assert.ok(joined.length < each.length / 10, `${joined.length} and ${each.length}`);
});
