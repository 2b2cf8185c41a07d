// Workers AI through the binding `AI`: what it is run with, whatever it gives back, and what is said where there is none.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import OpenAI from "openai";
import { whole } from "./lib/http.mjs";
import { fresh, Worker } from "./lib/worker.mjs";

/** The binding as the platform has it, as far as its callers can see: a model's name says what it gives. */
const AI = `
import { WorkerEntrypoint } from "cloudflare:workers";
const bytes = (text) => new Response(text).body;
const says = (...pieces) => pieces.map((piece) => "data: " + (typeof piece === "string" ? piece : JSON.stringify(piece)) + "\\n\\n").join("");
export class Ai extends WorkerEntrypoint {
  async run(model, inputs, options) {
    const told = says({ response: model + " was told " + inputs.messages.at(-1).content + " " + inputs.stream + " " + options.returnRawResponse }, "[DONE]");
    if (model === "@cf/response") return new Response(told, { headers: { "content-type": "text/event-stream" } });
    if (model === "@cf/stream") return bytes(told);
    if (model === "@cf/whole") return { response: "It does not stream.", usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } };
    if (model === "@cf/cut") return new Response(says({ response: "Half" }));
    if (model === "@cf/refused") return new Response("no", { status: 401 });
    throw new Error("no such model");
  }
}
export default { fetch: () => new Response() };
`;

async function started(vars, rest) {
  const worker = await new Worker().start({ LASTWORD_PROVIDER: "workers-ai", LASTWORD_MODEL: "@cf/response", ...vars }, undefined, rest);
  after(() => worker.stop());
  return worker;
}

const ask = (worker, model) => {
  const client = new OpenAI({ apiKey: "none", baseURL: `${worker.url}/v1`, maxRetries: 0 });
  return client.chat.completions.create({ model, messages: [{ role: "user", content: "Hello" }] });
};

describe("the binding of Workers AI", () => {
  for (const store of ["durable-object", "kv"]) {
    test(`gives a response, a stream or an answer, over ${store}`, async () => {
      const worker = await started({ LASTWORD_STORE: store }, { ai: AI });
      for (const model of ["@cf/response", "@cf/stream"]) {
        const { choices } = await ask(worker, model);
        assert.equal(choices[0].message.content, `${model} was told Hello true true`);
      }
      const { choices, usage } = await ask(worker, "@cf/whole");
      assert.deepEqual([choices[0].message.content, usage.total_tokens], ["It does not stream.", 3]);
      for (const [model, code] of [["@cf/cut", "upstream_unavailable"], ["@cf/refused", "upstream_rejected"], ["@cf/none", "upstream_unavailable"]]) {
        await assert.rejects(ask(worker, model), (error) => error.code === code, model);
      }
    });
  }

  test("is named where it is missing, and so is the address that would do without it", async () => {
    const worker = await started({}, {});
    const { status, text } = await whole(`${worker.url}/v1/runs/${fresh("run")}`);
    assert.equal(status, 503);
    assert.match(JSON.parse(text).error.message, /LASTWORD_UPSTREAM_URL.*binding AI/);
  });
});
