// The last link of a stream's way out passes on what is whole, and says so where the rest is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unlessBroken } from "../../js/lastword/broken.mjs";

const FRAMES = ['id: 1\ndata: {"type":"a"}\n\n', ": ping\n\n", 'id: 2\ndata: {"type":"b","delta":"\\n\\n é"}\n\n'];
const LAST = '{"type":"error","code":"stream_interrupted"}';
const SAID = `data: ${LAST}\n\n`;
const WHOLE = Buffer.from(FRAMES.join(""));

/** A response whose body gives these chunks and then ends, or breaks. */
function response(chunks, { breaks = false, onCancel = () => {} } = {}) {
  const left = [...chunks];
  const body = new ReadableStream(
    {
      pull(controller) {
        if (left.length > 0) return controller.enqueue(new Uint8Array(left.shift()));
        return breaks ? controller.error(new Error("lost")) : controller.close();
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
  const made = new Response(body, { headers: { "content-type": "text/event-stream" } });
  made.lastFrame = SAID;
  made.ends = "done,failed";
  return made;
}

const sent = (made) => unlessBroken(made).text();

/** The frames that are whole within the first bytes. */
function wholeWithin(length) {
  let text = "";
  for (const frame of FRAMES) {
    if (Buffer.byteLength(text + frame) > length) break;
    text += frame;
  }
  return text;
}

test("a body that ends passes byte for byte, however it is cut", async () => {
  for (let first = 0; first <= WHOLE.length; first += 1) {
    for (let second = first; second <= WHOLE.length; second += 1) {
      const chunks = [WHOLE.subarray(0, first), WHOLE.subarray(first, second), WHOLE.subarray(second)];
      assert.equal(await sent(response(chunks)), WHOLE.toString(), `${first} ${second}`);
    }
  }
  assert.equal(await sent(response([...WHOLE].map((byte) => [byte]))), WHOLE.toString(), "byte by byte");
  assert.equal(await sent(response([])), "");
});

test("a body that breaks at any byte gives its whole frames and then says so", async () => {
  for (let length = 0; length <= WHOLE.length; length += 1) {
    const chunks = [...WHOLE.subarray(0, length)].map((byte) => [byte]);
    assert.equal(await sent(response(chunks, { breaks: true })), wholeWithin(length) + SAID, `broken after ${length}`);
    const ended = length === Buffer.byteLength(wholeWithin(length)) ? "" : SAID;
    assert.equal(await sent(response([WHOLE.subarray(0, length)])), wholeWithin(length) + ended, `ended after ${length}`);
  }
});

test("behind a frame that ends it nothing more is said", async () => {
  for (const [type, said] of [["done", ""], ["failed", ""], ["undone", SAID]]) {
    const whole = Buffer.from(`${WHOLE}id: 3\ndata: {"type":"${type}","n":"done"}\n\n`);
    assert.equal(await sent(response([whole], { breaks: true })), whole + said, type);
    assert.equal(await sent(response([...whole].map((byte) => [byte]), { breaks: true })), whole + said, type);
  }
});

test("an end mark, or an error without a type, ends it where its wire says so", async () => {
  for (const [ends, data, said] of [
    ["error,[DONE]", "[DONE]", ""],
    ["error,[DONE]", '{"error":{"message":"[DONE]"}}', ""],
    ["error,[DONE]", '{"id":"x","error":{}}', SAID],
    ["error,[DONE]", '"[DONE]"', SAID],
    ["done", "[DONE]", SAID],
    ["done", '{"error":{}}', SAID],
  ]) {
    const whole = `${WHOLE}data: ${data}\n\n`;
    const made = Object.assign(response([Buffer.from(whole)], { breaks: true }), { ends });
    assert.equal(await sent(made), whole + said, `${ends} ${data}`);
  }
});

test("it is pulled, keeps its head, and a client that leaves is passed on", async () => {
  let cancelled;
  const made = unlessBroken(response([WHOLE, WHOLE], { onCancel: (reason) => (cancelled = reason) }));
  assert.equal(made.headers.get("content-type"), "text/event-stream");
  const reader = made.body.getReader();
  await reader.read();
  await reader.cancel("gone");
  assert.equal(cancelled, "gone");
});

test("nothing is pulled from the source before it is asked for, and then no more than a frame takes", async () => {
  const pulled = [];
  const chunks = [WHOLE, WHOLE.subarray(0, 3), WHOLE.subarray(3), WHOLE];
  const source = new ReadableStream(
    {
      pull(controller) {
        if (chunks.length === 0) return controller.close();
        pulled.push(chunks.length);
        controller.enqueue(new Uint8Array(chunks.shift()));
      },
    },
    { highWaterMark: 0 },
  );
  const made = Object.assign(new Response(source), { lastFrame: SAID, ends: "done" });
  const reader = unlessBroken(made).body.getReader();
  const counts = [];
  for (let read = 0; read < 3; read += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    counts.push(pulled.length);
    await reader.read();
  }
  assert.deepEqual(counts, [0, 1, 3], "a frame in two chunks takes two");
});

test("a stream that has ended with its mark has nothing to say when it breaks", async () => {
  const made = response([Buffer.from('data: {"id":"x"}\n\ndata: [DONE]\n\n')], { breaks: true });
  made.ends = "[DONE]";
  assert.equal(await sent(made), 'data: {"id":"x"}\n\ndata: [DONE]\n\n');
});

test("a document that breaks off before it has come is an error instead, and one that breaks within breaks", async () => {
  const document = (chunks) => Object.assign(response(chunks, { breaks: true }), { lastFrame: '{"error":1}', ends: "" });
  assert.equal(await sent(document([[32], [32]])), '  {"error":1}');
  assert.equal(await sent(document([])), '{"error":1}');
  await assert.rejects(sent(document([[32], [123]])));
  const whole = Object.assign(response([[32], Buffer.from("{}")]), { lastFrame: "no", ends: "" });
  assert.equal(await sent(whole), " {}");
});
