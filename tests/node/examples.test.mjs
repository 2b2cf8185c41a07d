// The examples that are servers: what a client is sent of them, also after a restart.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { example } from "./lib/examples.mjs";
import { recording } from "./lib/recordings.mjs";

const { answer, narration } = recording("narrated-refund");
const NARRATED = "Let me look at the order.";
const QUESTION = "Where is my parcel?";

/** What a response said, and the text of it that a client shows. */
async function read(response) {
  // Heartbeats are as they come.
  const body = (await response.text()).replaceAll(": ping\n\n", "");
  assert.equal(response.status, 200, body);
  const events = body.split("\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));
  return { body, text: events.map(({ delta, choices }) => delta ?? choices?.[0]?.delta?.content ?? "").join("") };
}

const post = (url, body, headers = {}) => fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

/** Somebody tries an example: `steps(given)` are told when it runs. */
function tries(name, steps) {
  describe(`the example ${name}`, () => {
    const given = {};
    before(async () => {
      given.example = await example(name);
      given.server = await given.example.start(given.env);
    });
    after(() => given.example?.leave());
    steps(given);
  });
}

/** Chat Completions over a recording: once, again, and after a restart. */
function chats(name, path, more = () => {}) {
  tries(name, (given) => {
    const ask = async () => {
      const asked = { stream: true, messages: [{ role: "user", content: "Where is my refund?" }] };
      return read(await post(`${given.server.origin}${path}/v1/chat/completions`, asked, { "idempotency-key": "run-1" }));
    };
    let first;

    test("gives the answer and nothing else", async () => {
      first = await ask();
      assert.equal(first.text, answer);
      for (const word of narration) assert.ok(!first.body.includes(word), word);
    });

    test("gives it from its store, also after a restart", async () => {
      assert.equal((await ask()).body, first.body);
      await given.server.stop();
      given.server = await given.example.start();
      assert.equal((await ask()).body, first.body);
    });

    more(given);
  });
}

chats("worker", "");
chats("hono", "/ai", (given) => {
  test("takes an agent of one's own", async () => {
    const { text, body } = await read(await post(`${given.server.origin}/agent`, {}));
    assert.equal(text, "Your parcel comes on Friday.");
    assert.ok(!body.includes(NARRATED));
  });
});

for (const name of ["deno", "bun"]) {
  tries(name, (given) => {
    given.env = { KV_FILE: "runs.kv" };
    const begin = async () => read(await post(`${given.server.origin}/thread-1/run-1`, { question: QUESTION }));
    const again = async () => read(await fetch(`${given.server.origin}/thread-1/run-1`));
    const asked = () => given.server.said().split("\n").filter((line) => line === "asked").length;
    let first;

    test("gives the answer and nothing else", async () => {
      first = await begin();
      assert.equal(first.text, `You ask: ${QUESTION} Your parcel comes on Friday.`);
      assert.ok(!first.body.includes(NARRATED));
    });

    test("asks once, however often a run is sent and read, also after a restart", async () => {
      for (const { body } of [await begin(), await again()]) assert.equal(body, first.body);
      assert.equal(asked(), 1);
      await given.server.stop();
      given.server = await given.example.start(given.env);
      for (const { body } of [await begin(), await again()]) assert.equal(body, first.body);
      assert.equal(asked(), 0);
    });
  });
}

test("every example is tried, and named in the table of examples", () => {
  const names = readdirSync(inside("examples")).filter((name) => existsSync(inside("examples", name, "package.json")));
  const files = readdirSync(inside("tests/node")).filter((name) => /^examples.*\.test\.mjs$/.test(name));
  const tests = files.map((name) => readFileSync(inside("tests/node", name), "utf8")).join("");
  const table = readFileSync(inside("examples/README.md"), "utf8");
  assert.ok(names.length >= 7);
  for (const name of names) {
    assert.ok(tests.includes(`"${name}"`), `no test tries examples/${name}`);
    assert.ok(table.includes(`(${name}/)`), `examples/README.md has no row of ${name}`);
  }
});
