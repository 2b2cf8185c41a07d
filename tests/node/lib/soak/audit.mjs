// What readers got, held against what the record replays.

import { stored } from "../disk.mjs";
import { whole } from "../http.mjs";
import { again, canonical, follower, frame, isEnd, official, Official } from "./readers.mjs";

/** Counts of what must not be. Each is 0 where all promises hold. */
export class Audit {
  lost = 0;
  repeated = 0;
  reordered = 0;
  altered = 0;
  /** Answers that a reader saw and that the record does not hold. */
  absent = 0;
  falseEnds = 0;
  executedAgain = 0;
  toolsAgain = 0;
  unequalTranscripts = 0;
  open = 0;
  /** What was looked at. */
  readers = 0;
  connections = 0;
  interrupted = 0;
  events = 0;
  ends = {};
  modelCalls = 0;
  tools = 0;
  notes = [];

  note(key, text) {
    this[key] += 1;
    if (this.notes.length < 20) this.notes.push(`${key}: ${text}`);
  }

  /** One run: its journal, its calls, and all its readers. */
  async run(played) {
    const { host, run } = played;
    const replays = {
      agui: await replayed(again(run), host),
      customer: await replayed(canonical(run, "customer"), host),
      operator: await replayed(canonical(run, "operator"), host),
    };
    const worker = await host.up();
    const record = JSON.parse((await whole(`${worker.url}/v1/runs/${run}`)).text);
    if (record.status === "started") this.note("open", run);
    this.ends[record.failure?.code ?? record.status] = (this.ends[record.failure?.code ?? record.status] ?? 0) + 1;
    this.#once(played, replays.operator);
    for (const reader of played.readers) await this.#reader(played, reader, replays);
  }

  /** The model was asked for each response once at most, and no tool of a run began twice. */
  #once({ run, calls }, operator) {
    this.modelCalls += calls.length;
    if (new Set(calls).size !== calls.length) this.note("executedAgain", `${run} asked for ${calls}`);
    const begun = operator.filter(({ type }) => type === "task_started").length;
    if (begun !== 1) this.note("executedAgain", `${run} began ${begun} times`);
    const seqs = operator.map(({ id }) => Number(id.split(".")[0]));
    if (seqs.some((seq, at) => seq !== at + 1)) this.note("lost", `${run} has a gap in its own journal`);
    const started = operator.filter(({ type }) => type === "tool_start").map(({ raw }) => raw.match(/"call":"([^"]*)"/)?.[1]);
    this.tools += started.length;
    if (new Set(started).size !== started.length) this.note("toolsAgain", `${run} ran ${started}`);
    if (operator.filter(isEnd).length !== 1 || !isEnd(operator.at(-1))) this.note("lost", `${run} has not one end`);
  }

  async #reader(played, reader, replays) {
    this.readers += 1;
    this.connections += reader.connections;
    if (reader instanceof Official) return this.#official(played, reader, replays.agui);
    const replay = reader.name.startsWith("the customer") ? replays.customer : reader.name.startsWith("the operator") ? replays.operator : replays.agui;
    const joined = reader.prelude.length > 0;
    if (joined && reader.frames.length > 0) {
      // The prelude's last frame has the cut for its cursor; behind it comes what the replay holds behind the cut.
      const cut = Number(reader.frames[0].id);
      this.#compare(reader, reader.frames.slice(1), replay.filter(({ id }) => Number(id.split(".")[0]) > cut));
    } else this.#compare(reader, reader.frames, replay);
  }

  /** What one reader has seen is the replay, frame by frame. */
  #compare(reader, seen, replay) {
    this.falseEnds += reader.falseEnds;
    this.interrupted += reader.interrupted;
    this.events += seen.length;
    const known = new Map(replay.map(({ id, raw }, at) => [id, { at, raw }]));
    const ids = new Set();
    let last = -1;
    for (const { id, raw, type } of seen) {
      const found = known.get(id);
      if (ids.has(id)) this.note("repeated", `${reader.name} at ${id}`);
      else if (found === undefined) this.note(ANSWERS.includes(type) ? "absent" : "altered", `${reader.name} at ${id}: ${raw}`);
      else if (found.raw !== raw) this.note(ANSWERS.includes(type) ? "absent" : "altered", `${reader.name} at ${id}: ${raw}\n  is now ${found.raw}`);
      else if (found.at < last) this.note("reordered", `${reader.name} at ${id}`);
      ids.add(id);
      last = Math.max(last, found?.at ?? -1);
    }
    for (const { id } of replay) if (!ids.has(id)) this.note("lost", `${reader.name} misses ${id}`);
  }

  /** The official client ends with what one that comes now gets, and has never seen an answer that is not there. */
  async #official({ host, run }, reader, replay) {
    const known = new Map(replay.map(({ id, raw }) => [id, raw]));
    for (const bytes of reader.attempts) {
      const frames = bytes.toString("latin1").split("\n\n").slice(0, -1).filter((raw) => !raw.startsWith(":")).map(frame);
      for (const { id, raw, type } of frames.filter(({ type }) => ANSWERS.includes(type))) {
        this.events += 1;
        if (id !== undefined && known.get(id) !== raw) this.note("absent", `${reader.name} saw ${type} at ${id}`);
      }
    }
    const now = await official(await host.up(), reader.input, undefined, true);
    if (JSON.stringify(now.transcript) !== JSON.stringify(reader.transcript)) {
      this.note("unequalTranscripts", `${run}: ${JSON.stringify(reader.transcript)}\n  is now ${JSON.stringify(now.transcript)}`);
    }
  }

  /** One that followed a thread has seen all its runs, one after the other. */
  async follower({ host, thread, view, reader }, runs) {
    this.readers += 1;
    this.connections += reader.connections;
    const ended = reader.frames.filter(isEnd).length;
    const all = follower(thread, view, () => Math.min(ended || 1, runs));
    if (ended > 0) await all.read(host);
    const upTo = all.frames.findIndex(({ id }) => id === reader.cursor);
    // One that was stopped may have begun to read the next run.
    const replay = upTo < 0 ? all.frames : all.frames.slice(0, upTo + 1);
    const seen = upTo < 0 ? reader.frames.slice(0, all.frames.length) : reader.frames;
    this.#compare({ name: reader.name, falseEnds: 0, interrupted: reader.interrupted }, seen, replay);
  }

  /** Every run on disk has ended. Nothing may be running there. */
  disk(folder) {
    const heads = stored(folder, "%/head");
    const open = heads.filter(([, text]) => JSON.parse(text).status === "started");
    for (const [key] of open) this.note("open", key);
    return heads.length;
  }
}

/** The frames that carry an answer's text. */
const ANSWERS = ["content", "TEXT_MESSAGE_CONTENT"];

async function replayed(reader, host) {
  await reader.read(host);
  return reader.frames;
}
