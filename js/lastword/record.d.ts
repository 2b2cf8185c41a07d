/// <reference lib="esnext.disposable" />

import type { Wire } from "./respond.js";
import type { SseBody, SseBodyOptions, SseFrame } from "./sse.js";
import type { Store } from "./stores/store.js";
import type { ClientCalls, EarlyAnswer, PlainEvent, Published } from "./turn.js";

/** Where a run is. */
export interface RunPlace {
  /** Keeps the runs of one tenant from another's: empty unless said. */
  scope?: string;
  thread: string;
  run: string;
}

/** A run's record, as clients are told it. */
export interface RunRecord {
  run: string;
  thread: string;
  /** `started` is the only one that another follows. */
  status: "started" | "succeeded" | "failed" | "cancelled" | "interrupted";
  /** The number of its newest event. */
  sequence: number;
  /** Raised by one with each save. */
  revision: number;
  model: string;
  /** In milliseconds since the Unix epoch. */
  started_at: number;
  ended_at?: number;
  /** The answer that streamed early and was withdrawn, if one was. */
  withdrawn?: string;
  failure?: { code: string; message: string; reference: string };
  usage?: Record<string, number | string>[];
  /** What the store could promise: that the run executes at most once, and that its first outcome stands. */
  store: { claim: "atomic" | "best_effort"; outcome: "atomic" | "best_effort" };
}

export const RunRecord: {
  /**
   * Reads a stored head.
   * @throws {LastwordError} `record_unreadable`, `record_too_new`. Names of more than 1 KiB are known from the place alone.
   */
  decode(bytes: Uint8Array, place?: RunPlace): RunRecord;
  /**
   * Reads the record of a run; nothing if there is none.
   * @throws {LastwordError} as `decode`, and `store_unavailable`.
   */
  load(store: Pick<Store, "load">, place: RunPlace): Promise<RunRecord | undefined>;
};

export interface StartOptions extends RunPlace {
  store: Store;
  /** What is asked, as AG-UI has it: kept for clients that join, and compared with what is asked under the same id again. */
  input?: { messages?: object[]; state?: unknown; [member: string]: unknown };
  /** The model's name, as clients are told it. */
  model?: string;
  /** How long a writer is taken to live after its last save, in milliseconds: 30,000. */
  lease?: number;
  /** What of the turn is public. What a customer is sent is what was written for it; this is what the record says. */
  publicIntermediate?: boolean;
  publicThinking?: boolean;
  /** Calls of tools that run here are shown to the customer too, with their results. */
  publicTools?: boolean;
  /** The customer is told that the run works on, without any content. */
  publicWorking?: boolean;
}

/** Something that a person must answer before the turn goes on. */
export interface Interrupt {
  /** Unique in the thread, at most 72 bytes. */
  id: string;
  reason: string;
  message?: string;
  /** The call that waits, if one does. */
  call?: string;
  /** JSON Schema of the answer. */
  responseSchema?: object;
  /** In milliseconds since the Unix epoch. */
  expiresAt?: number;
  metadata?: object;
}

/**
 * Writes one run's events and keeps its record in step. It decides nothing about the outcome and executes nothing; what it
 * owns is the order: the claim before everything, events in groups, what is open closed before the end, and the end saved
 * together with the answer before anybody can read of either.
 *
 * It claims the run's record alone. That a thread has one run at a time, that a run is found by its id alone and stands in
 * lists, and that a run whose writer is gone is sealed by whoever asks for it, is what `respond` and `createHandler` see to.
 *
 * What can't be written is thrown: `run_ended`, `run_active` (another writes it), `run_conflict`, `store_unavailable`,
 * `maybe_stale`, `record_too_new`, `record_unreadable`, `instance_lost`, `freed`.
 */
export interface Emitter {
  /** The record that the store has acknowledged last; another's, if that one stands. */
  readonly record: RunRecord;
  /** True if this is who writes the run. */
  readonly began: boolean;
  /**
   * Writes events without effect, as `TurnOutput.takeEvents` gives them: they are not looked at again. All of them, or
   * none. Waits only while too much waits to be saved.
   * @throws {LastwordError} `invalid_input` for anything else.
   */
  write(events: PlainEvent | readonly PlainEvent[]): Promise<void>;
  /** Writes what of an answer streams early. Nothing of nothing. */
  writeEarly(early: EarlyAnswer | undefined): Promise<void>;
  /** Saves all that was written, and resolves once it is durable. Without it that happens within a second. */
  commit(): Promise<void>;
  /** Ends a turn that was done, with its answer. Each end resolves with the record that stands, which may be another's. */
  succeed(published: Published): Promise<RunRecord>;
  /** Ends a turn that goes on with the client, which runs these calls. */
  handOver(calls: ClientCalls): Promise<RunRecord>;
  /** Ends a run that somebody has stopped. */
  cancel(): Promise<RunRecord>;
  /** Ends a run that has failed: `internal` unless said. Of the error a client is told its code and the code's sentence. */
  fail(code?: string): Promise<RunRecord>;
  /** Ends a turn that waits for a person. */
  interrupt(interrupts: readonly Interrupt[]): Promise<RunRecord>;
  /** What is committed, on a client's wire, and on until the run has ended. */
  replay(options?: FramesOptions): Replay;
  /** Lets go of the run as it stands, and of what is not saved. It can't be written any more. */
  free(): void;
  [Symbol.dispose](): void;
}

export const Emitter: {
  /**
   * Begins a run, and resolves once its record says so. Where the run is there already with the same input, `began` is
   * false: it can be read, and not be written.
   * @throws {LastwordError} `run_conflict` where it had another input; `invalid_input`.
   */
  start(options: StartOptions): Promise<Emitter>;
  /**
   * Takes over a run whose writer is gone, only to end it.
   * @throws {LastwordError} `unknown_run`, `run_ended`; `run_active` while its writer may live, where the store is shared.
   */
  adopt(options: RunPlace & { store: Store; lease?: number }): Promise<Emitter>;
};

export interface FramesOptions {
  /** What the client reads: the canonical wire unless said. */
  to?: Wire;
  /**
   * Behind what: an `id` of a frame, or, on the wires that have none, how many frames the client has had. From the
   * beginning unless said; null joins with what a client that has nothing needs first.
   */
  after?: string | number | null;
  /** Operators see everything, on the canonical wire. */
  view?: "customer" | "operator";
  /** Only frames of these types, by the wire's names, and the terminals. */
  types?: string[];
  /** On Chat Completions: the client wants the usage. On the UI stream: the parts from before the run. */
  usage?: boolean;
}

/**
 * The frames of a run, to loop over, or a response of them. The last one is the terminal, or, without an id, says that the
 * stream has failed.
 */
export interface Replay extends AsyncIterable<SseFrame> {
  [Symbol.asyncIterator](): AsyncGenerator<SseFrame, void, void>;
  /** An event stream of the frames, with a heartbeat. A client that goes ends the reading, never the run. */
  body(options?: SseBodyOptions<SseFrame>): SseBody<SseFrame>;
  /** The response of that stream. */
  response(options?: SseBodyOptions<SseFrame>): Response;
  /** Ends the loop. The run is not touched. */
  stop(): void;
}

/** Reads a run that is written elsewhere, or was. `poll` is how often the store is looked at, in milliseconds: 1000. */
export function readRun(store: Pick<Store, "load">, options: RunPlace & FramesOptions & { poll?: number }): Replay;
