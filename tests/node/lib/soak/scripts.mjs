// What the agent behind the Worker says: one script a kind of run, in signals.

import { setTimeout as sleep } from "node:timers/promises";

const say = (signal) => Buffer.from(`data: ${JSON.stringify(signal)}\n\n`);
const words = (text) => text.split(/(?<= )/).map((delta) => say({ type: "text", delta }));
const thoughts = (text) => text.split(/(?<= )/).map((delta) => say({ type: "reasoning", delta }));
const message = (text, phase) => [say({ type: "item_start", phase }), ...words(text), say({ type: "item_end" })];
const calling = (name, id) => [
  say({ type: "call_start", id, name }),
  say({ type: "call_args", delta: '{"order":' }),
  say({ type: "call_args", delta: '"1043"}' }),
  say({ type: "call_end" }),
];
const END = say({ type: "response_end" });
const LONG = Array.from({ length: 400 }, (_, at) => `word${at} `).join("");

/**
 * By kind: the responses of a turn, each a list of `[chunks, pause]`; the pause, in ms, comes after each chunk. `dies`
 * lets the last response break off, `endless` lets it talk on until the other side closes.
 */
export const SCRIPTS = {
  answer: { responses: [[[[...message("All is well with it."), END], 8]]] },
  narrated: {
    responses: [
      [[[...message("Let me look that up."), ...calling("look_up_order", "call_1"), END], 4]],
      [[[...thoughts("That did not work."), ...message("Sorry, once more."), ...calling("look_up_order", "call_2"), END], 4]],
      [[[...message("Your refund was approved."), END], 8]],
    ],
  },
  parallel: {
    responses: [
      [[[...calling("look_up_order", "call_1"), ...calling("look_up_parcel", "call_2"), END], 5]],
      [[[...message("It is at the depot."), END], 5]],
    ],
  },
  long: { responses: [[[thoughts("I think of many words at once."), 5], [[...grouped(message(LONG), 10), END], 10]]] },
  silent: { responses: [[[[Buffer.from(": quiet\n\n")], 900], [[...message("After a while: yes."), END], 2]]] },
  state: { responses: [[[[say({ type: "state", snapshot: { at: "depot" } }), ...message("Noted."), END], 10]]] },
  early: { responses: [[[[...message("It is in Porto, by the river.", "final_answer"), END], 20]]] },
  withdrawn: {
    responses: [
      [[[...message("It is in Porto, surely.", "final_answer"), ...calling("look_up_order", "call_1"), END], 12]],
      [[[...message("It is in Lisbon."), END], 8]],
    ],
  },
  dies: { responses: [[[message("Half of what I").slice(0, 3), 20]]], dies: true },
  endless: { responses: [[[words("chatter on and on "), 15]]], endless: true },
};

function grouped(chunks, size) {
  const groups = Array.from({ length: Math.ceil(chunks.length / size) }, (_, at) => chunks.slice(at * size, (at + 1) * size));
  return groups.map((group) => Buffer.concat(group));
}

/** How many of a turn's responses a request has had: each round of calls is one assistant message with calls. */
const rounds = (body) => {
  const turn = body.messages.slice(body.messages.findLastIndex(({ role }) => role === "user"));
  return turn.filter(({ role, tool_calls }) => role === "assistant" && tool_calls?.length > 0).length;
};

/** Lets the upstream say `kind` to whoever asks with `text`. `calls` gets the number of each response that is asked for. */
export function script(upstream, text, kind, calls) {
  const { responses, dies, endless } = SCRIPTS[kind];
  upstream.on(text, async (call) => {
    const nth = rounds(call.body);
    calls.push(nth);
    const response = responses[Math.min(nth, responses.length - 1)];
    for (const [chunks, pause] of response) {
      for (const chunk of chunks) {
        if (!(await call.write(chunk))) return;
        await sleep(pause);
      }
    }
    const [[chunk]] = [responses.at(-1)[0][0]];
    while (endless && (await call.write(chunk))) await sleep(25);
    if (dies) call.destroy();
    else await call.end();
  });
}
