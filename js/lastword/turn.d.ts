/// <reference lib="esnext.disposable" />

import type { Signal } from "./decode.js";
import type { FilterOptions } from "./filter.js";
import type { ClientCall } from "./respond.js";

export {};

export interface TurnOptions {
  /** The run's id, which the ids that are derived begin with. */
  run?: string;
  /** The ids of calls that the thread has used already. */
  used?: string[];
  /** What must never leave. On by default; `false` switches it off. */
  filter?: FilterOptions | boolean;
  /** Narration is written for the customer too, once it is decided that it is no answer. */
  publicIntermediate?: boolean;
  /** Thinking is written for the customer too. */
  publicThinking?: boolean;
  /** An answer that the output limit has cut is none: the response is dead. */
  withholdTruncated?: boolean;
  /** An answer of white space alone becomes an empty one. */
  suppressBlank?: boolean;
  /** A message that is marked as the final answer streams live, with the risk that it turns out to be none. */
  early?: boolean;
  /** Bytes of an answer: 1 MiB, and no more. */
  maxText?: number;
}

/** What a response came to. */
export type Decision =
  /** The turn may end: `candidate` has its text. */
  | { type: "candidate" }
  /** The model called functions. What it said is as it was said, for its own history: no filter has seen it. */
  | { type: "calls"; text: string; calls: ClientCall[]; kept?: unknown }
  /** The response paused; the turn goes on. */
  | { type: "continue"; text: string; kept?: unknown }
  /** Nothing of this response is an answer, and the turn can't go on. */
  | { type: "dead"; code: string; message: string };

type Said<Type extends string, Audience extends string, Fields> = { type: Type; audience?: Audience } & Fields;

/** An event without effect. What is for the operator alone no customer is ever sent. */
export type PlainEvent =
  | Said<"intermediate_start" | "intermediate_end", "operator", { message: string }>
  | Said<"intermediate_delta", "operator", { message: string; delta: string }>
  | Said<"decided", "operator", { message: string; answer: boolean }>
  | Said<"narration_start" | "narration_end", "customer", { message: string }>
  | Said<"narration_delta", "customer", { message: string; delta: string }>
  | Said<"thinking_start" | "thinking_end", "operator" | "both", { message: string; public: boolean }>
  | Said<"thinking_delta", "operator" | "both", { message: string; public: boolean; delta: string }>
  | Said<"tool_start", "operator", { call: string; name: string }>
  | Said<"tool_args" | "tool_output", "operator", { call: string; delta: string }>
  | Said<"tool_end", "operator", { call: string; outcome: "ok" | "error" | "unknown" }>
  | Said<"response_ended", "operator", { ordinal: number; stop: string; usage: { model?: string; tokens: Record<string, number> } }>
  | Said<"attempt_reset", "operator", { ordinal: number }>
  | Said<"state", "both", { snapshot: unknown }>;

declare const yielded: unique symbol;

/** The answer of a turn, on its way to `Emitter.succeed`. Nobody else can read or make one. */
export interface Published {
  readonly [yielded]: "answer";
}

/** The calls that the client is to run, on their way to `Emitter.handOver`. Nobody else can read or make one. */
export interface ClientCalls {
  readonly [yielded]: "calls";
}

/** A piece of an answer that streams early, on its way to `Emitter.writeEarly`. Nobody else can read or make one. */
export interface EarlyAnswer {
  readonly [yielded]: "early";
}

/**
 * The publishing rule: holds a turn's text, decides each response, and yields at most one answer. That is the text of the
 * message that ends the turn; a response that called a function has none.
 */
export class TurnOutput {
  /** @throws {LastwordError} `invalid_filter`, `invalid_input`. */
  constructor(options?: TurnOptions);
  /**
   * Takes one signal. A decision comes with the signal that ends the response.
   * @throws {LastwordError} `invalid_input` for what is no signal that may stand there. It has said nothing.
   */
  signal(signal: Signal): Decision | undefined;
  /** Takes a piece of the open message's text, or opens one. */
  push(text: string): void;
  /** Ends the open message. One that is not the assistant's changes nothing. */
  messageEnded(role?: string): void;
  /** Releases what the filter holds back into the open message. */
  flush(): void;
  /** Ends the response and decides it. */
  responseEnded(stop?: "complete" | "length" | "content_filter" | "pause"): Decision;
  /** Drops an attempt that failed and is made again: its text, its calls, and what the filter holds back. */
  attemptReset(): void;
  /** The text of the message that may end the turn, if there is one. */
  readonly candidate: string | undefined;
  /** The narration of the response that halted the turn: its own where its end is known; else what is pending. */
  readonly haltText: string;
  /**
   * Yields the answer, once: the candidate, or what replaces it, through the filter.
   * @throws {LastwordError} `already_published`; for a replacement `output_limit` and `output_blocked`.
   */
  publish(replacement?: string): Published;
  /**
   * Yields the calls that the client is to run, which end the turn in the answer's place.
   * @throws {LastwordError} `already_published`, `output_limit`, `output_blocked`, `invalid_input`.
   */
  handOver(calls: ClientCall[]): ClientCalls;
  /** What is to be written, in order. What is for a customer has been through the filter. */
  takeEvents(): PlainEvent[];
  /** What of an answer that streams early is to be written behind that; nothing if it is nothing. */
  takeEarly(): EarlyAnswer | undefined;
  /** Frees what the turn takes of the module's memory. It can't be used after that. */
  free(): void;
  [Symbol.dispose](): void;
}
