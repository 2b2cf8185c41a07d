// The parts of the AI SDK's `streamText(…).fullStream` (`stream` in 7), of versions 5 to 7.
//
// | seen | becomes |
// |---|---|
// | `text-*` | an item a step: what a step says is one text, in however many parts |
// | … whose provider names its items (`itemId`), or their phase | an item each, with the phase |
// | … of an attempt that the SDK has made again (`streamRetries`), where ids tell | an item of its own in front of the answer |
// | `reasoning-delta` | reasoning |
// | `tool-call`, with a `tool-result`, `tool-error` or `tool-output-denied` | a tool that the agent ran |
// | `tool-call` of a tool that the provider runs | the same, where it was called |
// | `tool-call` or `tool-input-*` without a result, when the turn finishes | a call for the client |
// | a `tool-result` that is preliminary | nothing |
// | `tool-approval-request` that nothing answers | an error: nobody here can |
// | `finish` with `stop`, `tool-calls`, `other` | the end mark |
// | … with `length`, `content-filter` | the same, so marked |
// | … with `content-filter` where OpenAI has ended as always: the model refuses, and the SDK gives that as text | the end mark |
// | … behind a step whose tools have all run, since the SDK was to stop there; with `pause_turn` | a pause: the answer was to come |
// | … with `unknown`, `interrupted`, or `other` without the provider's own word | cut: the provider's stream had no end |
// | … with any other reason, `error`, `abort` | an error |
// | sources, files, raw and unknown parts | nothing |
// | a part without a type, a piece without its text | `upstream_malformed` |
//
// Bounds: those of `teller.mjs`.

import { malformed, Reading, typeOf } from "./teller.mjs";

export const format = "signals";

export const reader = () => new Parts();

const STOPS = new Map(
  Object.entries({ stop: "complete", "tool-calls": "complete", other: "complete", length: "length", "content-filter": "content_filter" }),
);

/** The most approvals that are waited for, and the most parts of text that are open. */
const MAX_OPEN = 1024;

class Parts extends Reading {
  #step = 0;
  /** How many calls of this step are not the provider's, and whether the provider names the items of its text. */
  #called = 0;
  #isNamed = false;
  #asked = new Set();
  /** For each part of text that is open, the item that it belongs to. */
  #texts = new Map();
  #attempts = new Attempts();

  read(part) {
    const { turn } = this;
    switch (typeOf(part)) {
      case "start-step":
        this.#step += 1;
        this.#called = 0;
        this.#isNamed = false;
        this.#attempts.step();
        return;
      case "text-start":
        return this.#textStarted(part);
      case "text-delta":
        return turn.say(this.#texts.get(part.id) ?? this.#unnamed(), part.text);
      case "text-end":
        return this.#textEnded(part);
      case "reasoning-delta":
        return turn.reason(part.text);
      case "tool-input-start":
        if (part.providerExecuted !== true) turn.call(part.id, part.toolName);
        return;
      case "tool-input-delta":
        return turn.argue(part.id, part.delta);
      case "tool-call":
        return this.#toolCalled(part);
      case "tool-result":
      case "tool-error":
      case "tool-output-denied":
        if (part.providerExecuted !== true && part.preliminary !== true) turn.answer(part.toolCallId, part.toolName);
        return;
      case "tool-approval-request":
        return this.#waitFor(part.approvalId);
      case "tool-approval-response":
        this.#asked.delete(part.approvalId);
        return;
      case "finish-step":
        turn.close();
        this.#texts.clear();
        return turn.spend(usage(part.usage));
      case "finish":
        if (part.totalUsage) turn.cost(usage(part.totalUsage));
        return this.#finished(part);
      case "abort":
      case "error":
        return turn.fail();
    }
  }

  #unnamed() {
    return `${this.#step}#${this.#attempts.count}`;
  }

  #textStarted({ id, providerMetadata }) {
    const { itemId, phase } = item(providerMetadata);
    const before = this.#unnamed();
    if (itemId === undefined && this.#attempts.isAgain(id)) this.turn.end(before);
    this.#isNamed ||= itemId !== undefined;
    const key = itemId === undefined ? this.#unnamed() : `${this.#step}/${itemId}`;
    if (this.#texts.size >= MAX_OPEN) throw malformed(`More than ${MAX_OPEN} parts of text are open.`);
    this.#texts.set(id, key);
    this.turn.start(key, phase);
  }

  #textEnded({ id }) {
    const key = this.#texts.get(id);
    this.#texts.delete(id);
    if (key !== undefined && key !== this.#unnamed()) this.turn.end(key);
  }

  #toolCalled({ toolCallId, toolName, input, providerExecuted }) {
    if (providerExecuted === true) {
      this.turn.drop(toolCallId);
      this.turn.ran(toolName);
      return;
    }
    this.#called += 1;
    this.turn.call(toolCallId, toolName, JSON.stringify(typeof input === "string" ? { input } : (input ?? {})));
  }

  #waitFor(approval) {
    if (this.#asked.size >= MAX_OPEN) throw malformed(`More than ${MAX_OPEN} approvals are asked for.`);
    this.#asked.add(approval);
  }

  #finished(part) {
    const { turn } = this;
    const { finishReason: reason, rawFinishReason: raw } = part;
    // Versions before 6 have no word of the provider's.
    const isWithout = "rawFinishReason" in part && raw === undefined;
    if (reason === "unknown" || reason === "interrupted" || (reason === "other" && isWithout)) return turn.cut();
    const stop = STOPS.get(reason);
    if (!stop || this.#asked.size > 0) return turn.fail();
    const refuses = raw === "stop" || (isWithout && this.#isNamed);
    if (stop === "content_filter") return turn.done(refuses ? "complete" : stop);
    const goesOn = raw === "pause_turn" || (this.#called > 0 && turn.calls.length === 0);
    turn.done(goesOn ? "pause" : stop);
  }
}

/**
 * Tells the text of an attempt that was made again from that of the next one. Nothing in the stream says so, but the SDK
 * makes up an id (`aitxt-…`) for a part whose own was used before: if that is so for more parts of a step than earlier
 * steps had, one of them was used in this step. Where these had several parts it may be any of them, and nothing is told.
 */
class Attempts {
  count = 0;
  #used = 0;
  #usedBefore = 0;
  #madeUp = 0;

  step() {
    this.#usedBefore = this.#used;
    this.#madeUp = 0;
  }

  /** True if the part with this id begins another attempt. */
  isAgain(id) {
    if (!String(id).startsWith("aitxt-")) {
      this.#used += 1;
      return false;
    }
    this.#madeUp += 1;
    if (this.#madeUp <= this.#usedBefore || this.#usedBefore > 1) return false;
    this.#usedBefore = this.#used;
    this.#madeUp = 1;
    this.count += 1;
    return true;
  }
}

/** How the provider names the item that a part belongs to, and its phase. */
function item(metadata) {
  const own = Object.values(metadata ?? {}).find((own) => typeof own?.itemId === "string");
  return { itemId: own?.itemId, phase: ["commentary", "final_answer"].find((phase) => phase === own?.phase) };
}

/** In 5 the details have other names. */
function usage(used) {
  return {
    input: used?.inputTokens,
    output: used?.outputTokens,
    total: used?.totalTokens,
    reasoning: used?.outputTokenDetails?.reasoningTokens ?? used?.reasoningTokens,
    cached_input: used?.inputTokenDetails?.cacheReadTokens ?? used?.cachedInputTokens,
    cache_write: used?.inputTokenDetails?.cacheWriteTokens,
  };
}
