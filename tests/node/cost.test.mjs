import { test, after } from "node:test";
import { whole, eventually, pool } from "./lib/http.mjs";
import { costOf, METER, metered } from "./lib/meter.mjs";
import { chat, startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, removeFolder, runInput, stateFolder, Worker } from "./lib/worker.mjs";

test("try", async (t) => {
  const upstream = await startUpstream();
  const folder = await stateFolder();
  const worker = await new Worker().start(upstreamVars(upstream), folder, { prelude: METER });
  const text = fresh("t");
  upstream.on(text, async (call) => { await call.writeAll(chat(Array(2000).fill("word ")), 0); await call.end(); });
  const input = runInput({ text });
  console.log(await metered(worker));
  console.log("run", await costOf(worker, async () => (await worker.post(input)).end()));
  console.log("join", await costOf(worker, async () => (await worker.post(input)).end()));
  console.log("replay", await costOf(worker, async () => (await worker.join(input.runId, "0")).end()));
  console.log("replay op", await costOf(worker, async () => (await worker.events(input.runId, {view: "operator", after: "0"})).end()));
  console.log("record", await costOf(worker, async () => (await worker.record(input.runId))));
  console.log(await metered(worker));
  await worker.stop(); await upstream.stop(); await removeFolder(folder);
});
