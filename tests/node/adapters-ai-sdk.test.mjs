// The AI SDK's own streams through the adapter, of 5, 6 and 7: `streamText` with tools, over models that say what a test
// tells them to.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as ai7 from "ai";
import { z } from "zod";
import { adapted, AFTERWARDS, assertAnswer, assertCalls, assertFailed, short, stage } from "./lib/adapted.mjs";
import { call, finish, NARRATED, reasoning, spent, text, turns, VERSIONS } from "./lib/ai-sdk.mjs";

const play = await stage("signals");

for (const [number, version] of Object.entries(VERSIONS)) {
  const { tool, steps } = version;
  const turn = turns(version);

  describe(`the AI SDK, ${number}`, { concurrency: 4 }, () => {
    test("narration, two tools of which one fails, an apology, a tool, the answer", async () => {
      const { name, sent, bytes } = await adapted(turn(NARRATED));
      assert.equal(name, "ai-sdk", "it is detected");
      const told = short(sent);
      const tools = told.slice(3, 5).sort();
      assert.deepEqual(told.slice(0, 3), [["reasoning", "Hm."], ["item_start"], ["text", "Let me look."]]);
      assert.deepEqual(tools, [["provider_tool", "fails"], ["provider_tool", "look"]]);
      assert.deepEqual(told.slice(5), [
        ...[["item_end"], spent(1), ["item_start"], ["text", "Sorry, once more."], ["provider_tool", "look"]],
        ...[["item_end"], spent(2), ["item_start"], ["text", "It is done."], ["item_end"], spent(3), spent(3), ["response_end", "complete"]],
      ]);
      const played = await play(bytes);
      assertAnswer(played, "It is done.", ["Let me look.", "Sorry, once more."]);
      assert.equal(played.last.usage[0].total_tokens, 21);
    });

    test("a tool of the client's, beside one that the SDK runs", async () => {
      const { sent, bytes } = await adapted(turn([[...text("0", "Which?"), ...call("c1", "look"), ...call("k1", "ask", '{"a":1}'), finish("tool-calls")]]));
      assert.deepEqual(short(sent).slice(-2), [["call", "k1", "ask", '{"a":1}'], ["response_end", "complete"]]);
      const played = await play(bytes, { tools: ["ask"] });
      assertCalls(played, [["k1", "ask", '{"a":1}']]);
      assert.deepEqual(played.held, [["Which?", false]]);
    });

    test("a tool that the provider runs, in mid-answer", async () => {
      const search = { providerExecuted: true };
      const result = { type: "tool-result", toolCallId: "p1", toolName: "look", result: { q: 1 }, ...search };
      const said = [...text("0", "Searching."), ...call("p1", "look", "{}", search), result, ...text("1", "Fine."), finish("stop")];
      const { sent, bytes } = await adapted(turn([said]));
      assert.deepEqual(short(sent).slice(0, 4), [["item_start"], ["text", "Searching."], ["provider_tool", "look"], ["text", "Fine."]]);
      assertAnswer(await play(bytes), "Fine.", ["Searching."]);
    });

    test("a tool that tells of its result as it comes is one tool", async () => {
      const { sent, bytes } = await adapted(turn([[...call("c1", "slow"), finish("tool-calls")], [...text("0", "Fine."), finish("stop")]]));
      assert.equal(sent.filter(({ type }) => type === "provider_tool").length, 1);
      assertAnswer(await play(bytes), "Fine.");
    });

    test("several parts of one step are one text", async () => {
      const said = [...text("0", "It is "), ...text("1", "done"), ...text("2", "."), finish("stop")];
      assertAnswer(await play((await adapted(turn([said]))).bytes), "It is done.");
    });

    test("characters that are cut in two", async () => {
      const said = [...text("0", "Fine \ud83d", "\ude00 \ud83d", ""), ...call("k1", "ask", '{"a":1}'), finish("tool-calls")];
      const { bytes } = await adapted(turn([[...text("0", "Fine \ud83d", "\ude00, \ud83d"), finish("stop")]]));
      assertAnswer(await play(bytes), "Fine 😀, \ufffd");
      assertCalls(await play((await adapted(turn([said]))).bytes, { tools: ["ask"] }), [["k1", "ask", '{"a":1}']]);
    });

    test("an answer that is cut by its length", async () => {
      const played = await play((await adapted(turn([[...text("0", "Half"), finish("length")]]))).bytes);
      assertAnswer(played, "Half");
      assert.equal(played.last.truncated, true);
    });

    test("a call that is cut by its length", async () => {
      const said = [...text("0", "Let me look."), ...call("k1", "ask", '{"a":').slice(0, 2), finish("length")];
      assertFailed(await play((await adapted(turn([said]))).bytes, { tools: ["ask"] }), "output_limit", ["Let me"]);
    });

    for (const [what, said, code] of [
      ["the provider's filter", [...text("0", "Half"), finish("content-filter")], "content_filter"],
      ["an error in mid-stream", [...text("0", "Half"), { type: "error", error: new Error("It broke.") }, finish("error")], "upstream_unavailable"],
      ["an error as the provider's end", [...text("0", "Half"), finish("error")], "upstream_unavailable"],
      ["a stream of the provider without its end", text("0", "Half"), "upstream_unavailable"],
    ]) {
      test(what, async () => assertFailed(await play((await adapted(turn([said]))).bytes), code, ["Half"]));
    }

    // In 7 an approval is an option of the call, in 6 of the tool; 5 has none.
    if (number !== "5") {
      test("an approval that nobody gives", async () => {
        const risky = tool({ description: "Needs a word.", inputSchema: z.object({}), needsApproval: true, execute: async () => "done" });
        const said = [...text("0", "May I?"), ...call("c1", "risky"), finish("tool-calls")];
        const { bytes } = await adapted(turn([said], { tools: { risky }, ...(number === "7" && { toolApproval: { risky: "user-approval" } }) }));
        assertFailed(await play(bytes), "upstream_unavailable", ["May I?"]);
      });
    }

    test("a second step that fails", async () => {
      const { bytes } = await adapted(turn([[...text("0", "Let me look."), ...call("c1", "look"), finish("tool-calls")], new Error("It broke.")]));
      assertFailed(await play(bytes), "upstream_unavailable", ["Let me look."]);
    });

    test("a turn that is aborted", async () => {
      const control = new AbortController();
      const parts = turn([[...text("0", "Half", " of it"), finish("stop")]], { abortSignal: control.signal });
      async function* aborted() {
        for await (const part of parts) {
          yield part;
          if (part.type === "text-delta") control.abort();
        }
      }
      const { bytes, sent } = await adapted(aborted());
      assert.equal(sent.at(-1).type, "error");
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    });

    test("nothing said", async () => {
      const { sent, bytes } = await adapted(turn([[finish("stop")]]));
      assert.deepEqual(sent.at(-1), { type: "response_end", stop: "complete" });
      assertAnswer(await play(bytes), "");
    });

    test("the SDK stops behind its tools: the turn is not over", async () => {
      const { sent, bytes } = await adapted(turn([[...text("0", "Let me look."), ...call("c1", "look"), finish("tool-calls")]], { stopWhen: steps(1) }));
      assert.deepEqual(sent.at(-1), { type: "response_end", stop: "pause" });
      const played = await play(bytes);
      assert.deepEqual([played.asked, played.added], [2, [{ role: "assistant", content: AFTERWARDS }]]);
    });
  });
}

describe("the AI SDK, 7 alone", { concurrency: 4 }, () => {
  const { Model, streamText, tool } = { ...VERSIONS[7] };
  const model = (said) => {
    let at = 0;
    const chunks = () => said[at++].map((part) => (part.type === "finish" ? VERSIONS[7].finish(part) : part));
    return new Model({ doStream: async () => ({ stream: ai7.simulateReadableStream({ chunks: chunks() }) }) });
  };
  const risky = { risky: tool({ description: "Needs a word.", inputSchema: z.object({}), execute: async () => "done" }) };
  const asks = [[...text("0", "May I?"), ...call("c1", "risky"), finish("tool-calls")], [...text("0", "I did."), finish("stop")]];
  const run = (options) => streamText({ prompt: "Hi", stopWhen: ai7.isStepCount(5), maxRetries: 0, onError: () => {}, ...options }).stream;

  for (const status of ["approved", "denied"]) {
    test(`an approval that is ${status} by a rule`, async () => {
      const { sent, bytes } = await adapted(run({ model: model(asks), tools: risky, toolApproval: { risky: status } }));
      assert.deepEqual(sent.filter(({ type }) => type === "provider_tool").map(({ name }) => name), ["risky"]);
      assertAnswer(await play(bytes), "I did.", ["May I?"]);
    });
  }

  test("an attempt that the SDK makes again within a step", async () => {
    const broken = { type: "error", error: new Error("It broke.") };
    const said = [
      [...text("0", "Half"), broken],
      [...text("0", "Let me look."), ...call("c1", "risky"), finish("tool-calls")],
      [...text("0", "Half of the rest"), broken],
      [...text("0", "It is "), ...text("1", "done."), finish("stop")],
    ];
    const { bytes } = await adapted(run({ model: model(said), tools: risky, streamRetries: 3 }));
    assertAnswer(await play(bytes), "It is done.", ["Half", "Let me look.", "Half of the rest"]);
  });

  test("a pause of the provider's", async () => {
    const { sent } = await adapted(run({ model: model([[...text("0", "Searching."), finish("stop", "pause_turn")]]) }));
    assert.deepEqual(sent.at(-1), { type: "response_end", stop: "pause" });
  });

  test("a stream that ends without the SDK's end", async () => {
    const parts = await Array.fromAsync(run({ model: model([[...text("0", "Fine."), finish("stop")]]) }));
    const { sent, bytes } = await adapted(parts.slice(0, -1));
    assert.ok(!sent.some(({ type }) => type === "response_end"));
    assertFailed(await play(bytes), "upstream_unavailable", ["Fine."]);
  });
});
