// Readers that lose their connection and come back by cursor, as clients do.

import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { agentFor, byGet } from "../oracle.mjs";

/** The types with which a run ends: by the canonical wire, and by AG-UI. */
const ENDS = ["task_completed", "task_failed", "task_cancelled", "approval_requested", "RUN_FINISHED", "RUN_ERROR"];

export const isEnd = ({ id, type }) => id !== undefined && ENDS.includes(type);

/** Sends a request. Gives `{status, text()}` or, for a stream, `{status, frames}`, an iterator that throws where it breaks. */
export function request(url, { method = "GET", headers = {}, body, onAnswer } = {}) {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const type = payload === undefined ? {} : { "content-type": "application/json" };
  return new Promise((done, fail) => {
    const sent = http.request(url, { method, headers: { ...type, ...headers }, agent: false });
    sent.on("error", fail);
    sent.on("response", (response) => {
      response.on("error", () => {});
      onAnswer?.(response.statusCode);
      const leave = () => sent.destroy();
      const text = async () => Buffer.concat(await response.toArray()).toString();
      done({ status: response.statusCode, text, frames: frames(response), leave });
    });
    sent.end(payload);
  });
}

/** The frames of a body: `{raw, id?, type, code?}`. Comments are left out, and so is a frame that has not come whole. */
async function* frames(response) {
  let rest = "";
  response.setEncoding("latin1");
  for await (const chunk of response) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop();
    for (const raw of blocks) if (!raw.startsWith(":")) yield frame(raw);
  }
  if (!response.complete) throw new Error("the connection broke");
  if (rest !== "") throw new Error("the stream ended inside a frame");
}

export function frame(raw) {
  const id = raw.match(/^id: (.*)$/m)?.[1];
  const type = raw.match(/^data: \{"type":"([^"]*)"/m)?.[1];
  const code = id === undefined ? raw.match(/"code":"([^"]*)"/)?.[1] : undefined;
  return { raw, id, type, code };
}

/** One stream that is read to its end over as many connections as that takes. */
export class Reader {
  /** All frames with a cursor, in the order in which they came. */
  frames = [];
  /** What came before the first of them: of a reader that joins. */
  prelude = [];
  connections = 0;
  interrupted = 0;
  /** Ends without a terminal that pass for a clean one. */
  falseEnds = 0;
  #open;
  #stopped = false;

  /**
   * `open(worker, cursor)` says what is asked: `{url, method, headers, body}`. `name` is for reports; `until` tells
   * from a frame whether the stream is over, `waits` whether an answer (`{status, code}`) is one to wait for.
   */
  constructor(name, open, { until = isEnd, waits = () => false, endless = false } = {}) {
    Object.assign(this, { name, until, waits, endless });
    this.#open = open;
  }

  get cursor() {
    return this.frames.at(-1)?.id;
  }

  /** Reads until the end. `started`, if given, is called with the first answer. */
  async read(host, started = () => {}) {
    while (!this.#stopped && !this.isOver) {
      const worker = await host.up();
      try {
        const { url, ...init } = this.#open(worker, this.cursor);
        const answer = await request(url, init);
        this.connections += 1;
        if (answer.status === 200) {
          started(200);
          this.leave = answer.leave;
          if (this.#stopped) this.leave();
          await this.#take(answer.frames);
        } else await this.#refused(answer, started);
      } catch (error) {
        if (error instanceof Refusal) throw error;
      }
      if (!this.isOver && !this.#stopped) await sleep(30);
    }
  }

  /** Stops reading wherever it is. */
  stop() {
    this.#stopped = true;
    this.leave?.();
  }

  async #take(frames) {
    const [prelude, broken] = [[], this.interrupted];
    for await (const frame of frames) {
      if (frame.code === "stream_interrupted") this.interrupted += 1;
      else if (frame.id === undefined) prelude.push(frame);
      else {
        if (prelude.length > 0) this.prelude = prelude.splice(0);
        this.frames.push(frame);
        this.isOver ||= this.until(frame, this.frames);
        // A thread's stream goes on; behind a run's end its own must close.
        if (this.isOver && this.endless) return this.stop();
      }
    }
    if (!this.isOver && !this.#stopped && this.interrupted === broken) this.falseEnds += 1;
  }

  async #refused(answer, started) {
    const text = await answer.text();
    const code = text ? JSON.parse(text).error?.code : "";
    if (answer.status === 204 && this.frames.length > 0) this.isOver = true;
    else if (!this.waits({ status: answer.status, code })) throw new Refusal(this.name, answer.status, code);
    started(answer.status);
  }
}

/** An answer that nobody should get. */
export class Refusal extends Error {
  constructor(name, status, code) {
    super(`${name} was told ${status} ${code}`);
  }
}

const at = (worker, run) => `${worker.url}/agui/runs/${encodeURIComponent(run)}`;
const lastId = (cursor) => (cursor === undefined ? {} : { "last-event-id": cursor });
/** Who asks before the run is there waits for it. */
const soon = { waits: ({ status }) => status === 404 };

/** The client that begins a run, and reads it. Where its connection breaks it posts the same again. */
export function poster(input) {
  let posted = false;
  return new Reader(`the poster of ${input.runId}`, (worker, cursor) => {
    const headers = lastId(cursor ?? (posted ? "0" : undefined));
    posted = true;
    return { url: `${worker.url}/agui`, method: "POST", headers, body: input };
  });
}

/** A client that reads AG-UI from the first event. */
export const again = (run) => new Reader(`AG-UI of ${run}`, (worker, cursor = "0") => ({ url: at(worker, run), headers: lastId(cursor) }), soon);

/** A client that joins a run over AG-UI. */
export const joiner = (run) => new Reader(`a joiner of ${run}`, (worker, cursor) => ({ url: at(worker, run), headers: lastId(cursor) }), soon);

/** A reader of the canonical wire in a view. */
export function canonical(run, view) {
  const open = (worker, after = "0") => ({ url: `${worker.url}/v1/runs/${encodeURIComponent(run)}/events?${new URLSearchParams({ view, after })}` });
  return new Reader(`the ${view}'s view of ${run}`, open, soon);
}

/** Follows a thread in a view, until so many of its runs have ended. */
export function follower(thread, view, runs) {
  const path = `/v1/threads/${encodeURIComponent(thread)}/events?view=${view}`;
  const open = (worker, cursor) => ({ url: worker.url + path, headers: lastId(cursor) });
  const until = (_, frames) => frames.filter(isEnd).length >= runs();
  return new Reader(`the ${view}'s view of ${thread}`, open, { until, endless: true });
}

/** The official client: it posts, and where it is cut off a fresh one posts the same again, and so joins. */
export class Official {
  attempts = [];
  connections = 0;

  constructor(input) {
    this.input = input;
    this.name = `the official client of ${input.runId}`;
  }

  async read(host, started = () => {}) {
    for (;;) {
      const worker = await host.up();
      this.connections += 1;
      const { transcript, terminal, bytes } = await official(worker, this.input, () => started(200));
      if (bytes) this.attempts.push(bytes);
      if (terminal && terminal.code !== "stream_interrupted") {
        Object.assign(this, { transcript, terminal });
        return;
      }
      await sleep(30);
    }
  }
}

// It says on the console that its connection broke, which here it is meant to.
const { error } = console;
console.error = (...words) => words[0] === "Agent execution failed:" || error(...words);

/** One attempt of the official client. `joins` reads the run at its own address. */
export async function official(worker, { runId, threadId, messages, tools, forwardedProps, resume }, onAnswer, joins = false) {
  const onHeaders = (response) => response.status === 200 && onAnswer?.();
  const via = joins ? byGet(worker.url, runId) : undefined;
  const agent = agentFor(worker.url, { thread: threadId, messages, onHeaders, ...(via && { via }) });
  let terminal;
  const take = ({ event }) => void (terminal = event);
  const subscriber = { onRunFinishedEvent: take, onRunErrorEvent: take };
  await agent.runAgent({ runId, tools, forwardedProps, ...(resume && { resume }) }, subscriber).catch(() => {});
  return { transcript: structuredClone(agent.messages), terminal, bytes: agent.captured[0] };
}
