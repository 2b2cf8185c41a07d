// A thousand readers that go away without a word, on a platform that does not say so and never cancels a stream. All
// that they cost comes to an end.

import assert from "node:assert/strict";
import http from "node:http";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, pool, whole } from "./lib/http.mjs";
import { METER, metered } from "./lib/meter.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

// The engine of each Worker that is started here collects when it is asked to.
process.env.MINIFLARE_WORKERD_V8_FLAGS = "--expose-gc";

const upstream = await startUpstream();
after(() => upstream.stop());

/**
 * A `prelude` for `serve`: streams without a `cancel` of their own, as where the platform never calls it; and the
 * header `x-collect`, at which the engine collects what nothing holds.
 */
const NO_CANCEL = `
  const Told = ReadableStream;
  globalThis.ReadableStream = class extends Told {
    constructor(source, strategy) {
      super({ __wbg_ptr: source.__wbg_ptr, pull: (controller) => source.pull(controller) }, strategy);
    }
  };
`;
const COLLECT = `
  const Plain = WebAssembly.Instance;
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Plain(module, imports);
    const fetch = (request, ...rest) => {
      if (!request.headers.has("x-collect")) return exports.fetch(request, ...rest);
      gc();
      return Promise.resolve(new Response("{}"));
    };
    return { exports: { ...exports, fetch } };
  };
`;

/** A reader that is gone once it has taken something, or that never takes a byte until `left` settles. */
function abandon(url, left) {
  return new Promise((done) => {
    const request = http.get(url, { agent: false });
    const leave = () => (request.destroy(), done());
    request.on("error", done);
    request.on("response", (response) => {
      response.on("error", () => {});
      if (left) left.then(leave);
      else response.once("data", leave);
    });
  });
}

describe("readers that leave where the platform does not say so", () => {
  test("a thousand of a run under way: nothing of them is left, and it is unwatched again", async (t) => {
    const { worker, input, text, talk } = await underWay(t);
    const run = `/v1/runs/${input.runId}`;
    const paths = [`/agui/runs/${input.runId}`, `${run}/events?view=operator`, `${run}/events`, `/v1/threads/${input.threadId}/events?view=operator`];
    const levels = [];
    for (let wave = 0; wave < 5; wave += 1) {
      await pool(Array(200), 100, (_, nth) => abandon(worker.url + paths[nth % paths.length]));
      // The run's machine waits for its next moment, and nobody else.
      await eventually(async () => (await metered(worker)).timers <= 1, "no timer of a reader");
      levels.push((await collected(worker)).memory);
    }
    assert.ok(levels[4] - levels[1] <= 2 << 16, `the module's memory grows: ${levels}`);
    talk();
    await isUnwatched(worker, input.runId);

    const operator = await worker.events(input.runId, { view: "operator" });
    await operator.until(({ frames }) => frames.length > 50, "the run can be read as ever");
    await worker.cancel(input.runId);
    await operator.end();
    assert.equal(upstream.callsOf(text).length, 1);
    await eventually(async () => (await metered(worker)).timers === 0, "no timer at all");
    assert.deepEqual(logged(worker), []);
  });

  test("of a finished run, that never read: they hold little, and go", async (t) => {
    const { worker, input } = await underWay(t, { pieces: 3000 });
    await worker.ended(input.runId);
    const read = async () => (await (await worker.events(input.runId, { view: "operator" })).end()).text;
    const before = await read();
    const { memory } = await metered(worker);
    const { promise, resolve } = Promise.withResolvers();
    const readers = Array.from({ length: 200 }, () => abandon(`${worker.url}/v1/runs/${input.runId}/events?view=operator`, promise));
    await eventually(async () => (await metered(worker)).streams >= 200, "all are there");
    await eventually(async () => (await metered(worker)).timers === 0, "all doze, or have said all");
    const held = (await metered(worker)).memory - memory;
    resolve();
    await Promise.all(readers);
    assert.equal(await read(), before);
    assert.ok(held <= 200 * (64 << 10), `${held} bytes for 200 readers`);
    assert.deepEqual(logged(worker), []);
  });
});

/** A run that says a word and, once `talk()` is called, talks on; or one that says so many pieces. In a Worker of its own. */
async function underWay(t, { pieces } = {}) {
  const folder = await stateFolder();
  const vars = upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" });
  const worker = await new Worker().start(vars, folder, { prelude: METER + COLLECT + NO_CANCEL });
  t.after(() => worker.stop().then(() => removeFolder(folder)));
  const text = fresh("talk");
  const { promise: talks, resolve: talk } = Promise.withResolvers();
  upstream.on(text, async (call) => {
    const [piece] = chat(["chatter on and on and on "]);
    if (pieces) {
      await call.write(Buffer.concat(Array(pieces).fill(piece)));
      await call.writeAll(chat(["."]));
      return call.end();
    }
    await call.write(piece);
    await talks;
    while (await call.write(piece)) await sleep(20);
  });
  const input = runInput({ text });
  (await worker.post(input)).leave();
  return { worker, input, text, talk };
}

/** The run commits once a second again, as one that nobody reads, and not every 30 ms. */
const isUnwatched = (worker, run) =>
  eventually(async () => {
    const revision = async () => (await worker.record(run)).json.revision;
    const before = await revision();
    await sleep(1500);
    return (await revision()) - before <= 3;
  }, "nobody watches");

/** What the Worker has logged; the engine says that its flags are not the usual ones. */
const logged = ({ logs }) => logs.filter((line) => !line.startsWith("NOSENTRY"));

/** The meter, once the engine has collected what nothing holds. */
const collected = (worker) =>
  eventually(async () => {
    await whole(`${worker.url}/health`, { headers: { "x-collect": "1" } });
    const meter = await metered(worker);
    return meter.streams < 10 && meter;
  }, "the streams are collected");
