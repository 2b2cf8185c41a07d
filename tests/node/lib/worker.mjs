// The built Worker in workerd, one for each test file, and its routes.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { serve } from "../../../js/scripts/serve.mjs";
import { eventually, open, whole } from "./http.mjs";

/** Each commit waits for the disk. In memory, where the machine has such a folder, that costs nothing. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A folder for state, away from the repository. */
export const stateFolder = () => mkdtemp(join(ROOT, "lastword-test-"));

export const removeFolder = (path) => rm(path, { recursive: true, force: true, maxRetries: 5 });

/** A Worker that serves, and what can be asked of it. */
export class Worker {
  /** What it has written to its console. */
  logs = [];
  #server;

  /** Starts on a free port, in development mode unless `vars` say otherwise. `rest` goes to `serve`. */
  async start(vars = {}, persist, rest = {}) {
    const onLog = ({ message }) => this.logs.push(message);
    this.#server = await serve({ port: 0, vars: { LASTWORD_DEV: "1", ...vars }, persist, onLog, ...rest });
    this.url = this.#server.url;
    return this;
  }

  /** The id of its process. */
  get pid() {
    return this.#server.pid;
  }

  stop() {
    return this.#server.stop();
  }

  /** Ends it as a power cut would. */
  kill() {
    return this.#server.kill();
  }

  /** POST /agui. */
  post(body, headers) {
    return open(`${this.url}/agui`, { method: "POST", body, headers });
  }

  /** GET /agui/runs/{run}: joins, or reads on behind a cursor. */
  join(run, cursor) {
    return open(`${this.url}/agui/runs/${encodeURIComponent(run)}`, { headers: lastEventId(cursor) });
  }

  /** GET /v1/runs/{run}/events. `query` may name `view`, `after` and `types`. */
  events(run, query = {}, cursor) {
    const search = new URLSearchParams(query);
    return open(`${this.url}/v1/runs/${encodeURIComponent(run)}/events?${search}`, { headers: lastEventId(cursor) });
  }

  /** GET /v1/threads/{thread}/events. `query` as of `events`. */
  follow(thread, query = {}, cursor) {
    const search = new URLSearchParams(query);
    return open(`${this.url}/v1/threads/${encodeURIComponent(thread)}/events?${search}`, { headers: lastEventId(cursor) });
  }

  /** All events, once the run has ended, as JSON. */
  async eventsOf(run, view) {
    const exchange = await (await this.events(run, view ? { view } : {})).end();
    return exchange.frames.map((frame) => frame.json);
  }

  /** GET /v1/runs/{run}: `{status, text, json}`. */
  async record(run) {
    const { status, text } = await whole(`${this.url}/v1/runs/${encodeURIComponent(run)}`);
    return { status, text, json: JSON.parse(text) };
  }

  /** The record's JSON once the run has ended. */
  ended(run) {
    return eventually(async () => {
      const { json } = await this.record(run);
      return json.status && json.status !== "started" && json;
    }, `the end of ${run}`);
  }

  /** POST /v1/runs/{run}/cancel: `{status, json}`. */
  async cancel(run) {
    const { status, text } = await whole(`${this.url}/v1/runs/${encodeURIComponent(run)}/cancel`, { method: "POST" });
    return { status, json: JSON.parse(text) };
  }
}

const lastEventId = (cursor) => (cursor === undefined ? {} : { "last-event-id": cursor });

/**
 * A Worker for all tests of a file: started before the first and ended after the last. Its log may hold failures by
 * code, run and reference, what the output filter has found by rule, the format that was detected, and nothing else.
 */
export function sharedWorker(vars = {}) {
  const worker = new Worker();
  let folder;
  before(async () => {
    folder = await stateFolder();
    await worker.start(vars, folder);
  });
  after(async () => {
    await worker.stop();
    await removeFolder(folder);
    for (const line of worker.logs) {
      const strange = Object.keys(JSON.parse(line)).filter((key) => !["code", "reference", "run", "reader", "found", "format"].includes(key));
      assert.deepEqual(strange, [], line);
      // What the output filter has found is counted by the names of rules.
      const counted = Object.entries(JSON.parse(line).found ?? {}).every(([rule, times]) => /^[a-z0-9_]+$/.test(rule) && times > 0);
      assert.ok(counted, line);
    }
  });
  return worker;
}

let count = 0;

/** An id that no other test has. */
export const fresh = (kind) => `${kind}-${process.pid}-${(count += 1)}`;

/** A RunAgentInput as the official client sends it. `rest` is laid over it. */
export function runInput({ run = fresh("run"), thread = fresh("thread"), text = "Hello?", model, ...rest } = {}) {
  return {
    threadId: thread,
    runId: run,
    protocolVersion: "1.0",
    state: {},
    messages: [{ id: `${run}-q`, role: "user", content: text }],
    tools: [],
    context: [],
    forwardedProps: model ? { model } : {},
    ...rest,
  };
}

/** A `prelude` for `serve`: lets a request with the header `x-trap` run into an `unreachable`, as a bug in the module would. */
export const TRAP = `
  const Instance = WebAssembly.Instance;
  const trap = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const fetch = (request, ...rest) => (request.headers.has("x-trap") ? trap() : exports.fetch(request, ...rest));
    return { exports: { ...exports, fetch } };
  };
`;
