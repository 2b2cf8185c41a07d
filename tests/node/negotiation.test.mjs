// Whatever a client would rather have, it is sent an event stream: the binary form of AG-UI has no cursors and no
// heartbeats, and every client that asks for it reads this too.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { open } from "./lib/http.mjs";
import { frameBytes } from "./lib/sse.mjs";
import { agentWithHistory, assertAnswer, runOracle } from "./lib/oracle.mjs";
import { recording } from "./lib/recordings.mjs";
import { runInput, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();
const BINARY = "application/vnd.ag-ui.event+proto";

describe("a client that accepts", { concurrency: true }, () => {
  for (const accept of [BINARY, `${BINARY}, text/event-stream;q=0.1`, "application/json", "*/*", "", "text/event-stream"]) {
    test(`${JSON.stringify(accept)} gets the same event stream`, async () => {
      const body = runInput({ model: "replay/length-stop" });
      const posted = await (await open(`${worker.url}/agui`, { method: "POST", body, headers: { accept } })).end();
      assert.equal(posted.status, 200);
      assert.equal(posted.headers["content-type"], "text/event-stream; charset=utf-8");
      assert.equal(posted.frames.at(-1).json.type, "RUN_FINISHED");
      for (const path of [`/agui/runs/${body.runId}`, `/v1/runs/${body.runId}/events`]) {
        const read = await (await open(`${worker.url}${path}`, { headers: { accept, "last-event-id": "0" } })).end();
        assert.equal(read.headers["content-type"], "text/event-stream; charset=utf-8");
        if (path.startsWith("/agui")) assert.equal(frameBytes(read.frames), frameBytes(posted.frames));
      }
    });
  }

  test("the binary form, as the official client does where it is told to, reads the answer", async () => {
    const tape = recording("narrated-refund");
    const via = ({ url, init }) => ({ url, init: { ...init, headers: { ...init.headers, Accept: BINARY } } });
    const agent = agentWithHistory(worker.url, { via });
    const before = structuredClone(agent.messages);
    const { transcript } = await runOracle(agent, { forwardedProps: { model: tape.model } });
    assertAnswer(transcript, before, tape.answer);
  });
});
