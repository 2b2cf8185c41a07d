// Every field of a RunAgentInput, left out and mistyped: the error names it, and the run was not begun.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { open } from "./lib/http.mjs";
import { fresh, runInput, sharedWorker } from "./lib/worker.mjs";

const worker = sharedWorker();

/** A request that has every field, and is in order. */
const source = (type, more) => ({ type, value: "v", ...more });
const part = (type, source) => ({ type, id: "p", source, metadata: { any: 1 } });
const whole = () => ({
  ...runInput({ model: "replay/empty-answer" }),
  parentRunId: "parent",
  messages: [
    { id: "m0", role: "developer", content: "Be kind.", name: "n" },
    { id: "m1", role: "system", content: "Be brief.", name: "n" },
    { id: "m2", role: "user", content: "Hello", name: "n", encryptedValue: "e", subagentRunId: "s", metadata: {} },
    { id: "m3", role: "reasoning", content: "Hm." },
    {
      id: "m4",
      role: "assistant",
      content: "Let me see.",
      toolCalls: [{ id: "c1", type: "function", encryptedValue: "e", metadata: {}, function: { name: "look", arguments: "{}" } }],
    },
    { id: "m5", role: "tool", toolCallId: "c1", content: "Seen.", error: "late" },
    { id: "m6", role: "activity", activityType: "plan", content: {} },
    {
      id: "m7",
      role: "user",
      content: [
        { type: "text", id: "p0", text: "And?" },
        part("image", source("data", { mimeType: "image/png" })),
        part("image", source("url", { mimeType: "image/png" })),
        part("document", source("file", { provider: "p", mimeType: "text/plain" })),
        { type: "binary", mimeType: "image/png", data: "AA==" },
      ],
    },
  ],
  tools: [{ name: "look", description: "Looks.", parameters: {}, metadata: {} }],
  context: [{ description: "Language", value: "English" }],
});

/** A field by its path: what another type of it is told, and whether it must be there. */
const [STRING, OBJECT, ARRAY] = ["be a string", "be an object", "be an array"];
const CONTENT = "be a string or an array of parts";
const REQUIRED = {
  threadId: STRING,
  runId: STRING,
  messages: ARRAY,
  "messages[0].content": STRING,
  "messages[1].content": STRING,
  "messages[2].id": STRING,
  "messages[2].role": STRING,
  "messages[2].content": CONTENT,
  "messages[3].content": STRING,
  "messages[4].toolCalls[0].id": STRING,
  "messages[4].toolCalls[0].type": STRING,
  "messages[4].toolCalls[0].function": OBJECT,
  "messages[4].toolCalls[0].function.name": STRING,
  "messages[4].toolCalls[0].function.arguments": STRING,
  "messages[5].toolCallId": STRING,
  "messages[5].content": CONTENT,
  "messages[6].activityType": STRING,
  "messages[6].content": OBJECT,
  "messages[7].content[0].type": STRING,
  "messages[7].content[0].text": STRING,
  "messages[7].content[1].source": OBJECT,
  "messages[7].content[1].source.type": STRING,
  "messages[7].content[1].source.value": STRING,
  "messages[7].content[1].source.mimeType": STRING,
  "messages[7].content[2].source.value": STRING,
  "messages[7].content[3].source.value": STRING,
  "messages[7].content[4].mimeType": STRING,
  "tools[0].name": STRING,
  "tools[0].description": STRING,
  "context[0].description": STRING,
  "context[0].value": STRING,
};
const OPTIONAL = {
  protocolVersion: STRING,
  parentRunId: STRING,
  tools: ARRAY,
  context: ARRAY,
  resume: ARRAY,
  "forwardedProps.model": STRING,
  "messages[2].name": STRING,
  "messages[2].encryptedValue": STRING,
  "messages[2].subagentRunId": STRING,
  "messages[2].metadata": OBJECT,
  "messages[4].content": STRING,
  "messages[4].toolCalls": ARRAY,
  "messages[4].toolCalls[0].encryptedValue": STRING,
  "messages[4].toolCalls[0].metadata": OBJECT,
  "messages[5].error": STRING,
  "messages[7].content[0].id": STRING,
  "messages[7].content[2].source.mimeType": STRING,
  "messages[7].content[3].source.provider": STRING,
  "messages[7].content[3].source.mimeType": STRING,
  "messages[7].content[4].data": STRING,
  "tools[0].metadata": OBJECT,
};
const ITEMS = ["messages[2]", "messages[4].toolCalls[0]", "messages[7].content[0]", "tools[0]", "context[0]"];
const CHOICES = {
  "messages[2].role": "be one of developer, system, assistant, user, tool, activity, reasoning",
  "messages[7].content[0].type": "be one of text, image, audio, video, document, binary",
  "messages[7].content[1].source.type": "be one of data, url, file",
  "messages[4].toolCalls[0].type": "be function",
  protocolVersion: "be of the form MAJOR.MINOR",
};

/** A value that the client sent, of which no error may hold a word. */
const SECRET = ["tell", "nobody"].join("-");

/** A whole request in which the field has that value; undefined leaves it out. */
function changed(path, value) {
  const body = whole();
  const steps = path.split(/[.[\]]+/).filter(Boolean);
  const last = steps.pop();
  const parent = steps.reduce((at, step) => at[step], body);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return body;
}

async function assertRefused(body, detail) {
  const { status, text } = await (await worker.post(body)).end();
  const { error } = JSON.parse(text);
  assert.deepEqual({ status, code: error.code }, { status: 400, code: "invalid_input" });
  assert.equal(error.message, `A field of the request is not valid. ${detail}`);
  assert.ok(!text.includes(SECRET));
  // An id that is too long can't be asked for either.
  if (typeof body.runId === "string" && body.runId.length < 4_000 && body.runId) assert.equal((await worker.record(body.runId)).status, 404, "nothing was begun");
}

/** Values of every other type than the one that is demanded. */
function others(demand) {
  const all = { "a string": SECRET, "an array": [SECRET], "an object": { secret: SECRET } };
  return [7, true, ...Object.entries(all).filter(([name]) => !demand.includes(name)).map(([, value]) => value)];
}

describe("a RunAgentInput", { concurrency: true }, () => {
  test("that has every field is in order", async () => {
    const { status, text } = await (await worker.post(whole())).end();
    assert.equal(status, 200, text);
  });

  for (const [path, demand] of Object.entries(REQUIRED)) {
    test(`without ${path}, or with another type of it`, async () => {
      await assertRefused(changed(path), `${path} is required.`);
      for (const value of [null, ...others(demand)]) await assertRefused(changed(path, value), `${path} must ${demand}.`);
    });
  }

  for (const [path, demand] of Object.entries(OPTIONAL)) {
    test(`with another type of ${path}`, async () => {
      for (const value of others(demand)) await assertRefused(changed(path, value), `${path} must ${demand}.`);
      // A binary part needs one of its three places.
      if (path.endsWith(".data")) return;
      for (const value of [null, undefined]) assert.equal((await (await worker.post(changed(path, value))).end()).status, 200);
    });
  }

  for (const path of ITEMS) {
    test(`with another type of ${path}`, async () => {
      for (const value of [null, ...others(OBJECT)]) await assertRefused(changed(path, value), `${path} must ${OBJECT}.`);
    });
  }

  for (const [path, demand] of Object.entries(CHOICES)) {
    test(`with a ${path} that is none`, () => assertRefused(changed(path, SECRET), `${path} must ${demand}.`));
  }

  test("with a resume entry that says too little", async () => {
    const entry = (more) => changed("resume", [{ interruptId: "i", status: "resolved", ...more }]);
    await assertRefused(changed("resume", [SECRET]), "resume[0] must be an object.");
    await assertRefused(entry({ interruptId: undefined }), "resume[0].interruptId is required.");
    await assertRefused(entry({ interruptId: 7 }), "resume[0].interruptId must be a string.");
    await assertRefused(entry({ status: undefined }), "resume[0].status is required.");
    await assertRefused(entry({ status: SECRET }), "resume[0].status must be resolved or cancelled.");
  });
});

describe("the bounds of a RunAgentInput", { concurrency: true }, () => {
  const many = (count, item) => Array.from({ length: count }, (_, at) => item(at));
  const BOUNDS = {
    "2,001 messages": ["messages", many(2_001, (at) => ({ id: `m${at}`, role: "user", content: "x" })), "hold at most 2000 items"],
    "129 tools": ["tools", many(129, (at) => ({ name: `t${at}`, description: "" })), "hold at most 128 items"],
    "129 entries of context": ["context", many(129, () => ({ description: "d", value: "v" })), "hold at most 128 items"],
    "129 answers": ["resume", many(129, (at) => ({ interruptId: `i${at}`, status: "resolved" })), "hold at most 128 items"],
    "257 parts": ["messages[7].content", many(257, () => ({ type: "text", text: "x" })), "hold at most 256 items"],
    "an id of 4,097 bytes": ["runId", "x".repeat(4_097), "be at most 4096 bytes long"],
    "an empty thread": ["threadId", "", "not be empty"],
    "an empty run": ["runId", "", "not be empty"],
    "two tools of one name": ["tools", many(2, () => ({ name: "look", description: "" })), "not be the name of another tool", "tools[1].name"],
  };
  for (const [name, [path, value, demand, told = path]] of Object.entries(BOUNDS)) {
    test(`refuse ${name}`, () => assertRefused({ ...changed(path, value), ...(path === "runId" ? {} : { runId: fresh("run") }) }, `${told} must ${demand}.`));
  }

  const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  test("refuse nesting past 64 levels, the body's own included, and nothing before", async () => {
    const fine = runInput({ model: "replay/empty-answer", state: nested(63) });
    assert.equal((await (await open(`${worker.url}/agui`, { method: "POST", body: fine })).end()).status, 200);
    await assertRefused(runInput({ state: nested(64) }), "the body must not be nested deeper than 64 levels.");
  });

  test("refuse more than 32,768 objects and arrays", () =>
    assertRefused(runInput({ state: many(40_000, () => []) }), "the body must not hold more than 32768 objects and arrays."));
});
