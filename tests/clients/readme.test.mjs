// Each row of the README's table "your client → base URL", with the real package.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { recording } from "../node/lib/recordings.mjs";
import { fresh, sharedWorker } from "../node/lib/worker.mjs";
import { askAll } from "./matrix.mjs";

const worker = sharedWorker({ LASTWORD_MODEL: "replay/reasoning-beside-text" });
const { answer, model } = recording("reasoning-beside-text");

const table = readFileSync(inside("README.md"), "utf8").split("| your client | base URL | wire |\n|---|---|---|\n")[1];
const rows = table.split("\n\n")[0].trim().split("\n").map((line) => {
  const [client, url, wires] = line.split("|").slice(1, -1).map((cell) => cell.trim());
  return { client, url: url.replaceAll("`", ""), wires: wires.replaceAll("`", "").split(", ") };
});

/** The package that a row names, and in which languages. */
function clientsOf({ client, wires }) {
  const languages = client.includes("Python") ? ["JavaScript", "Python"] : ["JavaScript"];
  const kind = [["LangChain", "langchain"], ["AI SDK: `@", "ai-sdk"], ["OpenAI's", "openai"], ["Anthropic's", "anthropic"]];
  const [, name] = kind.find(([words]) => client.startsWith(words)) ?? [];
  return name && wires.flatMap((wire) => languages.map((language) => ({ language, wire, client: `${name} stream` })));
}

async function uiAnswer(api) {
  const transport = new DefaultChatTransport({ api });
  const messages = [{ id: fresh("message"), role: "user", parts: [{ type: "text", text: "Hi" }] }];
  const stream = await transport.sendMessages({ chatId: fresh("chat"), trigger: "submit-message", messages });
  let last;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return last.parts.filter(({ type }) => type === "text").map(({ text }) => text).join("");
}

async function agUiAnswer(url) {
  const agent = new HttpAgent({ url, threadId: fresh("thread") });
  agent.addMessage({ id: "m1", role: "user", content: "Hi" });
  await agent.runAgent({ runId: fresh("run") });
  return agent.messages.at(-1).content;
}

test("the README's table of clients has a row for each wire", () => {
  assert.deepEqual([...new Set(rows.flatMap(({ wires }) => wires))].sort(), ["ag-ui", "chat", "messages", "responses", "ui"]);
});

for (const row of rows) {
  test(`${row.client} is given the answer at ${row.url}`, async () => {
    const base = row.url.replace("http://127.0.0.1:8787", worker.url);
    const clients = clientsOf(row);
    if (!clients) {
      assert.equal(await { ui: uiAnswer, "ag-ui": agUiAnswer }[row.wires[0]](base), answer);
      return;
    }
    const told = await askAll(clients.map((one) => ({ ...one, base, model, text: "Hi", key: fresh("key") })));
    for (const [at, { text, error }] of told.entries()) assert.deepEqual({ text, error }, { text: answer, error: null }, clients[at].language);
  });
}
