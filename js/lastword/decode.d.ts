/// <reference lib="esnext.disposable" />

import type { UpstreamFormat } from "./respond.js";

/** One thing that a provider's stream says, once its format is gone. Null stands for what is absent. */
export type Signal =
  /** A response begins. A second one before the end makes void all that came before it. */
  | { type: "response_start"; model?: string | null }
  /** A message begins. Only the assistant's, which it is unless said, can be the answer. */
  | { type: "item_start"; role?: string | null; phase?: "commentary" | "final_answer" | null }
  /** A piece of the open message, of reasoning that is kept apart, or of a refusal. */
  | { type: "text" | "reasoning" | "refusal"; delta: string }
  /** The open message's text so far was reasoning after all. */
  | { type: "was_reasoning" }
  /** A message ends; its whole text is used only if no piece of it came. */
  | { type: "item_end"; text?: string | null }
  /** A function call begins. Without an index it is the next one, and what follows speaks of the last. */
  | { type: "call_start"; index?: number | null; id?: string | null; name?: string | null }
  | { type: "call_name"; index?: number | null; name?: string | null }
  /** A piece of its arguments, which are JSON text. */
  | { type: "call_args"; index?: number | null; delta: string }
  | { type: "call_end"; index?: number | null }
  /** The provider ran a tool of its own: what was said before it is narration. */
  | { type: "provider_tool"; name?: string | null }
  /** Tokens of this response so far; a later one replaces it. */
  | ({ type: "usage" } & { [name in "input" | "output" | "total" | "reasoning" | "cached_input" | "cache_write"]?: number | null })
  /** The host's state, whole. */
  | { type: "state"; snapshot: unknown }
  /** What is to be sent back unchanged with this response, if the turn goes on. */
  | { type: "kept"; snapshot: unknown }
  /** The end mark. */
  | { type: "response_end"; stop?: "complete" | "length" | "content_filter" | "pause" | null }
  /** The response died: the provider said so (which it is unless said), its stream broke off, or it is not of the format. */
  | { type: "error"; fault?: "reported" | "cut" | "malformed" | null };

export interface DecodeOptions {
  /** What stands between thinking tags in the text is reasoning. Off unless said. */
  thinkingTags?: boolean;
}

/** What is decoded: bytes or strings, in pieces of any length. */
export type Pieces = Response | ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * The signals of one response. The last one is `response_end` or `error`; a stream that breaks off, or fails, is cut. The
 * source is let go of behind that, and if the loop is left.
 * @throws {LastwordError} `invalid_input` if there is no such provider.
 */
export function decode(provider: UpstreamFormat, source: Pieces, options?: DecodeOptions): AsyncGenerator<Signal, void, void>;

/** Decodes one response of a provider. The same bytes give the same signals however they are cut. */
export class Decoder {
  /** @throws {LastwordError} `invalid_input` if there is no such provider. */
  constructor(provider: UpstreamFormat, options?: DecodeOptions);
  /** Takes the next piece, and returns the signals that it ends. Behind the response's end there are none. */
  push(chunk: Uint8Array | ArrayBuffer | string): Signal[];
  /** The stream is over. Returns what is still due: the response's end, or the error that it was cut. */
  end(): Signal[];
  /** With `auto`: the format that the first bytes were of, once that is known. */
  readonly format: UpstreamFormat | undefined;
  /** Frees what the decoder takes of the module's memory. It can't be used after that. */
  free(): void;
  [Symbol.dispose](): void;
}
