import type { Settings, Upstream, UpstreamFormat, UpstreamObjects } from "./respond.js";

/** A call of the model, as a function that stands in its place is told of it. */
export interface ModelCall {
  /** Aborted when the run ends, or is cancelled. */
  signal: AbortSignal;
  run: string;
  /** Which call of the turn it is, from 1. */
  call: number;
}

export interface HandlerConfig extends Settings {
  /**
   * Where the model or agent is: an address; or a function that is given the request's body, in the format's own form, and
   * gives what `respond` takes. Without one the built-in recordings play.
   */
  upstream?: string | ((request: any, call: ModelCall) => Upstream);
  /** What comes from there: `chat-completions` of an address, `auto` of a function, unless said. */
  from?: UpstreamFormat | UpstreamObjects | "replay";
  /** Sent to the address. */
  apiKey?: string;
  /** Who may call: SHA-256 of each scope's token, in hexadecimal. */
  tokens?: Record<string, string> | string;
  /** The key of short-lived tokens for browsers. */
  tokenKey?: string;
  /** The token of operators. */
  operatorToken?: string;
  /** True lets everybody in: for development. */
  dev?: boolean;
  /** Other origins whose pages may call. */
  origins?: string[] | string;
  /** The path under which the routes are: none unless said. */
  basePath?: string;
  /** How long a thread's continuous stream may be open, in milliseconds. Whole seconds. */
  stream?: number;
  /** How long what is private is kept, in milliseconds. Whole seconds. */
  privateRetention?: number;
  /** On wires that know no approvals, one is asked for by a call of a tool. */
  approvals?: "call";
}

/** Answers requests. What a Worker is given besides, its environment, is not looked at. */
export type Handler = (request: Request, env?: unknown, context?: unknown) => Promise<Response>;

/**
 * The Worker's routes over any store.
 * @throws {LastwordError} `invalid_options`, `invalid_store`, `not_initialized`.
 */
export function createHandler(config?: HandlerConfig): Handler;
