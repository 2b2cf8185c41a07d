// What a run without a store of its caller's leaves behind once it is over: nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { respond, setLog } from "../../build/js/node.mjs";
import { eventually } from "./lib/http.mjs";

setLog(false);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const TEXT = "the refund was approved ".repeat(20_000);
const MESSAGES = 40;

async function* turn() {
  for (let at = 0; at < TEXT.length; at += 20_000) yield { type: "text", delta: TEXT.slice(at, at + 20_000) };
  yield { type: "response_end" };
}

test("a run in memory goes when it is over, read or not", async () => {
  for (let message = 0; message < MESSAGES; message++) {
    const { response, done } = respond(turn(), { from: "signals" });
    if (message % 2) assert.ok((await response.text()).length > TEXT.length);
    else await response.body.cancel();
    assert.equal((await done).answer, TEXT);
  }
  const left = () => (collect(), process.memoryUsage().arrayBuffers);
  await eventually(() => left() < (MESSAGES * TEXT.length) / 8, () => `${left()} bytes are left of ${MESSAGES} messages`);
});

test("who has not read to the end when the run is over reads on", async () => {
  const { response, done } = respond(turn(), { from: "signals" });
  const reader = response.body.getReader();
  const first = await reader.read();
  await done;
  collect();
  let length = first.value.length;
  for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length;
  assert.ok(length > TEXT.length, `${length}`);
});
