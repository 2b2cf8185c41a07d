// Readers that go away without a word, on a platform that does not say so: no stream is ever cancelled. All that they
// cost comes to an end.

import assert from "node:assert/strict";
import http from "node:http";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, pool } from "./lib/http.mjs";
import { METER, metered } from "./lib/meter.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());

/** A `prelude` for `serve`: streams without a `cancel` of their own, as on a platform that never calls it. */
const NO_CANCEL = `
  const Stream = ReadableStream;
  globalThis.ReadableStream = class extends Stream {
    constructor(source, strategy) {
      super({ pull: (controller) => source.pull(controller) }, strategy);
    }
  };
`;

/** A reader that takes `bytes` bytes and then is gone, or, with none, never takes any. */
function abandon(url, bytes, hold) {
  return new Promise((done, fail) => {
    const request = http.get(url, { agent: false }, (response) => {
      response.on("error", () => {});
      const leave = async () => {
        response.pause();
        await hold;
        request.destroy();
        done();
      };
      if (bytes === 0) return void leave();
      let taken = 0;
      response.on("data", (chunk) => (taken += chunk.length) >= bytes && leave());
      response.on("end", leave);
    });
    request.on("error", (error) => (hold === undefined ? done() : fail(error)));
  });
}

for (const [name, prelude] of [["that is not told", NO_CANCEL]]) describe(`by a platform ${name}`, () => {
  test("try", async (t) => {
    const folder = await stateFolder();
    const worker = await new Worker().start(upstreamVars(upstream, { LASTWORD_HEARTBEAT: "1" }), folder, { prelude: METER + prelude });
    t.after(() => worker.stop().then(() => removeFolder(folder)));
    const input = runInput({ text: fresh("endless") });
    upstream.on(input.messages[0].content, async (call) => {
      while (await call.write(chat(["chatter "])[0])) await sleep(20);
    });
    const first = await worker.post(input);
    const run = input.runId;
    const rate = async () => { const a = (await worker.record(run)).json.revision; await sleep(1000); return (await worker.record(run)).json.revision - a; };
    console.log("rate", await rate(), await metered(worker));
    for (let wave = 0; wave < 10; wave += 1) {
      await pool(Array(100), 100, async (_, n) => {
        const urls = [`/agui/runs/${run}`, `/v1/runs/${run}/events?view=operator`, `/v1/runs/${run}/events`, `/v1/threads/${input.threadId}/events?view=operator`];
        await abandon(worker.url + urls[n % 4], 1);
      });
      const m = await metered(worker);
      console.log(wave, m.timers, m.memory, await rate());
    }
    for (let i = 0; i < 2; i += 1) { const m = await metered(worker); console.log(m.timers, m.memory, await rate()); }
    first.leave(); await sleep(500); console.log(worker.logs);
    for (let i = 0; i < 3; i += 1) { const m = await metered(worker); console.log(m.timers, m.memory, await rate()); }
    await worker.cancel(run);
    await sleep(2000);
    console.log(await metered(worker));
  });
});
