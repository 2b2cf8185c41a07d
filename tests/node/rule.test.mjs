// Every row of the publishing rule, by name: from a provider's recorded bytes through the Worker to the official client.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recording } from "./lib/recordings.mjs";
import { assertAnswered, assertFailed, play } from "./lib/rule.mjs";
import { sharedWorker } from "./lib/worker.mjs";

describe("by default", { concurrency: 4 }, () => {
  const worker = sharedWorker();

  test("phase commentary and final_answer: the marked message is the answer", async () => {
    const played = await play(worker, "phases");
    const answer = "Take the night tariff: it saves about 14 euros a month.";
    assertAnswered(played, answer);
    assert.deepEqual(played.held, [["Comparing both tariffs before I recommend one.", false], [answer, true]]);
    assert.equal("fallback" in played.last || "truncated" in played.last, false);
  });

  test("final_answer beside a function call is intermediate", async () => {
    const played = await play(worker, "answer-beside-call");
    assertAnswered(played, recording("answer-beside-call").answer);
    assert.deepEqual(played.held[0], ["Your parcel was handed over yesterday.", false]);
    assert.ok(played.operator.some(({ type, name }) => type === "tool_start" && name === "track_parcel"));
  });

  test("commentary only is published and marked fallback", async () => {
    const played = await play(worker, "commentary-only");
    assertAnswered(played, recording("commentary-only").answer);
    assert.equal(played.last.fallback, true);
  });

  test("commentary and final_answer of equal text are published once", async () => {
    const played = await play(worker, "equal-texts");
    assertAnswered(played, "The library opens at nine.");
    assert.deepEqual(played.held.map(([, answer]) => answer), [false, true]);
  });

  test("provider-run tool inside one message: what is before it is intermediate", async () => {
    const played = await play(worker, "provider-tool");
    assertAnswered(played, "The last ferry leaves at 21:40 from pier 2.");
    assert.deepEqual(played.held[0], ["Searching the timetable for that evening.", false]);
    assert.ok(played.operator.every(({ type }) => !type.startsWith("tool")), "it is no call of ours");
  });

  test("pause_turn: the response ended and the turn did not", async () => {
    const played = await play(worker, "paused");
    assertAnswered(played, "You may cancel with two months' notice.");
    const stops = played.operator.filter(({ type }) => type === "response_ended").map(({ stop }) => stop);
    assert.deepEqual(stops, ["pause", "complete"]);
  });

  test("stopped by length is published and marked truncated", async () => {
    const played = await play(worker, "length-stop");
    assertAnswered(played, recording("length-stop").answer);
    assert.equal(played.last.truncated, true);
  });

  test("content filter: nothing is published", async () => {
    const played = await play(worker, "filtered");
    assertFailed(played, "content_filter");
    assert.deepEqual(played.held, [["The recipe begins with three parts", false]], "the operator saw it");
  });

  for (const name of ["error-after-200", "missing-end-mark", "death-mid-message", "early-death"]) {
    test(`stream error or missing end mark: nothing is published (${name})`, async () => {
      const played = await play(worker, name);
      assertFailed(played, "upstream_unavailable");
      assert.equal(played.held.length, 1);
    });
  }

  for (const name of ["refusal", "refused-item"]) {
    test(`refusal is the answer (${name})`, async () => {
      const played = await play(worker, name);
      assertAnswered(played, recording(name).answer);
      assert.ok(played.told.filter(({ type }) => type === "content").every(({ refusal }) => refusal === true));
    });
  }

  test("text only in the message object is published", async () => {
    assertAnswered(await play(worker, "message-object"), "The warranty runs until March 2028.");
  });

  test("loop limit reached with tool calls: no older text is the answer", async () => {
    const played = await play(worker, "loop");
    assertFailed(played, "step_limit");
    assert.equal(played.held.length, 16, "as many responses as steps");
    assert.ok(played.held.every(([, answer]) => answer === false));
  });

  test("failed attempt: with retries off the run fails", async () => {
    assertFailed(await play(worker, "failed-attempt"), "upstream_unavailable");
  });

  test("whitespace only is published for parity", async () => {
    assertAnswered(await play(worker, "blank"), "\n \n");
  });

  test("thinking tags inside text stay whole", async () => {
    assertAnswered(await play(worker, "thinking-tags"), recording("thinking-tags").answer);
  });

  test("narration and thinking are private", async () => {
    const [narrated, thought] = [await play(worker, "narrated-refund"), await play(worker, "reasoning-beside-text")];
    for (const { events } of [narrated, thought]) assert.ok(events.every(({ type }) => !type.startsWith("REASONING")));
    assert.ok(thought.operator.some(({ type }) => type === "thinking"));
  });

  test("state reaches the client", async () => {
    const played = await play(worker, "state");
    assertAnswered(played, "Two rooms are free.");
    assert.deepEqual(played.state, recording("state").state);
  });
});

describe("with the options of the rule", { concurrency: 4 }, () => {
  const worker = sharedWorker({
    LASTWORD_TRUNCATED: "withhold",
    LASTWORD_BLANK: "suppress",
    LASTWORD_STEPS: "3",
    LASTWORD_RETRIES: "1",
  });

  test("stopped by length is withheld", async () => {
    const words = recording("length-stop").answer.split(" ").filter((word) => word.length > 4);
    assertFailed(await play(worker, "length-stop", { withheld: words }), "output_limit");
  });

  test("whitespace only is suppressed: the turn completes without a message", async () => {
    const played = await play(worker, "blank");
    assert.deepEqual([played.added, played.terminal.type], [[], "RUN_FINISHED"]);
    assert.deepEqual(played.held, [["\n \n", true]]);
  });

  test("a whole answer is published as ever", async () => {
    assertAnswered(await play(worker, "phases"), recording("phases").answer);
  });

  test("loop limit of three steps", async () => {
    const played = await play(worker, "loop");
    assertFailed(played, "step_limit");
    assert.equal(played.held.length, 3);
  });

  test("failed attempt: made again it answers, and the failed one is dropped", async () => {
    const tape = recording("failed-attempt");
    const played = await play(worker, "failed-attempt");
    assertAnswered(played, tape.retried);
    assert.deepEqual(played.operator.filter(({ type }) => type === "attempt_reset").map(({ ordinal }) => ordinal), [1]);
    // Its last word was held by the output filter when it died, and is nobody's.
    const dropped = ["Tomorrow stays dry ", undefined];
    assert.deepEqual(played.held, [dropped, [tape.retried, true]], "the operator saw it, and the reset makes it void");
  });
});

describe("with thinking tags", () => {
  const worker = sharedWorker({ LASTWORD_THINKING_TAGS: "true" });

  test("thinking tags inside text are thinking", async () => {
    const { without_tags: answer, thought } = recording("thinking-tags");
    const played = await play(worker, "thinking-tags", { withheld: thought });
    assertAnswered(played, answer);
    const thinking = played.operator.filter(({ type }) => type === "thinking").map(({ delta }) => delta).join("");
    assert.ok(thought.every((word) => thinking.includes(word)), "the operator sees it");
  });
});

describe("with public narration alone", () => {
  const worker = sharedWorker({ LASTWORD_PUBLIC: "intermediate=true,thinking=TRUE" });

  test("public narration comes once its response is decided, and thinking stays private", async () => {
    const played = await play(worker, "phases", { withheld: [] });
    const [narration, answer] = played.added;
    assert.deepEqual(narration, { role: "reasoning", content: "Comparing both tariffs before I recommend one." });
    assert.deepEqual(answer, { role: "assistant", content: recording("phases").answer });
    await play(worker, "reasoning-beside-text");
  });
});

describe("with public thinking alone", () => {
  const worker = sharedWorker({ LASTWORD_PUBLIC: "thinking=true" });

  test("public thinking is a switch of its own", async () => {
    const thought = await play(worker, "reasoning-beside-text", { withheld: [] });
    assert.deepEqual(thought.added.map(({ role }) => role), ["reasoning", "assistant"]);
    await play(worker, "phases");
  });
});

for (const value of ["intermediate=1,thinking=yes", "intermediate=TRUE,thinking=True", "true", "intermediate,thinking"]) {
  describe(`with LASTWORD_PUBLIC=${value}`, () => {
    const worker = sharedWorker({ LASTWORD_PUBLIC: value });

    test("anything but an exact true is off", async () => {
      await play(worker, "narrated-refund");
      await play(worker, "reasoning-beside-text");
    });
  });
}
