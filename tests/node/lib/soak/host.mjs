// A Worker over state on disk that dies and comes back.

import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "../worker.mjs";

export class Host {
  /** How often it was killed. */
  kills = 0;
  #folder;
  #vars;
  #up;

  /** `vars` are the Worker's, `folder` holds its state. */
  constructor(vars, folder) {
    this.#vars = vars;
    this.#folder = folder;
  }

  start() {
    this.#up = new Worker().start(this.#vars, this.#folder).then((worker) => (this.worker = worker));
    return this.#up;
  }

  /** The Worker, once it is up. */
  async up() {
    await this.#up;
    return this.worker;
  }

  get url() {
    return this.worker.url;
  }

  /** Ends it as a power cut would, and starts another over the same state. */
  async kill() {
    this.kills += 1;
    const { worker } = this;
    this.#up = worker.kill().then(() => this.start());
    await this.#up;
  }

  async stop() {
    await (await this.up()).stop();
  }

  /**
   * Asks until there is an answer, as a client would: one that is refused a connection, or loses it, asks again.
   * `ask` gets the Worker; what it throws, or gives that is undefined, is no answer.
   */
  async ask(ask) {
    for (;;) {
      const worker = await this.up();
      try {
        const answer = await ask(worker);
        if (answer !== undefined) return answer;
      } catch (error) {
        if (error.code === "ERR_ASSERTION") throw error;
      }
      await sleep(30);
    }
  }
}
