// `POST /{thread}/{run}` begins a run or joins it, `GET` reads it again: it is kept in SQLite.

import { Database } from "bun:sqlite";
import { replay, respond } from "lastword";
import { sqlite } from "lastword/stores/node";
import { ask } from "./agent.mjs";

const store = sqlite(new Database("runs.sqlite"));

const { port } = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  idleTimeout: 30, // Bun's own 10 seconds are less than the 15 between two heartbeats.
  async fetch(request) {
    const [, thread, run] = new URL(request.url).pathname.split("/");
    const options = { store, thread, run, to: "ui-stream", request };
    if (request.method === "GET") return replay(options).response;
    const { question } = await request.json();
    return respond(ask(question, process.env), options).response;
  },
});
console.log(`http://127.0.0.1:${port}`);
