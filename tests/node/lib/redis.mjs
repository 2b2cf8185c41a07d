// A Redis of a test's own, and Upstash's REST in front of it.

import { spawn } from "node:child_process";
import http from "node:http";
import { createClient } from "redis";
import { redisServer } from "../../../js/scripts/lib/setup.mjs";
import { eventually } from "./http.mjs";
import { freePort } from "./ports.mjs";
import { removeFolder, stateFolder } from "./worker.mjs";

/**
 * Starts a Redis on a free port of loopback. With `durable` each answer comes once the disk has it, and `restart()`
 * ends it as a power cut would and starts it with what the disk has. Otherwise it keeps nothing.
 */
export async function startRedis({ durable = false, config = [] } = {}) {
  const { program, missing } = await redisServer();
  if (missing) throw new Error(`missing: ${missing}`);
  const folder = await stateFolder();
  const port = await freePort();
  const kept = durable ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  const args = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", ...kept, ...config];
  let child = await start(program, args);
  const end = async (signal) => {
    const gone = new Promise((done) => child.once("exit", done));
    if (child.exitCode === null && child.signalCode === null && child.kill(signal)) await gone;
  };
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async restart() {
      await end("SIGKILL");
      child = await start(program, args);
    },
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGKILL");
      await removeFolder(folder);
    },
  };
}

/** Servers that are running, so that none outlives this process. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Starts the program; resolves once it takes connections. */
function start(program, args) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return new Promise((done, fail) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("Ready to accept connections")) done(child);
    });
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`Redis has ended (${code}): ${said.slice(-500)}`)));
  });
}

/** Upstash's token here, which is nobody's. */
const TOKEN = ["of", "upstash", "here"].join("-");

/**
 * Upstash's REST in front of a Redis: a command is a JSON array, several go to `/pipeline`, texts come back in Base64
 * where the client asks for it. `lose(times)` does so many next requests and breaks off before they are answered.
 */
export async function startUpstash(redis) {
  const client = createClient({ url: redis.url, socket: { reconnectStrategy: () => 20 } });
  client.on("error", () => {});
  await client.connect();
  let losing = 0;
  const perform = async (command, pack) => {
    try {
      return { result: pack(await client.sendCommand(command.map(String))) };
    } catch (error) {
      return { error: error.message };
    }
  };
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(response, 401, { error: "Unauthorized" });
    const pack = request.headers["upstash-encoding"] === "base64" ? toBase64 : (value) => value;
    const isLost = losing > 0;
    losing -= isLost ? 1 : 0;
    const many = request.url === "/pipeline";
    const results = await Promise.all((many ? body : [body]).map((command) => perform(command, pack)));
    if (isLost) return request.socket.destroy();
    if (many) return answer(response, 200, results);
    answer(response, results[0].error ? 400 : 200, results[0]);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    token: TOKEN,
    lose: (times) => (losing = times),
    /** Resolves once it reaches the Redis again. */
    ready: () => eventually(() => client.ping().catch(() => false), "Redis answers"),
    async stop() {
      await new Promise((done) => (server.close(done), server.closeAllConnections()));
      client.destroy();
    },
  };
}

function answer(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function toBase64(value) {
  if (Array.isArray(value)) return value.map(toBase64);
  return typeof value === "string" && value !== "OK" ? Buffer.from(value).toString("base64") : value;
}
