// A thousand readers that go away without a word, also on a platform that does not say so and never cancels a stream.
// All that they cost comes to an end.

import assert from "node:assert/strict";
import http from "node:http";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, pool, whole } from "./lib/http.mjs";
import { METER, metered } from "./lib/meter.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

/**
 * A `prelude` for `serve`: streams without a `cancel` of their own, as where the platform never calls it. The header
 * `x-garbage` lets the engine collect what is left of them.
 */
const NO_CANCEL = `
  const Stream = ReadableStream;
  globalThis.ReadableStream = class extends Stream {
    constructor(source, strategy) {
      super({ pull: (controller) => source.pull(controller) }, strategy);
    }
  };
`;
const GARBAGE = `
  const Plain = WebAssembly.Instance;
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Plain(module, imports);
    const fetch = (request, ...rest) => {
      if (!request.headers.has("x-garbage")) return exports.fetch(request, ...rest);
      for (let pile = 0; pile < 12; pile += 1) globalThis.garbage = Array.from({ length: 300_000 }, () => ({}));
      return Promise.resolve(new Response("{}"));
    };
    return { exports: { ...exports, fetch } };
  };
`;

/** A reader that is gone once it has taken something, or that never takes a byte until \`left\` settles. */
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

for (const [name, prelude] of [["says so", ""], ["does not say so", NO_CANCEL]]) {
  describe(`readers that leave where the platform ${name}`, () => {
    test("a thousand of a run under way: it is unwatched again, and nothing of them is left", async (t) => {
      const { worker, input, text } = await underWay(t, prelude);
      const run = `/v1/runs/${input.runId}`;
      const urls = [`/agui/runs/${input.runId}`, `${run}/events?view=operator`, `${run}/events?types=content`, `/v1/threads/${input.threadId}/events?view=operator`];
      const wave = (count) => pool(Array(count), 50, (_, nth) => abandon(worker.url + urls[nth % urls.length]));
      const levels = [];
      for (let nth = 0; nth < 5; nth += 1) {
        await wave(200);
        levels.push((await collected(worker)).memory);
      }
      await isUnwatched(worker, input.runId);
      console.log(levels);
      assert.ok(levels[4] - levels[1] <= 2 << 16, `the module's memory grows: ${levels}`);
      // The run's machine waits for its next moment, and that is all.
      await eventually(async () => (await metered(worker)).timers <= 1, "no timer of a reader");

      const operator = await worker.events(input.runId, { view: "operator" });
      await operator.until(({ frames }) => frames.length > 50, "the run can be read as ever");
      await worker.cancel(input.runId);
      await operator.end();
      assert.equal(upstream.callsOf(text).length, 1);
      await eventually(async () => (await metered(worker)).timers === 0, "no timer at all");
      assert.deepEqual(worker.logs, []);
    });

    test("of a finished run, that never read: they hold no segment, and go", async (t) => {
      const { worker, input } = await underWay(t, prelude, { pieces: 3000 });
      await worker.ended(input.runId);
      const read = async () => (await (await worker.events(input.runId, { view: "operator" })).end()).text;
      const before = await read();
      const { memory } = await collected(worker);
      const { promise, resolve } = Promise.withResolvers();
      const readers = Array.from({ length: 200 }, () => abandon(`${worker.url}/v1/runs/${input.runId}/events?view=operator`, promise));
      await sleep(1500);
      const held = (await metered(worker)).memory - memory;
      resolve();
      await Promise.all(readers);
      await collected(worker);
      assert.equal(await read(), before);
      await eventually(async () => (await metered(worker)).timers === 0, "no timer of theirs");
      assert.ok(held <= 200 * (96 << 10), `${held} bytes for 200 readers`);
      assert.deepEqual(worker.logs, []);
    });
  });
}

/** A run that talks on, or says so many pieces, in a Worker of its own. */
async function underWay(t, prelude, { pieces } = {}) {
  const folder = await stateFolder();
  const vars = upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" });
  const worker = await new Worker().start(vars, folder, { prelude: METER + GARBAGE + prelude });
  t.after(() => worker.stop().then(() => removeFolder(folder)));
  const text = fresh("talk");
  upstream.on(text, async (call) => {
    const [piece] = chat(["chatter on and on and on "]);
    if (pieces) {
      await call.write(Buffer.concat(Array(pieces).fill(piece)));
      await call.writeAll(chat(["."]));
      return call.end();
    }
    while (await call.write(piece)) await sleep(20);
  });
  const input = runInput({ text });
  (await worker.post(input)).leave();
  return { worker, input, text };
}

/** The run commits once a second again, as one that nobody reads, and not every 30 ms. */
const isUnwatched = (worker, run) =>
  eventually(async () => {
    const revision = async () => (await worker.record(run)).json.revision;
    const before = await revision();
    await sleep(1500);
    return (await revision()) - before <= 3;
  }, "nobody watches");

/** The meter, once the engine has collected what nothing holds. */
async function collected(worker) {
  for (let round = 0; round < 2; round += 1) {
    await whole(`${worker.url}/health`, { headers: { "x-garbage": "1" } });
    await sleep(300);
  }
  return metered(worker);
}
