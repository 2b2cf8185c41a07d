// SseBody: events in, the body of a response out, as its client takes it; and what becomes of the events when that goes.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { given } from "./lib/cuts.mjs";

const { SseBody, decodeSse } = await import(inside("build/js/sse.mjs"));

const PING = ": ping\n\n";
const FAILED = 'data: {"type":"error","code":"stream_interrupted","message":"The stream was interrupted. The run itself goes on."}\n\n';

const text = (body) => new Response(body.stream).text();
/** A body of these events, without the heartbeat that a silent beginning would bring. */
const quiet = (events, options) => new SseBody(events, { heartbeat: 0, ...options });

/** Events that are given when the test says so: `next` of the iterator is counted, `return` is noted. */
function source() {
  const waiting = [];
  const told = { asked: 0, returned: false, over: false };
  const settle = (how) => (...args) => waiting.shift()[how](...args);
  return {
    told,
    give: (value) => settle("resolve")({ done: false, value }),
    end: () => ((told.over = true), settle("resolve")({ done: true, value: undefined })),
    fail: (error) => settle("reject")(error),
    events: {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((resolve, reject) => ((told.asked += 1), waiting.push({ resolve, reject }))),
        return: async () => ((told.returned = true), { done: true, value: undefined }),
      }),
    },
  };
}

describe("a body", () => {
  test("has a frame for each event, and ends with them", async () => {
    const events = [{ a: 1 }, "x\ny", null];
    const frames = 'data: {"a":1}\n\ndata: "x\\ny"\n\ndata: null\n\n';
    assert.equal(await text(quiet(events)), frames);
    assert.equal(await text(quiet(given(events))), frames);
    assert.equal(await text(quiet(ReadableStream.from(events))), frames);
    assert.equal(await text(quiet([])), "");
  });

  test("is written as its serializer says, and nothing of what that skips", async () => {
    const says = { a: { data: "1", event: "e", id: "7" }, b: null, c: undefined, d: "x\ny", e: { data: "2", retry: 3 } };
    const body = quiet(Object.keys(says), { serialize: (name) => says[name] });
    assert.equal(await text(body), "id: 7\nevent: e\ndata: 1\n\ndata: x\ndata: y\n\nretry: 3\ndata: 2\n\n");
  });

  test("is a response of an event stream, with more headers where there are more", async () => {
    const response = quiet([1], { headers: { "x-more": "1", "Cache-Control": "no-store" } }).response({ status: 201, headers: { "x-last": "2" } });
    assert.equal(response.status, 201);
    const headers = Object.fromEntries(response.headers);
    assert.deepEqual(headers, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no", "x-more": "1", "x-last": "2" });
    assert.equal(await response.text(), "data: 1\n\n");
  });

  test("asks for an event only once its client wants one", async () => {
    const { events, give, end, told } = source();
    const reader = quiet(events).stream.getReader();
    await wait(20);
    assert.equal(told.asked, 0, "nobody reads");
    for (let times = 1; times <= 3; times++) {
      const read = reader.read();
      await wait(5);
      assert.equal(told.asked, times);
      give(times);
      assert.equal(Buffer.from((await read).value).toString(), `data: ${times}\n\n`);
      await wait(5);
      assert.equal(told.asked, times, "nothing is read ahead");
    }
    const last = reader.read();
    end();
    assert.equal((await last).done, true);
  });

  test("holds nothing of a million events that a slow client does not take", async () => {
    let made = 0;
    const endless = (function* () {
      for (;;) yield ++made;
    })();
    const reader = quiet(endless).stream.getReader();
    for (let times = 0; times < 10; times++) {
      await reader.read();
      await wait(1);
    }
    assert.equal(made, 10);
    reader.releaseLock();
  });
});

describe("the heartbeat", () => {
  test("is due at once where nothing has been written, and after silence on the wire", async () => {
    const { events, give, end } = source();
    const reader = new SseBody(events, { heartbeat: 20 }).stream.getReader();
    const read = async () => Buffer.from((await reader.read()).value).toString();
    assert.equal(await read(), PING, "the headers do not wait for the first event");
    assert.equal(await read(), PING);
    assert.equal(await read(), PING, "and so on, while the same event is waited for");
    const next = read();
    give(1);
    assert.equal(await next, "data: 1\n\n");
    const last = reader.read();
    end();
    assert.equal((await last).done, true);
  });

  test("is sent though events come, where nothing is written of them", async () => {
    const skipped = (async function* () {
      for (let times = 0; times < 100; times++) yield await wait(1, times);
    })();
    const frames = await text(new SseBody(skipped, { heartbeat: 10, serialize: () => null }));
    assert.match(frames, /^(: ping\n\n)+$/);
    assert.ok(frames.length > PING.length, "more than the first one");
    const busy = quiet(Array(100_000).keys(), { heartbeat: 1, serialize: () => undefined });
    assert.match(await text(busy), /^(: ping\n\n)+$/, "also if they leave no time for a timer");
  });

  test("is a comment, which no client reads as an event", async () => {
    const slow = (async function* () {
      yield await wait(30, "a");
    })();
    const read = await Array.fromAsync(decodeSse(new SseBody(slow, { heartbeat: 5 }).stream));
    assert.deepEqual(read, [{ data: '"a"' }]);
  });
});

describe("what breaks", () => {
  test("a producer that throws ends the stream in an error frame, without its words", async () => {
    const broken = (async function* () {
      yield 1;
      throw new Error("key sk-123");
    })();
    const errors = [];
    const body = quiet(broken, { onError: (error) => errors.push(error.message) });
    assert.equal(await text(body), `data: 1\n\n${FAILED}`);
    await body.done;
    assert.deepEqual(errors, ["key sk-123"]);
    const atOnce = { [Symbol.asyncIterator]: () => ({ next: () => { throw new Error("x"); } }) };
    assert.equal(await text(quiet(atOnce)), FAILED);
    assert.equal(await text(quiet(ReadableStream.from(given([1])), { serialize: () => ({}) })), FAILED, "a frame that can't be written");
  });

  test("a serializer that throws ends it so too; its producer goes on to its end", async () => {
    const taken = [];
    const producer = (async function* () {
      for (let times = 0; times < 5; times++) yield (taken.push(times), times);
      taken.push("end");
    })();
    const serialize = (event) => {
      if (event === 1) throw new Error("secret");
      return String(event);
    };
    const errors = [];
    const body = quiet(producer, { serialize, onError: (error) => (errors.push(error.message), assert.fail("what the host throws goes nowhere")) });
    assert.equal(await text(body), `data: 0\n\n${FAILED}`);
    await body.done;
    assert.deepEqual(taken, [0, 1, 2, 3, 4, "end"]);
    assert.deepEqual(errors, ["secret"]);
  });

  test("the error frame is another wire's where that is said", async () => {
    const broken = { [Symbol.asyncIterator]: () => ({ next: async () => Promise.reject(new Error("x")) }) };
    const failure = { event: "error", data: '{"type":"RUN_ERROR"}' };
    assert.equal(await text(quiet(broken, { failure })), 'event: error\ndata: {"type":"RUN_ERROR"}\n\n');
    assert.throws(() => new SseBody([], { failure: { data: "", event: "a\nb" } }), { code: "invalid_frame" });
    assert.throws(() => new SseBody(7), { code: "invalid_input" });
  });
});

describe("a client that goes", () => {
  test("stops nothing: the events are read to their end, and never cancelled", async () => {
    const { events, give, end, told } = source();
    let gone = 0;
    const body = quiet(events, { onGone: () => (gone += 1) });
    const reader = body.stream.getReader();
    const read = reader.read();
    await wait(1);
    give(1);
    await read;
    const never = reader.read();
    await wait(1);
    await reader.cancel();
    assert.equal((await never).done, true);
    for (let times = 2; times < 6; times++) {
      await wait(1);
      assert.equal(told.asked, times);
      give(times);
    }
    let over = false;
    body.done.then(() => (over = true));
    await wait(1);
    assert.equal(over, false);
    end();
    await body.done;
    assert.deepEqual(told, { asked: 6, returned: false, over: true });
    assert.equal(gone, 1);
  });

  test("stops no generator, nor a stream, of which nothing had been read", async () => {
    for (const of of [(generator) => generator, (generator) => ReadableStream.from(generator)]) {
      const seen = [];
      const producer = (async function* () {
        try {
          for (let times = 0; times < 4; times++) yield (seen.push(times), await wait(1, times));
          seen.push("end");
        } finally {
          seen.push("left");
        }
      })();
      const body = quiet(of(producer));
      await body.stream.cancel("gone");
      await body.done;
      assert.deepEqual(seen, [0, 1, 2, 3, "end", "left"]);
    }
  });

  test("may be known by the request's signal alone", async () => {
    const { events, end, told } = source();
    const abort = new AbortController();
    const body = quiet(events, { signal: abort.signal });
    const reader = body.stream.getReader();
    const read = reader.read();
    await wait(1);
    abort.abort(new Error("the client has gone"));
    await assert.rejects(read, /the client has gone/);
    end();
    await body.done;
    assert.deepEqual(told, { asked: 1, returned: false, over: true });
    const gone = quiet([1, 2], { signal: AbortSignal.abort() });
    await gone.done;
    await assert.rejects(text(gone));
  });

  test("is told nothing of errors that come later; the host is", async () => {
    const { events, fail } = source();
    const errors = [];
    const body = quiet(events, { onError: (error) => errors.push(error.message) });
    const reader = body.stream.getReader();
    const read = reader.read();
    await wait(1);
    await reader.cancel();
    fail(new Error("later"));
    await body.done;
    assert.equal((await read).done, true);
    assert.deepEqual(errors, ["later"]);
  });

  test("over HTTP: the producer goes on behind a connection that is gone", async (t) => {
    const seen = [];
    let body;
    const server = createServer((_, response) => {
      const producer = (async function* () {
        for (let times = 0; times < 20; times++) yield (seen.push(times), await wait(2, times));
      })();
      body = new SseBody(producer);
      response.writeHead(200, body.headers);
      pipeline(Readable.fromWeb(body.stream), response).catch(() => {});
    }).listen(0);
    t.after(() => server.close());
    await once(server, "listening");
    const response = await fetch(`http://127.0.0.1:${server.address().port}`);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const read = response.body.getReader();
    assert.equal(Buffer.from((await read.read()).value).toString().startsWith(PING), true);
    await read.cancel();
    assert.ok(seen.length < 20);
    await body.done;
    assert.equal(seen.length, 20);
  });
});
