// The events of a streamed run of the OpenAI Agents SDK for JavaScript: `run(agent, input, { stream: true })`.
//
// | seen | becomes |
// |---|---|
// | `output_text_delta` | an item a message of a response, with its phase |
// | a message or a refusal that only `response_done` has | an item |
// | `message_output_created`, `reasoning_item_created` of what a response has said | nothing |
// | `message_output_created` of more than that, as a handler of errors gives it | an item |
// | reasoning in the provider's own events, else in `response_done` | reasoning |
// | `tool_called` and `tool_output`, `handoff_requested` and `handoff_occurred` | a tool that the agent ran |
// | a hosted tool, by the provider's own events | the same, where it ran |
// | `tool_approval_requested` that nothing answers | an error: nobody here can |
// | usage of each response | their sum |
// | the run is over behind a whole response | the end mark, marked by the provider's own word for `length` and `content_filter` |
// | … behind tools: the run's `finalOutput`, if it is a text | an item, which is the answer |
// | … in mid-response, behind a call without a result, by a signal | cut |
// | … though Chat Completions gave no `finish_reason`, which the SDK takes for success | cut |
// | `response.incomplete`, for which the SDK throws | the end mark, so marked, unless the response calls |
// | the run throws since the model refused, as it has said | the end mark |
// | the run throws | an error |
// | a new agent, unknown events | nothing |
// | an event without a type, a piece without its text | `upstream_malformed` |
//
// Bounds: those of `teller.mjs`.

import { malformed, Reading, typeOf } from "./teller.mjs";

export const format = "signals";

export const reader = () => new Events();

/** What ends a response early, in the words of Chat Completions and of Responses. */
/** @type {Map<string | undefined, string>} */
const STOPS = new Map([["length", "length"], ["max_output_tokens", "length"], ["content_filter", "content_filter"]]);

/** Calls of Responses that whoever asked is to run. */
const OURS = ["function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"];

/** The most calls that are open, and the most items of a response. */
const MAX_OPEN = 1024;

class Events extends Reading {
  #responses = 0;
  /** What is known of the response. `messages` are those whose own events are to come. */
  #response = { ...response(), isDone: true };
  /** The ids of the calls that have no result yet, and of those that wait for an approval. */
  #called = new Set();
  #asked = new Set();
  #isBehindTools = false;

  read(event) {
    switch (typeOf(event)) {
      case "raw_model_stream_event":
        return this.#raw(event.data);
      case "run_item_stream_event":
        return this.#item(event.name, event.item?.rawItem ?? {});
    }
  }

  ended(run) {
    const { isDone, finish, isChat } = this.#response;
    const isCut = !isDone || (isChat && !finish) || run?.cancelled === true;
    if (this.#asked.size > 0) return this.turn.fail();
    if (isCut || this.#called.size > 0) return;
    if (this.#isBehindTools) this.#saidByTools(run);
    else if (this.#responses === 0) return;
    this.#done(STOPS.get(finish));
  }

  failed(error) {
    // The model has refused, in a response that is whole.
    const { isDone, refusal } = this.#response;
    if (isDone && refusal !== "" && typeof error?.refusal === "string") this.#done();
    else this.turn.fail();
  }

  /** @param {string} [stop] */
  #done(stop) {
    if (this.#response.refusal !== "") this.turn.say("refusal", this.#response.refusal, "refusal");
    this.turn.done(stop);
  }

  #raw(data) {
    switch (typeOf(data)) {
      case "response_started":
        return this.#begun();
      case "output_text_delta":
        if (this.#response.isDone) this.#begun();
        return this.#said(data);
      case "response_done":
        if (this.#response.isDone) this.#begun();
        return this.#responseDone(data.response ?? {});
      case "model":
        return this.#model(data.event ?? {});
    }
  }

  #begun() {
    this.turn.close();
    this.#responses += 1;
    this.#response = response();
    this.#isBehindTools = false;
  }

  #key(item) {
    return `${this.#responses}/${item}`;
  }

  #said({ delta, itemId, providerData }) {
    const item = providerData?.output_index ?? itemId ?? "";
    this.#response.spoke = true;
    this.turn.start(this.#key(item), this.#response.phases.get(item));
    this.turn.say(this.#key(item), delta);
  }

  /** The response is whole. What was streamed of it is said once. */
  #responseDone({ output = [], usage }) {
    const response = this.#response;
    for (const item of output) {
      if (item.type === "reasoning" && !response.reasoned) this.#reasoned(item);
      if (item.type === "message") this.#messageDone(item);
      if (item.type === "function_call") this.#open(item.callId);
    }
    this.turn.close();
    response.isDone = true;
    if (usage) this.turn.spend(tokens(usage));
  }

  /** A refusal is said at the end, unless something else comes in its place. */
  #messageDone({ content, providerData }) {
    const response = this.#response;
    const key = this.#key(`whole ${(response.messages += 1)}`);
    if (!response.spoke) this.turn.start(key, phase(providerData));
    for (const { type, text, refusal } of Array.isArray(content) ? content : []) {
      if (type === "output_text" && !response.spoke) this.turn.say(key, text);
      if (type === "refusal" && typeof refusal === "string") response.refusal += refusal;
    }
    this.turn.end(key);
  }

  #reasoned({ content = [], rawContent = [] }) {
    for (const { text } of content.length > 0 ? content : rawContent) if (typeof text === "string") this.turn.reason(text);
  }

  /** The provider's own event, of Responses or of Chat Completions. */
  #model(event) {
    const response = this.#response;
    if (Array.isArray(event.choices)) return this.#chunk(event.choices.find((choice) => !choice?.index));
    switch (event.type) {
      case "response.output_item.added":
        if (response.phases.size >= MAX_OPEN) throw malformed(`A response has more than ${MAX_OPEN} items.`);
        response.phases.set(event.output_index, phase(event.item));
        return;
      case "response.output_item.done":
        return this.#itemDone(event);
      case "response.reasoning_summary_part.added":
        if (response.reasoned && event.summary_index > 0) this.turn.reason("\n\n");
        return;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        // Of one item either its summary or its own text.
        response.reasoned ??= event.type;
        if (response.reasoned === event.type) this.turn.reason(event.delta);
        return;
      case "response.incomplete":
        return this.#incomplete(event.response ?? {});
    }
  }

  #chunk(choice) {
    const response = this.#response;
    response.isChat = true;
    response.finish = choice?.finish_reason ?? response.finish;
    const reasoning = choice?.delta?.reasoning_content ?? choice?.delta?.reasoning;
    if (typeof reasoning !== "string" || reasoning === "") return;
    response.reasoned = "chat";
    this.turn.reason(reasoning);
  }

  #itemDone({ item, output_index }) {
    if (item?.type === "message") this.turn.end(this.#key(output_index));
    const isHosted = /_call$|^mcp_list_tools$/.test(item?.type) && !OURS.includes(item.type);
    if (isHosted) this.turn.ran(item.name ?? item.type.replace(/_call$/, ""));
  }

  #incomplete({ incomplete_details, output = [], usage }) {
    const stop = STOPS.get(incomplete_details?.reason);
    const calls = output.some((item) => OURS.includes(item?.type));
    if (usage) this.turn.spend({ input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens });
    if (stop && !calls) this.turn.done(stop);
    else this.turn.fail();
  }

  #item(name, item) {
    const { type, callId, id, name: tool } = item;
    switch (name) {
      case "message_output_created":
        if (this.#response.messages > 0) this.#response.messages -= 1;
        else this.#saidInItsPlace(item);
        return;
      case "tool_called":
      case "handoff_requested":
        if (type === "function_call") this.#open(callId);
        return;
      case "tool_output":
      case "handoff_occurred":
        this.#called.delete(callId);
        this.#asked.delete(callId);
        this.#isBehindTools = true;
        return this.turn.ran(tool ?? type);
      case "tool_approval_requested":
        if (this.#asked.size >= MAX_OPEN) throw malformed(`More than ${MAX_OPEN} approvals are asked for.`);
        this.#asked.add(callId ?? id);
    }
  }

  #open(call) {
    if (this.#called.size >= MAX_OPEN) throw malformed(`More than ${MAX_OPEN} calls have no result.`);
    this.#called.add(call);
  }

  /** A message that no response has: somebody has handled an error with it. */
  #saidInItsPlace({ content }) {
    this.#begun();
    this.#response.isDone = true;
    for (const { type, text } of Array.isArray(content) ? content : []) if (type === "output_text") this.turn.say(this.#key("said"), text);
  }

  /** An agent may be told to stop at a tool: what that gave is then what the run has come to. */
  #saidByTools(run) {
    const output = run?.finalOutput;
    if (typeof output === "string") this.turn.say("final output", output);
  }
}

/**
 * A response of which nothing is known yet.
 * @returns {{ isDone: boolean, spoke: boolean, reasoned?: string, refusal: string, messages: number, isChat: boolean, finish?: string, phases: Map<number, string | undefined> }}
 */
const response = () => ({
  ...{ isDone: false, spoke: false, reasoned: undefined, refusal: "", messages: 0 },
  ...{ isChat: false, finish: undefined, phases: new Map() },
});

const phase = (item) => ["commentary", "final_answer"].find((phase) => phase === item?.phase);

function tokens({ inputTokens, outputTokens, totalTokens, inputTokensDetails, outputTokensDetails }) {
  const detail = (details, name) => {
    const counts = [details].flat().flatMap((part) => part?.[name] ?? []);
    return counts.length > 0 ? counts.reduce((sum, count) => sum + count) : undefined;
  };
  return {
    input: inputTokens,
    output: outputTokens,
    total: totalTokens,
    reasoning: detail(outputTokensDetails, "reasoning_tokens"),
    cached_input: detail(inputTokensDetails, "cached_tokens"),
  };
}
