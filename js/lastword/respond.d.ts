import type { FilterOptions } from "./filter.js";
import type { Store } from "./stores/store.js";

/** How an upstream's bytes are read; `auto` tells by the first of them. */
export type UpstreamFormat = "auto" | "chat-completions" | "responses" | "anthropic" | "gemini" | "workers-ai" | "ollama" | "ag-ui" | "signals";

/** Whose objects an upstream gives. `ag-ui` and `signals` are read as bytes and as objects. */
export type UpstreamObjects = "ai-sdk" | "openai-agents" | "ag-ui" | "langgraph" | "signals";

/** What a client reads. */
export type Wire = "canonical" | "ag-ui" | "responses" | "chat-completions" | "ui-stream" | "messages";

/** A response, a stream or an iterable, of bytes, texts or a framework's objects; or a promise of one. */
export type Upstream =
  | Response
  | ReadableStream
  | AsyncIterable<unknown>
  | Iterable<unknown>
  | string
  | Uint8Array
  | Promise<Response | ReadableStream | AsyncIterable<unknown> | Iterable<unknown> | string | Uint8Array>;

/** What of a turn its client is sent besides the answer. All are off unless they are `true`. */
export interface Public {
  /** Narration, once it is decided that it is no answer. */
  intermediate?: boolean;
  thinking?: boolean;
  tools?: boolean;
  /** That the run works on, without any content. */
  working?: boolean;
}

/** Bounds of a run. Times are in milliseconds. */
export interface Limits {
  /** To the first byte: 60,000. */
  firstByte?: number;
  /** Between two chunks: 60,000. */
  idle?: number;
  /** The whole run: 900,000. */
  run?: number;
  /** Bytes of an answer: 1 MiB, and no more. */
  output?: number;
  /** Of what has failed before anything was published, how often it is tried again: 0, and at most 5. A stream that is given never. */
  retries?: number;
  /** Model calls a turn: 16. A stream that is given is one: a turn that was to go on behind it fails as `step_limit`. */
  steps?: number;
  /** For the tools of one response: 120,000. */
  tools?: number;
  /** Bytes of a request: 1 MiB, and at most 2 MiB. */
  body?: number;
}

/** What `respond` and `createHandler` have in common. */
export interface Settings {
  /** Where runs are kept: in memory unless said. */
  store?: Store;
  /** What must never leave. On by default; `false` switches it off. */
  filter?: FilterOptions | boolean;
  public?: Public;
  /** The model's name, as clients are told it. */
  model?: string;
  /** Silence before a heartbeat, in milliseconds: 15,000. */
  heartbeat?: number;
  /** How long a writer is taken to live after its last save, in milliseconds: 30,000. Whole seconds. */
  lease?: number;
  /** How long what has ended is kept, in milliseconds: for ever. Whole seconds. */
  retention?: number;
  limits?: Limits;
  /** An answer that the output limit cut: published and marked, unless it is to be withheld. */
  truncated?: "publish" | "withhold";
  /** An answer of white space alone: published, unless it is to be an empty one. */
  blank?: "publish" | "suppress";
  /** Each delta of the provider's that is streamed live stays a frame of its own; else those that come together are joined. */
  deltas?: "each";
  /** Messages marked as the final answer stream live, with the risk that they turn out to be none. */
  early?: "final_answer";
  /** Runs are refused where the store can't promise that they execute once. */
  exactlyOnce?: "required";
  /** What stands between thinking tags in a text is reasoning. */
  thinkingTags?: boolean;
}

export interface RunName {
  /** The conversation: a random one unless said. One run of a thread is at work at a time. */
  thread?: string;
  /** The run: a random one unless said. What has this id already is joined, and nothing of the upstream is read. */
  run?: string;
  /** Keeps the runs of one tenant from another's. */
  scope?: string;
}

export interface ReadOptions {
  /** What the client reads: the AI SDK's UI stream unless said. */
  to?: Wire;
  /** A cursor: what comes behind it. Else the header `Last-Event-ID` of `request` says so. */
  after?: string;
  /** Operators see everything live. */
  view?: "customer" | "operator";
  /** The client's request: for its cursor, and for when the client has gone. */
  request?: Request;
  /** More headers of the response. */
  headers?: ConstructorParameters<typeof Headers>[0];
}

export interface RespondOptions extends Settings, RunName, ReadOptions {
  /** What comes from upstream: `auto` unless said. */
  from?: UpstreamFormat | UpstreamObjects;
  /** Aborted, it cancels the run. A client's own signal is not for here: a disconnect stops nothing. */
  signal?: AbortSignal;
  /** What keeps work going behind the response, as Workers give it: `{ waitUntil }`. */
  context?: { waitUntil(work: Promise<unknown>): void };
}

/** A call that the client is to run. */
export interface ClientCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** How a run has ended. */
export interface Outcome {
  run: string;
  thread: string;
  /** `refused` did not begin; of `unknown` the store can't be read. */
  status: "succeeded" | "failed" | "cancelled" | "interrupted" | "refused" | "unknown";
  /** The text that was published. */
  answer?: string;
  /** The answer is the model's refusal. */
  refusal?: boolean;
  /** The answer was cut by the output limit. */
  truncated?: boolean;
  calls?: ClientCall[];
  usage?: { model?: string; [tokens: string]: unknown }[];
  interrupts?: unknown[];
  failure?: { code: string; message: string; reference?: string };
}

export interface Responded {
  run: string;
  thread: string;
  /** Streams to the client. */
  response: Response;
  /** How the run ended, whether the client stays or not. It never rejects. */
  done: Promise<Outcome>;
}

/**
 * Publishes the answer of an agent's turn, and nothing else, redacted, from a run that is kept.
 * @throws {LastwordError} `invalid_options`, `invalid_store`, `not_initialized`. Whatever fails later is said on the wire.
 */
export function respond(upstream: Upstream, options?: RespondOptions): Responded;

export interface ReplayOptions extends ReadOptions, Settings {
  store: Store;
  thread: string;
  run: string;
  scope?: string;
}

/** The stream of a run that was begun before. */
export function replay(options: ReplayOptions): Responded;

/** Cancels a run. Gives the status that it has then, or `asked` where another process has it. */
export function cancel(options: Pick<ReplayOptions, "store" | "thread" | "run" | "scope">): Promise<string>;
