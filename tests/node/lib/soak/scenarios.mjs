// What is played: threads with their runs, and who reads them.

import { setTimeout as sleep } from "node:timers/promises";
import { clientTools, recording } from "../recordings.mjs";
import { fresh, runInput } from "../worker.mjs";
import { again, canonical, follower, joiner, Official, poster, request } from "./readers.mjs";
import { script, SCRIPTS } from "./scripts.mjs";

const KINDS = Object.keys(SCRIPTS);

/** Recordings that run tools, that wait for a person, or that end otherwise. */
const RECORDED = ["narrated-refund", "parallel-tools", "phases", "refusal", "death-mid-message", "state", "prose-monologue"];
const APPROVALS = ["approval", "approvals-parallel"];

/** One run and all that happened to it. */
class Played {
  readers = [];
  /** The number of each response that the model was asked for. */
  calls = [];
  /** How often its Worker had been killed when the client got its answer. */
  began;
  isOver = false;

  constructor(host, input, kind) {
    Object.assign(this, { host, input, kind, run: input.runId });
  }
}

/** Plays threads. All runs are in `runs`, all that follow threads in `followers`. */
export class Scenarios {
  runs = [];
  followers = [];
  refusals = [];

  /** `agents` is the host in front of `upstream`, `tapes` the one that plays recordings. */
  constructor({ random, agents, tapes, upstream }) {
    Object.assign(this, { random, agents, tapes, upstream });
  }

  get started() {
    return this.runs.filter(({ began }) => began !== undefined).length;
  }

  /** How many have begun on a Worker that still lives, and are not over. */
  get underWay() {
    return this.runs.filter(({ host, began, isOver }) => began === host.kills && !isOver).length;
  }

  /** One thread, from its first run to its last. */
  async play() {
    const { random } = this;
    const thread = fresh("thread");
    if (random.percent(15)) return this.#approval(thread);
    if (random.percent(15)) return this.#run(this.#recorded(thread, random.pick(RECORDED)), { alone: true });
    const runs = random.percent(25) ? random.between(2, 3) : 1;
    const following = runs > 1 ? this.#follow(this.agents, thread, runs) : undefined;
    for (let nth = 0; nth < runs; nth += 1) await this.#run(this.#agent(thread, random.pick(KINDS)), { alone: runs === 1 });
    await following;
  }

  /** Begins runs that nobody reads and whose model does not come to an end. */
  abandoned(count) {
    return Promise.all(
      Array.from({ length: count }, () => {
        const played = this.#agent(fresh("thread"), "endless");
        this.runs.push(played);
        return this.#left(played);
      }),
    );
  }

  #agent(thread, kind) {
    const played = new Played(this.agents, runInput({ run: fresh("run"), thread, text: fresh(kind) }), kind);
    script(this.upstream, played.input.messages[0].content, kind, played.calls);
    return played;
  }

  #recorded(thread, name, rest = {}) {
    const { model, client_tools } = recording(name);
    const input = runInput({ run: fresh("run"), thread, model, tools: clientTools(client_tools), ...rest });
    return new Played(this.tapes, input, name);
  }

  /** Runs that stop for a person, answered until the turn is done. A run that is lost is begun anew. */
  async #approval(thread) {
    const { random } = this;
    const name = random.pick(APPROVALS);
    const messages = [{ id: fresh("q"), role: "user", content: "Please." }];
    const following = this.#follow(this.tapes, thread, Infinity);
    for (let resume, tries = 0; tries < 4; tries += 1) {
      const played = this.#recorded(thread, name, { messages, ...(resume && { resume }) });
      await this.#run(played, { raw: true });
      const last = played.readers[0].frames.at(-1).raw.match(/^data: (.*)$/m)[1];
      const { outcome } = JSON.parse(last);
      if (outcome?.type === "success") break;
      const answer = (interruptId) => ({ interruptId, status: "resolved", payload: { approved: random.percent(70) } });
      resume = outcome?.type === "interrupt" ? outcome.interrupts.map(({ id }) => answer(id)) : undefined;
      if (outcome?.interrupts?.some(({ expiresAt }) => expiresAt)) resume = resume.map(({ interruptId }) => ({ interruptId, status: "cancelled" }));
    }
    following.stop();
    await following;
  }

  #follow(host, thread, runs) {
    const view = this.random.pick(["customer", "operator"]);
    const before = this.runs.length;
    const reader = follower(thread, view, () => runs);
    this.followers.push({ host, thread, view, reader, before });
    const reading = reader.read(host).catch((error) => void this.refusals.push(error.message));
    return Object.assign(reading, { stop: () => reader.stop() });
  }

  /** One run with its readers, until all of them have read its end. One that is `alone` in its thread may be left. */
  async #run(played, { raw = false, alone = false } = {}) {
    const { random } = this;
    this.runs.push(played);
    if (alone && random.percent(10)) return this.#left(played);
    const { host, run, input } = played;
    const first = !raw && random.percent(25) ? new Official(input) : poster(input);
    const { promise: started, resolve } = Promise.withResolvers();
    const readers = [first];
    const reading = [first.read(host, () => resolve((played.began ??= host.kills))).finally(resolve)];
    const join = (reader, late) => {
      readers.push(reader);
      const wait = late ? random.between(0, 500) : 0;
      reading.push(started.then(() => sleep(wait)).then(() => reader.read(host)));
    };
    join(canonical(run, random.pick(["customer", "operator"])), random.percent(50));
    if (random.percent(30)) join(joiner(run), true);
    if (random.percent(20)) join(again(run), random.percent(50));
    // The same again from another device: it joins, and nothing is executed twice.
    if (random.percent(15)) join(new Official(input), true);
    const cancels = played.kind === "endless" || random.percent(8);
    if (cancels) reading.push(started.then(() => sleep(random.between(50, 900))).then(() => this.#cancel(played)));
    played.readers = readers;
    await Promise.all(reading.map((read) => read.catch((error) => void this.refusals.push(error.message))));
    played.isOver = true;
  }

  /** A run whose client goes away at its first byte, and of which nobody hears again. */
  async #left(played) {
    const reader = poster(played.input);
    await reader.read(played.host, () => {
      played.began = played.host.kills;
      setImmediate(() => reader.stop());
    });
    played.isOver = true;
  }

  async #cancel({ host, run }) {
    await host.ask(async (worker) => {
      const answer = await request(`${worker.url}/v1/runs/${run}/cancel`, { method: "POST" });
      const { status } = JSON.parse(await answer.text());
      return answer.status === 200 ? status : undefined;
    });
  }
}
