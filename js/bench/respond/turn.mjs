// The turn that all are given: 10,000 tokens as a Chat Completions server streams them.

export const TOKENS = 10_000;

const WORDS = "the refund was approved and the money should be back on your card within three working days of order 1043 ".split(/(?<= )/);
const encoder = new TextEncoder();

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-BqZ3hVx1k2mN8pQ7rS5tU9wX",
    object: "chat.completion.chunk",
    created: 1764547200,
    model: "gpt-5.5-mini-2026-04-14",
    service_tier: "default",
    system_fingerprint: "fp_8a2b1c9d7e",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    obfuscation: undefined,
  })}\n\n`;

const tokens = Array.from({ length: TOKENS }, (_, at) => WORDS[(at * 7 + (at >> 5)) % WORDS.length]);

/** The text of the turn. */
export const text = tokens.join("");

const events = [chunk({ role: "assistant", content: "", refusal: null }), ...tokens.map((content) => chunk({ content })), chunk({}, "stop"), "data: [DONE]\n\n"];

/** The turn's bytes in chunks of so many bytes, or one an event. */
export function chunks(size) {
  if (size === "event") return events.map((event) => encoder.encode(event));
  const all = encoder.encode(events.join(""));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/** A body of those chunks, given as fast as it is read. */
export function body(pieces) {
  let at = 0;
  return new ReadableStream({
    pull(to) {
      if (at < pieces.length) to.enqueue(pieces[at++]);
      else to.close();
    },
  });
}
