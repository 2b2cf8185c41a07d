// What the tests of the npm package's parts share: the package, turns that are over, stores that do as they are told.

import { inside } from "../../../js/scripts/lib/paths.mjs";

export const PACKAGE = inside("build/js");

export const api = await import(`${PACKAGE}/node.mjs`);

/** A run's place and input, and a store of its own. */
let ran = 0;
export const fresh = (more = {}) => ({
  store: api.memory(),
  thread: "thread-1",
  run: `run-${(ran += 1)}`,
  input: { messages: [{ id: "m1", role: "user", content: "Where is my refund?" }] },
  ...more,
});

/** A turn that has said these texts, each a response that calls a tool but the last, and what it yields. */
export function answered(text, { run = "r", narration = [], ...options } = {}) {
  const turn = new api.TurnOutput({ run, ...options });
  narration.forEach((said, at) => {
    turn.signal({ type: "text", delta: said });
    turn.signal({ type: "call_start", id: `c${at}`, name: "look" });
    turn.signal({ type: "response_end" });
  });
  turn.signal({ type: "response_start", model: "model-1" });
  turn.signal({ type: "text", delta: text });
  turn.signal({ type: "usage", input: 3, output: 4 });
  turn.signal({ type: "response_end" });
  return turn;
}

/** The frames of a reader, to its end. */
export const framesOf = (reader) => Array.fromAsync(reader);

/** The types of frames of JSON. */
export const typesOf = (frames) => frames.map(({ data }) => (data === "[DONE]" ? data : JSON.parse(data).type));

/** The text that customers are sent on the canonical wire. */
export const textOf = (frames) =>
  frames.map(({ data }) => JSON.parse(data)).filter(({ type }) => type === "content").map(({ delta }) => delta).join("");

/** A store over another, each of whose saves first asks `before(save)`: what that returns is what the save does. */
export function watched(store, before) {
  return { ...store, traits: store.traits, save: async (parts, head) => before({ parts, head, save: () => store.save(parts, head) }) };
}

/** A promise that is settled from outside. */
export const gate = () => Promise.withResolvers();
