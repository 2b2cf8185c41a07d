// TurnOutput on its own: what of a turn is its answer, by signals or by the words of old.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { inside } from "../../js/scripts/lib/paths.mjs";
import { quirksOf } from "./lib/quirks.mjs";

const PACKAGE = inside("build/js");
const api = await import(`${PACKAGE}/node.mjs`);
const { core } = await import(`${PACKAGE}/core.mjs`);
const { Decoder, TurnOutput, Published, ClientCalls, EarlyAnswer } = api;

const FORMATS = { agui: "ag-ui", anthropic: "anthropic", chat_completions: "chat-completions", gemini: "gemini", ollama: "ollama", responses: "responses", workers_ai: "workers-ai" };
const KEY = ["sk", "ant", "api03", "aBcDeFgHiJkLmNoPqRsTuVwX"].join("-");

const say = (delta) => ({ type: "text", delta });
const call = (name, args = "{}") => [{ type: "call_start", id: `call-${name}`, name }, { type: "call_args", delta: args }, { type: "call_end" }];
const end = (stop) => ({ type: "response_end", stop });

/** The last decision that these signals come to. */
function told(turn, ...signals) {
  return signals.flat().map((signal) => turn.signal(signal)).findLast((decision) => decision !== undefined);
}

/** The texts that events of this type carry. */
const texts = (events, type) => events.filter((event) => event.type === type).map(({ delta }) => delta).join("");

describe("every recording of a provider's quirks", () => {
  for (const [folder, format] of Object.entries(FORMATS)) {
    test(`of ${format} comes to what its index says`, () => {
      for (const { name, bytes, answer, calls, paused, code, tagged } of quirksOf(folder)) {
        for (const thinkingTags of [false, true]) {
          const decoder = new Decoder(format, { thinkingTags });
          const turn = new TurnOutput({ filter: false });
          const signals = [...decoder.push(bytes), ...decoder.end()];
          const decision = told(turn, signals);
          const outcome = {
            candidate: () => ({ answer: turn.candidate }),
            calls: () => ({ calls: decision.calls.map((made) => [made.name, made.arguments || "{}"]) }),
            continue: () => ({ paused: decision.text }),
            dead: () => ({ code: decision.code }),
          }[decision.type]();
          const expected = { answer: thinkingTags ? (tagged ?? answer) : answer, calls, paused, code };
          assert.deepEqual(outcome, JSON.parse(JSON.stringify(expected)), name);
          decoder.free();
          turn.free();
        }
      }
    });
  }
});

describe("the rule", () => {
  test("a response that calls holds no answer; the one that ends the turn does", () => {
    const turn = new TurnOutput({ run: "r" });
    const decision = told(turn, say("Let me look."), call("look", '{"q":1}'), end());
    assert.deepEqual(decision, { type: "calls", text: "Let me look.", calls: [{ id: "call-look", name: "look", arguments: '{"q":1}' }] });
    assert.equal(turn.candidate, undefined);
    assert.equal(turn.haltText, "Let me look.");
    assert.deepEqual(told(turn, say("It "), say("rains."), end("complete")), { type: "candidate" });
    assert.equal(turn.candidate, "It rains.");
    const events = turn.takeEvents();
    assert.equal(texts(events, "intermediate_delta"), "Let me look.It rains.");
    assert.deepEqual(events.filter(({ type }) => type === "decided"), [
      { type: "decided", audience: "operator", message: "r-m1", answer: false },
      { type: "decided", audience: "operator", message: "r-m2", answer: true },
    ]);
    assert.deepEqual(turn.takeEvents(), []);
    assert.ok(turn.publish() instanceof Published);
  });

  test("stops decide as they do", () => {
    const decided = (stop, options) => told(new TurnOutput(options), say("Half"), end(stop));
    assert.deepEqual(decided("pause"), { type: "continue", text: "Half" });
    assert.deepEqual(decided("content_filter"), { type: "dead", code: "content_filter", message: "The model's provider filtered the response." });
    assert.equal(decided("length").type, "candidate");
    assert.equal(decided("length", { withholdTruncated: true }).code, "output_limit");
    const died = (fault) => told(new TurnOutput(), say("Half"), { type: "error", fault });
    assert.equal(died().code, "upstream_unavailable");
    assert.equal(died("cut").code, "upstream_unavailable");
    assert.equal(died("malformed").code, "upstream_malformed");
    assert.equal(told(new TurnOutput({ maxText: 4 }), say("12345")).code, "output_limit");
  });

  test("narration and thinking are for the customer only by option", () => {
    const play = (options) => {
      const turn = new TurnOutput({ run: "r", ...options });
      told(turn, { type: "reasoning", delta: "Hm." }, say("Let me look."), call("look"), end());
      return turn.takeEvents().filter(({ audience }) => audience !== "operator").map(({ type }) => type);
    };
    assert.deepEqual(play(), []);
    assert.deepEqual(play({ publicThinking: true }), ["thinking_start", "thinking_delta", "thinking_end"]);
    assert.deepEqual(play({ publicIntermediate: true }), ["narration_start", "narration_delta", "narration_end"]);
    assert.throws(() => play({ publicThinking: "yes" }), { code: "invalid_input", message: /publicThinking/ });
  });

  test("an attempt that failed is dropped, and a response that begins anew is void before", () => {
    const turn = new TurnOutput();
    told(turn, { type: "response_start" }, say("Half a sen"));
    turn.attemptReset();
    assert.equal(turn.haltText, "");
    told(turn, { type: "response_start" }, say("Void."), { type: "response_start" }, say("Whole."), end());
    assert.equal(turn.candidate, "Whole.");
    assert.equal(turn.takeEvents().filter(({ type }) => type === "attempt_reset").length, 2);
  });

  test("what is no signal is refused and says nothing", () => {
    const turn = new TurnOutput();
    for (const bad of [{ type: "txt" }, {}, 7, null, { type: "text" }, { type: "call_end" }, { type: "error", fault: "x" }]) {
      assert.throws(() => turn.signal(bad), { name: "LastwordError", code: "invalid_input" }, JSON.stringify(bad));
    }
    told(turn, say("Fine."), end());
    assert.equal(turn.candidate, "Fine.");
    assert.throws(() => turn.responseEnded("done"), { code: "invalid_input", message: /complete/ });
  });
});

describe("the words of old", () => {
  test("push, messageEnded, responseEnded, candidate, publish", () => {
    const turn = new TurnOutput({ filter: false });
    turn.push("Working on it");
    turn.push(".");
    assert.equal(turn.haltText, "Working on it.");
    turn.messageEnded("tool");
    assert.equal(turn.haltText, "Working on it.", "somebody else's message changes nothing");
    turn.messageEnded();
    turn.push("The answer.");
    assert.deepEqual(turn.responseEnded(), { type: "candidate" });
    assert.equal(turn.candidate, "The answer.");
    turn.publish();
    assert.equal(turn.candidate, undefined);
  });

  test("flush releases what the filter holds back", () => {
    const turn = new TurnOutput();
    turn.push("a key: sk-an");
    const before = texts(turn.takeEvents(), "intermediate_delta");
    turn.flush();
    assert.equal(before + texts(turn.takeEvents(), "intermediate_delta"), "a key: sk-an");
    assert.ok(before.length < "a key: sk-an".length);
  });

  test("any text comes back whole", () => {
    const turn = new TurnOutput({ filter: false });
    const text = 'é👩‍👩‍👧\n"\\\u2028\0'.repeat(9000);
    turn.push(text);
    turn.push("");
    turn.responseEnded();
    assert.equal(turn.candidate, text);
    assert.equal(texts(turn.takeEvents(), "intermediate_delta"), text, "in pieces of the core's size");
  });
});

describe("what is yielded", () => {
  const ended = (options, text = "Yes.") => {
    const turn = new TurnOutput(options);
    told(turn, say(text), end());
    return turn;
  };

  test("is yielded once", () => {
    const turn = ended();
    turn.publish();
    for (const again of [() => turn.publish(), () => turn.publish("x"), () => turn.handOver([])]) {
      assert.throws(again, { name: "LastwordError", code: "already_published" });
    }
  });

  test("can be read and made by nobody", () => {
    const published = ended().publish();
    assert.deepEqual([Reflect.ownKeys(published), JSON.stringify(published), Object.isFrozen(published)], [[], "{}", true]);
    for (const Kind of [Published, ClientCalls, EarlyAnswer]) {
      assert.throws(() => new Kind(), { code: "invalid_input" });
      assert.throws(() => new Kind(Symbol("made by a turn")), { code: "invalid_input" });
      assert.throws(() => new published.constructor(), { code: "invalid_input" });
    }
  });

  test("may be something else that goes through the filter and its bounds", () => {
    assert.throws(() => ended({ maxText: 4 }).publish("12345"), { code: "output_limit" });
    const blocking = ended({ filter: { mode: "block" } });
    assert.throws(() => blocking.publish(`the key is ${KEY}`), { code: "output_blocked" });
    assert.ok(blocking.publish("nothing of the kind") instanceof Published, "nothing was published before");
    assert.ok(new TurnOutput().publish() instanceof Published, "of nothing, an empty answer");
  });

  test("are the client's calls, in the answer's place", () => {
    const turn = new TurnOutput();
    const { calls } = told(turn, call("confirm", '{"a":1}'), end());
    assert.ok(turn.handOver(calls) instanceof ClientCalls);
    assert.throws(() => new TurnOutput().handOver([{ id: 1 }]), { code: "invalid_input" });
    assert.throws(() => new TurnOutput({ filter: { mode: "block" } }).handOver([{ id: "a", name: "n", arguments: `"${KEY}"` }]), { code: "output_blocked" });
  });

  test("is an answer that streams early, by option", () => {
    const play = (early) => {
      const turn = new TurnOutput({ early });
      turn.signal({ type: "item_start", phase: "final_answer" });
      turn.signal(say("It is 42."));
      return turn;
    };
    assert.equal(play(false).takeEarly(), undefined);
    const turn = play(true);
    assert.ok(turn.takeEarly() instanceof EarlyAnswer);
    assert.equal(turn.takeEarly(), undefined);
  });
});

describe("the filter of a turn", () => {
  const candidate = (filter, text = `the key is ${KEY} of order ORD-123456`) => {
    const turn = new TurnOutput(filter === undefined ? {} : { filter });
    for (const letter of text) turn.push(letter);
    turn.responseEnded();
    assert.equal(texts(turn.takeEvents(), "intermediate_delta"), turn.candidate, "the operator is shown the same");
    return turn.candidate;
  };

  test("is on by default, off by false, and else as its options say", () => {
    assert.equal(candidate(), "the key is [REDACTED:anthropic_key] of order ORD-123456");
    assert.equal(candidate(true), candidate());
    assert.equal(candidate({}), candidate());
    assert.equal(candidate(false), `the key is ${KEY} of order ORD-123456`);
    const patterns = [{ name: "order", pattern: /ord-\d{6}/i, style: { fixed: "(an order)" } }];
    assert.equal(candidate({ patterns, rules: { secrets: false } }), `the key is ${KEY} of order (an order)`);
  });

  test("refuses options that are not valid, and says where", () => {
    assert.throws(() => new TurnOutput({ filter: { rules: ["nonsense"] } }), { name: "LastwordError", code: "invalid_filter", message: /^rules: / });
    assert.throws(() => new TurnOutput({ filter: { patterns: [{ name: "a", pattern: /a/v }] } }), { code: "invalid_filter" });
    assert.throws(() => new TurnOutput({ filter: 7 }), { code: "invalid_filter" });
  });

  test("does not see what the model is to be told that it said", () => {
    const turn = new TurnOutput();
    const decision = told(turn, say(`the key is ${KEY}`), call("send", JSON.stringify({ key: KEY })), end());
    assert.equal(decision.text, `the key is ${KEY}`);
    assert.equal(JSON.parse(decision.calls[0].arguments).key, KEY);
  });
});

describe("a turn's memory", () => {
  test("is free once the turn is, which can't be used then", () => {
    const turn = new TurnOutput();
    turn.free();
    turn.free();
    assert.throws(() => turn.push("x"), { code: "freed" });
    assert.throws(() => turn.candidate, { code: "freed" });
    const disposed = new TurnOutput();
    disposed[Symbol.dispose]();
    assert.throws(() => disposed.publish(), { code: "freed" });
  });

  test("is free once nobody holds the turn or what it has yielded", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc");
    const round = async () => {
      for (let at = 0; at < 500; at++) {
        const turn = new TurnOutput({ filter: false });
        turn.push("x".repeat(4000));
        turn.responseEnded();
        turn.publish();
        new Decoder("anthropic").push("data: {");
      }
      for (let times = 0; times < 3; times++) await wait(5, gc());
      return core().memory.buffer.byteLength;
    };
    for (let times = 0; times < 3; times++) await round();
    const before = await round();
    for (let times = 0; times < 5; times++) await round();
    assert.equal(await round(), before);
  });
});
