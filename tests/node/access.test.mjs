// Who may ask for what, where tokens are configured.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { open, whole } from "./lib/http.mjs";
import { runInput, sharedWorker } from "./lib/worker.mjs";

// Made up, and joined here.
const [ACME, GLOBEX, OPERATOR] = ["acme", "globex", "operator"].map((name) => ["token", "of", name].join("-"));
const digest = (token) => createHash("sha256").update(token).digest("hex");
const TOKENS = { LASTWORD_TOKENS: `acme=${digest(ACME)},globex=${digest(GLOBEX)}`, LASTWORD_OPERATOR_TOKEN: OPERATOR };

const bare = sharedWorker({ LASTWORD_DEV: "" });
const worker = sharedWorker({ LASTWORD_DEV: "", ...TOKENS });

const as = (token, more = {}) => ({ authorization: `Bearer ${token}`, ...more });

async function assertRefused(url, options, status, code) {
  const reply = await whole(url, options);
  assert.deepEqual([reply.status, JSON.parse(reply.text).error.code], [status, code]);
}

test("without a token configured nothing is served but /health", async () => {
  const body = runInput({ model: "replay/length-stop" });
  await assertRefused(`${bare.url}/agui`, { method: "POST", body }, 503, "not_configured");
  await assertRefused(`${bare.url}/v1/runs/x`, {}, 503, "not_configured");
  assert.equal((await whole(`${bare.url}/health`)).status, 200);
});

describe("with tokens", { concurrency: true }, () => {
  test("a run needs a right one", async () => {
    const body = runInput({ model: "replay/length-stop" });
    for (const headers of [{}, as("wrong"), { authorization: `Basic ${ACME}` }]) {
      await assertRefused(`${worker.url}/agui`, { method: "POST", body, headers }, 401, "unauthorized");
    }
  });

  test("a run belongs to its scope: another's is not there", async () => {
    const body = runInput({ model: "replay/length-stop" });
    const began = await (await open(`${worker.url}/agui`, { method: "POST", body, headers: as(ACME) })).end();
    assert.equal(began.frames.at(-1).json.type, "RUN_FINISHED");
    const record = `${worker.url}/v1/runs/${body.runId}`;
    assert.equal((await whole(record, { headers: as(ACME) })).status, 200);
    for (const path of ["", "/events"]) {
      await assertRefused(`${record}${path}`, { headers: as(GLOBEX) }, 404, "unknown_run");
    }
    await assertRefused(`${worker.url}/agui/runs/${body.runId}`, { headers: as(GLOBEX) }, 404, "unknown_run");
    await assertRefused(`${record}/cancel`, { method: "POST", headers: as(GLOBEX) }, 404, "unknown_run");

    const same = { ...body, messages: [{ id: "m", role: "user", content: "Mine" }] };
    const other = await (await open(`${worker.url}/agui`, { method: "POST", body: same, headers: as(GLOBEX) })).end();
    assert.equal(other.frames.at(-1).json.type, "RUN_FINISHED", "the same ids in another scope are another run");
  });

  test("the operator's view is the operator's alone", async () => {
    const body = runInput({ model: "replay/length-stop" });
    await (await open(`${worker.url}/agui`, { method: "POST", body, headers: as(ACME) })).end();
    const url = `${worker.url}/v1/runs/${body.runId}/events?view=operator`;
    await assertRefused(url, { headers: as(ACME) }, 403, "forbidden");
    await assertRefused(url, { headers: as(OPERATOR) }, 400, "invalid_input");
    const { frames } = await (await open(url, { headers: as(OPERATOR, { "lastword-scope": "acme" }) })).end();
    assert.ok(frames.some(({ json }) => json.type === "intermediate"));
  });
});
