// A real browser, driven over WebDriver, and pages of an origin of their own for it.

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import http from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { has } from "../../../js/scripts/lib/run.mjs";
import { eventually } from "./http.mjs";

/** True if this machine has a browser to drive. */
export const hasBrowser = () => has("chromedriver");

/** How a page's files are named to the browser. */
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/** A server of an empty page on a free port: an origin that nobody else has. `files` are served beside it, by path. */
export async function startPage(files = {}) {
  const page = "<!doctype html><title>page</title>";
  const server = http.createServer(async (request, response) => {
    const file = Object.hasOwn(files, request.url) ? files[request.url] : undefined;
    response.setHeader("content-type", file ? TYPES[extname(file)] : "text/html");
    response.end(file ? await readFile(file) : page);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}

/** A server of a folder: its pages are of an origin that nobody else has. */
export function startFolder(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = paths.map((entry) => join(entry.parentPath, entry.name)).map((path) => [path.slice(folder.length), path]);
  return startPage({ ...Object.fromEntries(files), "/": join(folder, "index.html") });
}

/** Starts a browser. `run(url, source, ...args)` opens a page and gives what the async function `source` returns in it. */
export async function startBrowser() {
  const profile = await mkdtemp(join(tmpdir(), "lastword-browser-"));
  const driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  driver.stdout.on("data", (chunk) => (said += chunk));
  const port = await eventually(() => said.match(/successfully on port (\d+)/)?.[1], "the driver's port");
  const call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebDriver: ${value.error}: ${value.message}`);
    return value;
  };
  const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  const options = { browserName: "chrome", "goog:chromeOptions": { args }, timeouts: { script: 30_000 } };
  const end = async () => {
    driver.kill();
    await new Promise((done) => driver.on("close", done));
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  const begun = call("POST", "/session", { capabilities: { alwaysMatch: options } });
  const { sessionId } = await begun.catch((error) => end().then(() => Promise.reject(error)));
  const session = `/session/${sessionId}`;
  return {
    async run(url, source, ...args) {
      await call("POST", `${session}/url`, { url });
      const script = `const done = arguments[arguments.length - 1];
        (${source})(...[...arguments].slice(0, -1)).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      return call("POST", `${session}/execute/async`, { script, args });
    },
    async stop() {
      await call("DELETE", session).catch(() => {});
      await end();
    },
  };
}
