// One route of an app with `respond`, and all routes of Lastword below a path, kept in a folder.

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createHandler, respond } from "lastword";
import { fileSystem } from "lastword/stores/node";

const { PORT = "3000", UPSTREAM_URL, UPSTREAM_MODEL: model, UPSTREAM_KEY: apiKey } = process.env;
const app = new Hono();

const handle = createHandler({ store: fileSystem("runs"), upstream: UPSTREAM_URL, model, apiKey, basePath: "/ai", dev: true });
app.all("/ai/*", (c) => handle(c.req.raw));

// An agent of your own: whatever it says on the way, the client gets the answer.
app.post("/agent", (c) => respond(agent(), { from: "signals", to: "ui-stream", request: c.req.raw }).response);

async function* agent() {
  yield { type: "text", delta: "Let me look at the order." };
  yield { type: "provider_tool", name: "orders" };
  yield { type: "text", delta: "Your parcel comes on Friday." };
  yield { type: "response_end" };
}

serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
