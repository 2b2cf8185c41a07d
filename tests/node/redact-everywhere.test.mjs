// One table: every place where a provider can put a string, filled with values that must not leave, and every place where
// anybody can read, in which none of them is, nor any piece of one.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { assertHidden, letters, text, told, VALUES } from "./lib/redact.mjs";
import { startUpstream, upstreamVars } from "./lib/upstream.mjs";
import { fresh, sharedWorker } from "./lib/worker.mjs";

const upstream = await startUpstream();
after(() => upstream.stop());
const PUBLIC = "intermediate=true,thinking=true,tools=true,working=true";
const more = { LASTWORD_PUBLIC: PUBLIC, LASTWORD_EARLY: "final_answer" };
const chat = sharedWorker(upstreamVars(upstream, more));
const signals = sharedWorker(upstreamVars(upstream, { ...more, LASTWORD_PROVIDER: "signals" }));

const ALL = text(Object.keys(VALUES).map((rule) => `{${rule}}`).join(" , "))[0];
const CARD = VALUES.card.replaceAll(" ", "");
/** Basic credentials, which only the name beside them tells. */
const BASIC = ["Basic dXN", "lcjpwYX", "NzMTIzNDU="].join("");
const escaped = [...ALL].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

const frame = (value) => Buffer.from(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);
const chunk = (delta, finish_reason, rest = {}) => frame({ choices: [{ index: 0, delta, finish_reason }], ...rest });
const fine = letters({ content: "Fine." });
const args = (args) => [letters({ calls: [{ id: fresh("call"), name: "look", args }] }), fine];
const status = (code, type, body) => async (call) => {
  call.head(code, { "content-type": type, "x-error": CARD });
  await call.write(Buffer.from(body));
  await call.end();
};
const END = { type: "response_end" };
const spell = (type, words) => [...words].map((delta) => ({ type, delta }));
const item = (words, fields = {}) => [{ type: "item_start", ...fields }, ...spell("text", words), { type: "item_end" }];
const speak = (...said) => [...said, END].map(frame);

const CHAT = {
  "an answer": [letters({ content: ALL })],
  "an answer that is cut": [letters({ content: ALL, finish: "length" })],
  "a refusal": [letters({ refusal: ALL })],
  "reasoning": [letters({ reasoning: ALL, content: "Fine." })],
  "a model's name, an id, a fingerprint, a role and a finish": [
    [
      frame({ id: ALL, object: ALL, model: ALL, system_fingerprint: ALL, service_tier: ALL, choices: [{ index: 0, delta: { role: ALL, content: "Fine." } }] }),
      chunk({}, ALL, { usage: { prompt_tokens: 7, completion_tokens: ALL, note: ALL, prompt_tokens_details: { cached_tokens: ALL } } }),
      frame("[DONE]"),
    ],
  ],
  "names of events, comments and fields": [
    [Buffer.from(`: ${ALL}\nevent: ${ALL}\nid: ${ALL}\n\n`), chunk({ content: "Fine.", [ALL]: ALL }), chunk({}, "stop", { [ALL]: ALL }), frame("[DONE]")],
  ],
  "a call's name and id": [letters({ calls: [{ id: ALL.slice(0, 60), name: ALL, args: "{}" }] }), fine],
  "arguments": args(JSON.stringify({ q: ALL, [ALL]: [ALL, { deep: ALL }], card: Number(CARD), Authorization: BASIC })),
  "arguments with escapes": args(`{"q":"${escaped}"}`),
  "arguments that are no JSON": args(`{"q":"${escaped}`),
  "arguments inside of arguments": args(JSON.stringify({ q: JSON.stringify({ q: ALL }) })),
  "a body of an error": [status(500, "application/json", JSON.stringify({ error: { message: ALL } }))],
  "a text of a refused call": [status(401, "text/plain", ALL)],
  "a body that is no stream": [status(200, "text/html", `<p>${ALL}</p>`)],
  "an error in the stream": [[frame({ error: { message: ALL, code: ALL, type: ALL } })]],
  "an error behind half of an answer": [[...letters({ content: ALL }).slice(0, -2), frame({ error: { message: ALL } })]],
  "a line that is no JSON": [[frame(ALL)]],
  "a response that filters": [letters({ content: ALL, finish: "content_filter" })],
};

const SIGNALS = {
  "narration and an early answer": [speak(...item(ALL, { phase: "commentary" }), ...item(ALL, { phase: "final_answer" }))],
  "an early answer that is withdrawn": [
    speak(...item(ALL, { phase: "final_answer" }), { type: "call_start", id: ALL.slice(0, 60), name: ALL }, { type: "call_args", delta: JSON.stringify(ALL) }),
    speak(...item("Fine.")),
  ],
  "an item's whole text": [speak({ type: "item_start" }, { type: "item_end", text: ALL })],
  "text that was reasoning": [speak({ type: "item_start" }, ...spell("text", ALL), { type: "was_reasoning" }, ...spell("text", "Fine."))],
  "a state": [
    speak({ type: "state", snapshot: { text: ALL, [ALL]: [ALL, { [ALL]: 1 }], card: Number(CARD), list: [Number(CARD), -Number(CARD)], headers: { Authorization: [BASIC] } } }, ...item("Fine.")),
  ],
  "a state that is a text": [speak({ type: "state", snapshot: ALL }, ...item("Fine."))],
  "a tool of the provider's and fields that say nothing": [speak({ type: "provider_tool", name: ALL, [ALL]: ALL }, { type: "usage", input: 7, note: ALL }, ...item("Fine."))],
  "a type, a phase and an error": [[frame({ type: ALL })], [frame({ type: "item_start", phase: ALL })]],
  "an error": [[frame({ type: "error", message: ALL })]],
  "a pause, and what comes behind it": [[...item(ALL), { type: "response_end", stop: "pause" }].map(frame), speak(...item(ALL))],
};

const SECRETS = [...Object.values(VALUES), CARD, BASIC.slice(6)];

for (const [format, worker, places] of [["Chat Completions", chat, CHAT], ["signals", signals, SIGNALS]]) {
  describe(`in a stream of ${format}`, { concurrency: 10 }, () => {
    for (const [place, responses] of Object.entries(places)) {
      test(`${place} may say it, and nobody reads it`, async () => {
        const { runId, bytes, events } = await told(worker, upstream, responses);
        const stream = await worker.follow(events[0].threadId, { view: "operator" });
        const followed = await stream.until(({ text }) => /"task_(completed|failed)"/.test(text) && text);
        const cancelled = await worker.cancel(runId);
        const everything = `${bytes}${JSON.stringify(followed)}${JSON.stringify(cancelled)}${worker.logs.join()}`;
        assert.ok(everything.includes(runId));
        assertHidden(everything, SECRETS);
      });
    }
  });
}
