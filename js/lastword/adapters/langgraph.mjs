// What LangGraph streams in the mode `messages`, alone or beside others, with and without `subgraphs`: tuples of a message
// and its metadata, behind the mode's name and the graph's place where there are such. Messages are LangChain's own, or
// JSON of them as LangGraph's server sends it, also as `{ event, data }`.
//
// | seen | becomes |
// |---|---|
// | chunks of one message; a message of the assistant that comes whole | an item; of one whose phases are told, an item a phase |
// | a message that comes whole behind its chunks | nothing |
// | messages of several nodes by turns | one after the other, the second once the first has ended |
// | content as text, or as blocks of `text` | text |
// | blocks of `reasoning`, `thinking` or `reasoning_content`; these in `additional_kwargs` | reasoning |
// | a `refusal` in either | a refusal |
// | tools that the provider runs, in either | a tool that the agent ran, where it ran |
// | `tool_call_chunks` or `tool_calls`, with a `ToolMessage` | a tool that the agent ran |
// | … without one, of the last message | a call for the client |
// | … without one, of a message with another behind it | nothing: a node has used it |
// | `usage_metadata` | its sum |
// | `__interrupt__` in `updates` or `values` | an error: nobody here can answer |
// | `error` of the server | an error |
// | the graph's stream is over | the end mark; the last message may say `length`, `content_filter` or a pause |
// | … though the last message is of Responses and has no status | cut |
// | any other mode, messages of others | nothing |
// | what is no tuple, a message in pieces that are whole (`messages/partial`) | `upstream_malformed` |
//
// In the mode `messages` alone nobody says that a graph was interrupted: ask for `updates` beside it. LangChain for
// JavaScript keeps why Chat Completions has ended to itself: there an answer that was cut looks whole.
//
// Bounds: those of `teller.mjs`, and 1,024 messages.

import { malformed, Reading } from "./teller.mjs";

export const format = "signals";

export const reader = () => new Tuples();

const MAX_MESSAGES = 1024;

/** What ends a message early, in the words of those who say so. */
const WORDS = {
  length: ["length", "max_tokens", "max_output_tokens", "MAX_TOKENS", "model_context_window_exceeded"],
  content_filter: [
    ...["content_filter", "content_filtered", "guardrail_intervened", "refusal"],
    ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"],
  ],
  pause: ["pause_turn"],
};
const STOPS = new Map(Object.entries(WORDS).flatMap(([stop, words]) => words.map((word) => [word, stop])));

class Tuples extends Reading {
  #isEmpty = true;
  #isInterrupted = false;
  /** The assistant's messages by their ids, those of them that have not ended, and the last that has begun. */
  #messages = new Map();
  #open = new Set();
  #last;

  read(part) {
    this.#isEmpty = false;
    const [mode, data] = unwrapped(part);
    if (mode === "error") return this.turn.fail();
    if (mode === "updates" || mode === "values") this.#isInterrupted ||= (data?.__interrupt__?.length ?? 0) > 0;
    if (mode !== "messages") return;
    const [message, metadata] = data;
    const [kind, fields] = opened(message);
    this.#endedBefore(metadata ?? {});
    if (kind === "tool") this.#answered(fields);
    if (kind === "assistant") this.#heard(fields, metadata ?? {});
  }

  ended() {
    const last = this.#last;
    if (this.#isInterrupted) return this.turn.fail();
    if (this.#isEmpty || (last?.isResponse && !last.status)) return;
    if (last?.status === "failed" || last?.status === "cancelled") return this.turn.fail();
    this.turn.done(STOPS.get(last?.finish));
  }

  /** A graph takes one step after the other: what belongs to an earlier one is over. */
  #endedBefore(metadata) {
    const { parent, step } = place(metadata);
    for (const message of this.#open) if (message.parent === parent && message.step < step) this.#end(message);
  }

  #end(message) {
    this.#open.delete(message);
    this.turn.end(message.key);
  }

  #answered({ tool_call_id: id, name }) {
    for (const message of this.#open) if (message.calls.includes(id)) this.#end(message);
    this.turn.answer(id, name ?? "");
  }

  #heard(fields, metadata) {
    const isChunk = Array.isArray(fields.tool_call_chunks);
    const id = fields.id ?? `${place(metadata).task}/${metadata.langgraph_step}`;
    let message = this.#messages.get(id);
    if (message && !isChunk) return this.#ended(message, fields);
    message ??= this.#begun(id, metadata);
    this.#content(message, fields.content);
    this.#besides(message, fields);
    const chunks = fields.tool_call_chunks ?? [];
    for (const chunk of chunks) this.#called(message, chunk);
    if (chunks.length === 0) for (const call of fields.tool_calls ?? []) this.#calledWhole(message, call);
    if (fields.usage_metadata) this.turn.spend(tokens(fields.usage_metadata));
    this.#ended(message, fields);
    if (!isChunk) this.#end(message);
  }

  #begun(id, metadata) {
    if (this.#messages.size >= MAX_MESSAGES) throw malformed(`There are more than ${MAX_MESSAGES} messages.`);
    const { parent, step } = place(metadata);
    const message = { id, key: id, parts: 0, phase: undefined, parent, step, calls: [], places: new Map() };
    this.#messages.set(id, message);
    this.#open.add(message);
    // What the message before has called, if nobody answers it, a node has used.
    for (const call of this.turn.calls) this.turn.drop(call);
    this.#last = message;
    return message;
  }

  /** Takes what is said of a message's end. */
  #ended(message, { response_metadata, additional_kwargs, chunk_position }) {
    const [metadata, more] = [response_metadata ?? {}, additional_kwargs ?? {}];
    message.isResponse ||= metadata.model_provider === "openai" && String(metadata.id).startsWith("resp_");
    message.status = metadata.status ?? message.status;
    const reason = metadata.finish_reason ?? metadata.stop_reason ?? more.stop_reason ?? metadata.done_reason ?? metadata.finishReason;
    message.finish = reason ?? metadata.incomplete_details?.reason ?? message.finish;
    if (message.finish || message.status || chunk_position === "last") this.#end(message);
  }

  #content(message, content) {
    if (typeof content === "string") return this.turn.say(message.key, content);
    for (const block of Array.isArray(content) ? content : []) this.#block(message, block);
  }

  #block(message, block) {
    switch (block?.type) {
      case "text":
        this.#phase(message, block.phase ?? block.extras?.phase);
        return this.turn.say(message.key, block.text ?? "");
      case "refusal":
        return this.turn.say(message.key, block.refusal, "refusal");
      case "thinking":
        return this.turn.reason(block.thinking ?? "");
      case "reasoning":
        return this.turn.reason(block.reasoning ?? summary(block));
      case "reasoning_content":
        return this.turn.reason(block.reasoning_content?.text ?? "");
      case "server_tool_use":
      case "server_tool_call":
        if (block.name) this.turn.ran(block.name);
        return;
      default:
        if (isHosted(block?.type)) this.#ran(block);
    }
  }

  /** A model of Responses says which of its messages are narration. LangChain puts them all into one. */
  #phase(message, phase) {
    if (phase === message.phase || (phase !== "commentary" && phase !== "final_answer")) return;
    this.turn.end(message.key);
    message.phase = phase;
    message.key = `${message.id}/${(message.parts += 1)}`;
    this.turn.start(message.key, phase);
  }

  #besides(message, { content, additional_kwargs }) {
    const more = additional_kwargs ?? {};
    if (typeof more.refusal === "string") this.turn.say(message.key, more.refusal, "refusal");
    if (typeof more.reasoning_content === "string") this.turn.reason(more.reasoning_content);
    const isSaid = Array.isArray(content) && content.some((block) => block?.type === "reasoning");
    if (more.reasoning && !isSaid) this.turn.reason(typeof more.reasoning === "string" ? more.reasoning : summary(more.reasoning));
    for (const output of Array.isArray(more.tool_outputs) ? more.tool_outputs : []) if (isHosted(output?.type)) this.#ran(output);
  }

  #ran({ type, name }) {
    if (type === "mcp_approval_request") this.#isInterrupted = true;
    else this.turn.ran(name ?? type.replace(/_call$/, ""));
  }

  #called(message, { index, id, name, args }) {
    const at = index ?? Math.max(message.calls.length - 1, 0);
    const known = message.places.get(at);
    if (known !== undefined && (!id || id === known)) return this.turn.argue(known, args ?? "");
    if (!id && !name) return;
    const call = id || `${message.id}-${at}`;
    // Without an index a call begins behind the last one.
    message.places.set(index ?? message.calls.length, call);
    this.#call(message, call, name, args ?? "");
  }

  #calledWhole(message, { id, name, args }) {
    if (!message.calls.includes(id)) this.#call(message, id, name, typeof args === "string" ? args : JSON.stringify(args ?? {}));
  }

  #call(message, call, name, args) {
    message.calls.push(call);
    if (message === this.#last) this.turn.call(call, name ?? "", args);
  }
}

/** The mode and what it gives, without the graph's place. */
function unwrapped(part) {
  if (typeof part?.event === "string") {
    const [mode] = part.event.split("|");
    if (mode.startsWith("messages/")) throw malformed('Messages come in pieces that are whole: ask the server for "messages-tuple".');
    return [mode, mode === "messages" ? tuple(part.data) : part.data];
  }
  let rest = Array.isArray(part) ? part : [];
  if (Array.isArray(rest[0])) rest = rest.slice(1);
  if (rest.length === 1 && Array.isArray(rest[0])) rest = rest[0];
  if (typeof rest[0] === "string") return rest[0] === "messages" ? ["messages", tuple(rest[1])] : rest;
  return ["messages", tuple(rest)];
}

function tuple(data) {
  if (!Array.isArray(data) || typeof data[0] !== "object" || data[0] === null) {
    throw malformed('This is no message and its metadata: stream with `streamMode: "messages"`, alone or in a list.');
  }
  return data;
}

/** Whose message it is, and its fields, of LangChain's objects and of both forms of their JSON. */
function opened(message) {
  const isConstructed = message.lc === 1 && typeof message.kwargs === "object";
  const fields = isConstructed ? message.kwargs : (message.data ?? message);
  const name = isConstructed ? message.id?.at?.(-1) : (message.type ?? message.getType?.() ?? message._getType?.());
  if (name === "tool" || name === "ToolMessage" || name === "ToolMessageChunk") return ["tool", fields];
  if (name === "AIMessageChunk") return ["assistant", { ...fields, tool_call_chunks: fields.tool_call_chunks ?? [] }];
  return [name === "ai" || name === "AIMessage" ? "assistant" : "other", fields];
}

/** Where in the graph: the task, the graph that it is a task of, and that graph's step. */
function place(metadata) {
  const task = String(metadata.langgraph_checkpoint_ns ?? metadata.checkpoint_ns ?? "");
  return { task, parent: task.slice(0, Math.max(task.lastIndexOf("|"), 0)), step: metadata.langgraph_step };
}

const isHosted = (type) => /_call$|^mcp_/.test(type) && !/^(tool|function|custom_tool|computer)_call$/.test(type);

const summary = ({ summary }) => (Array.isArray(summary) ? summary.map(({ text }) => text ?? "").join("\n\n") : "");

const tokens = ({ input_tokens, output_tokens, total_tokens, input_token_details: read, output_token_details: written }) => ({
  input: input_tokens,
  output: output_tokens,
  total: total_tokens,
  reasoning: written?.reasoning,
  cached_input: read?.cache_read,
  cache_write: read?.cache_creation,
});
