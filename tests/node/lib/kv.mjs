// Workers KV as it may be at its worst, and bare workerd in front of it: there a namespace is plain HTTP to a service,
// so that this one can be put in. Each Worker stands in a place of its own, with its own view of the store.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import workerd from "workerd";
import { inside } from "../../../js/scripts/lib/paths.mjs";
import { removeFolder, stateFolder, Worker } from "./worker.mjs";

/** The platform's limits: bytes of a key, bytes of a value, milliseconds between two writes of a key, seconds to keep one. */
const [KEY, VALUE, INTERVAL, TTL] = [512, 25 << 20, 1000, 60];

/**
 * A store that keeps every version of every value, so that a read can be answered with an older one.
 *
 * - `staleness`: milliseconds. Each read gets some value that was current within that time, whichever, so that a later
 *   read may get an older one and keys come in any order; 0 reads the newest.
 * - `lag`: each read gets what was current exactly so long ago, instead of whichever.
 * - `home`: a place reads its own writes at once, as the platform does mostly. Without it not even that.
 * - `fast`: true refuses a write, or a deletion, within a second of the last one of its key, with 429.
 * - `lost`: how often a write is made and answered with an error, or not made and answered with one, out of 1.
 * - `page`: how many keys a list gives at a time.
 * - `seed`: of the random choices.
 *
 * A list is as old as a read may be, for whoever has written too.
 */
export class BadKv {
  /** `{place, method, key, status}` of every request. */
  log = [];
  #versions = new Map();
  #servers = [];
  #options;
  #random;
  #page;
  #passed = 0;

  constructor({ staleness = 0, lag = false, home = true, fast = false, lost = 0, page = 1000, seed = 1 } = {}) {
    this.#options = { staleness, lag, home, fast, lost };
    this.#page = page;
    this.#random = generator(seed);
  }

  /** The keys that have a value now, in order. */
  get keys() {
    return this.#listed(0);
  }

  /** The newest value under a key, as text. */
  text(key) {
    return this.#current(this.#newest(key))?.toString();
  }

  /** The newest value under the one key that ends so, as JSON. */
  json(end) {
    const found = this.keys.filter((key) => key.endsWith(end));
    assert.equal(found.length, 1, `${found.length} keys end with ${end}`);
    return JSON.parse(this.text(found[0]));
  }

  /** For how many seconds a key is kept after its last write, if not for ever. */
  ttl(key) {
    return this.#newest(key)?.ttl;
  }

  /** So many milliseconds pass, for the store alone. */
  pass(span) {
    this.#passed += span;
  }

  /** From now on every read gets the newest value, and every write is taken. */
  heal() {
    this.#options = { staleness: 0, home: true, fast: false, lost: 0 };
  }

  /** Serves the store as it is seen from a place. Returns the port. */
  async serve(place) {
    const server = http.createServer({ noDelay: true }, async (request, response) => {
      const url = new URL(request.url, "http://kv");
      const key = decodeURIComponent(url.pathname.slice(1));
      const body = Buffer.concat(await request.toArray());
      const { status, value } = key ? this.#answer(place, request.method, key, body, url.searchParams) : this.#list(url.searchParams);
      this.log.push({ place, method: request.method, key, status });
      response.writeHead(status).end(value);
    });
    this.#servers.push(server);
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    return server.address().port;
  }

  stop() {
    for (const server of this.#servers) server.close().closeAllConnections();
  }

  #answer(place, method, key, body, search) {
    assert.ok(Buffer.byteLength(key) <= KEY && body.length <= VALUE, `${key}: ${body.length} bytes`);
    if (method === "GET") {
      const value = this.#current(this.#seen(place, key));
      return value ? { status: 200, value } : { status: 404 };
    }
    const ttl = search.has("expiration_ttl") ? Number(search.get("expiration_ttl")) : undefined;
    if (ttl < TTL) return { status: 400 };
    const newest = this.#newest(key);
    if (this.#options.fast && newest && this.#now() - newest.at < INTERVAL) return { status: 429 };
    const lost = this.#random() < this.#options.lost;
    if (!lost || this.#random() < 0.5) {
      const version = { at: this.#now(), place, value: method === "PUT" ? body : undefined, ttl };
      this.#versions.set(key, [...(this.#versions.get(key) ?? []), version]);
    }
    return { status: lost ? 500 : 200 };
  }

  #now() {
    return Date.now() + this.#passed;
  }

  #newest(key) {
    return this.#versions.get(key)?.at(-1);
  }

  /** A version's value, unless it has expired. */
  #current(version) {
    return version?.ttl === undefined || this.#now() < version.at + version.ttl * 1000 ? version?.value : undefined;
  }

  /** A version that was current within the staleness; before its first one a key had none. */
  #seen(place, key) {
    const { staleness, lag, home } = this.#options;
    const versions = [{ at: 0, value: undefined }, ...(this.#versions.get(key) ?? [])];
    const own = home ? versions.findLastIndex((version) => version.place === place) : 0;
    const since = this.#now() - staleness;
    const current = versions.filter((_, index) => index >= own && (versions[index + 1]?.at ?? Infinity) > since);
    if (staleness === 0) return current.at(-1);
    return current[lag ? 0 : Math.floor(this.#random() * current.length)];
  }

  /** The keys that had a value so long ago, in order. */
  #listed(age) {
    const then = (key) => this.#versions.get(key).findLast(({ at }) => at <= this.#now() - age);
    return [...this.#versions.keys()].filter((key) => this.#current(then(key))).sort();
  }

  #list(search) {
    const [prefix, cursor] = [search.get("prefix") ?? "", search.get("cursor") ?? ""];
    const keys = this.#listed(this.#options.staleness).filter((key) => key.startsWith(prefix) && key > cursor);
    const page = keys.slice(0, this.#page);
    const more = page.length < keys.length ? { list_complete: false, cursor: page.at(-1) } : { list_complete: true };
    return { status: 200, value: JSON.stringify({ keys: page.map((name) => ({ name })), ...more }) };
  }
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A Worker over a `BadKv`, in bare workerd: an isolate, and a place, of its own. */
export class KvWorker extends Worker {
  #process;
  #folder;
  #over;

  /** Starts on a free port, in development mode unless `vars` say otherwise; the store is bound as `binding`. */
  async start(kv, place, vars = {}, { binding = "LASTWORD_KV" } = {}) {
    this.#folder = await stateFolder();
    for (const name of ["index.js", "lastword.wasm"]) await copyFile(inside("build/worker", name), join(this.#folder, name));
    const config = join(this.#folder, "config.capnp");
    await writeFile(config, capnp(await kv.serve(place), binding, { LASTWORD_DEV: "1", LASTWORD_STORE: "kv", ...vars }));
    this.#process = spawn(workerd.default, ["serve", config, "--control-fd=3"], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
    this.#over = new Promise((done) => this.#process.on("close", done));
    const told = await new Promise((done, fail) => {
      this.#process.stdio[3].once("data", done);
      this.#over.then(() => fail(new Error("workerd did not start")));
    });
    this.url = `http://127.0.0.1:${JSON.parse(told).port}`;
    return this;
  }

  async stop() {
    this.#process.kill("SIGKILL");
    await this.#over;
    await removeFolder(this.#folder);
  }

  kill() {
    return this.stop();
  }
}

const capnp = (port, binding, vars) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "index.js", esModule = embed "index.js"), (name = "lastword.wasm", wasm = embed "lastword.wasm")],
      compatibilityDate = "2026-11-17",
      bindings = [
        (name = "${binding}", kvNamespace = "kv"),
        ${Object.entries(vars).map(([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`).join(",\n        ")}
      ],
      globalOutbound = "net",
    )),
    (name = "kv", external = (address = "127.0.0.1:${port}", http = ())),
    (name = "net", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
