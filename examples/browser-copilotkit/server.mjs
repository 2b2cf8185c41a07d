// Answers `/agui`, and serves the page that Vite has built.

import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { createHandler } from "lastword";
import { fileSystem } from "lastword/stores/node";

const { PORT = "3000", UPSTREAM_URL: upstream, UPSTREAM_MODEL: model, UPSTREAM_KEY: apiKey } = process.env;
const handle = createHandler({ store: fileSystem("runs"), upstream, model, apiKey, dev: true });

const app = new Hono();
app.all("/agui/*", (c) => handle(c.req.raw));
app.use("*", serveStatic({ root: "dist" }));

serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
