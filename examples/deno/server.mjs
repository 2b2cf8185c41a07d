// `POST /{thread}/{run}` begins a run or joins it, `GET` reads it again: it is kept in Deno KV.

import { denoKv, replay, respond } from "lastword";
import { ask } from "./agent.mjs";

const store = denoKv(await Deno.openKv(Deno.env.get("KV_FILE")));
const onListen = ({ port }) => console.log(`http://127.0.0.1:${port}`);

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 3000), hostname: "127.0.0.1", onListen }, async (request) => {
  const [, thread, run] = new URL(request.url).pathname.split("/");
  const options = { store, thread, run, to: "ui-stream", request };
  if (request.method === "GET") return replay(options).response;
  const { question } = await request.json();
  return respond(ask(question, Deno.env.toObject()), options).response;
});
