/** One thing that a turn says, for an agent that knows itself what its messages are. Null stands for what is absent. */
export type Signal =
  | { type: "response_start"; model?: string | null }
  /** A message begins. Only the assistant's, which it is unless said, can be the answer. */
  | { type: "item_start"; role?: string | null; phase?: "commentary" | "final_answer" | null }
  | { type: "text" | "reasoning" | "refusal"; delta: string }
  /** The open message's text so far was reasoning after all. */
  | { type: "was_reasoning" }
  /** A message ends; its whole text is used only if no piece of it came. */
  | { type: "item_end"; text?: string | null }
  /** A call for the client. Without an index it is the next one, and what follows speaks of the last. */
  | { type: "call_start"; index?: number | null; id?: string | null; name?: string | null }
  | { type: "call_name"; index?: number | null; name?: string | null }
  | { type: "call_args"; index?: number | null; delta: string }
  | { type: "call_end"; index?: number | null }
  /** A tool was run by whoever is upstream: what was said before it is narration. */
  | { type: "provider_tool"; name?: string | null }
  /** Tokens so far; a later one replaces it. */
  | ({ type: "usage" } & { [name in "input" | "output" | "total" | "reasoning" | "cached_input" | "cache_write"]?: number | null })
  /** The host's state, whole. */
  | { type: "state"; snapshot: unknown }
  /** What is to be sent back unchanged with this response, if the turn goes on. */
  | { type: "kept"; snapshot: unknown }
  /** The end mark, without which the turn is cut. */
  | { type: "response_end"; stop?: "complete" | "length" | "content_filter" | "pause" | null }
  | { type: "error" };
