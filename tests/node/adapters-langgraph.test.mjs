// LangGraph's own streams through the adapter: graphs whose models ask one on loopback, in the mode `messages` alone and
// beside others, as objects and as their JSON.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { adapted, assertAnswer, assertCalls, assertFailed, short, stage, stream } from "./lib/adapted.mjs";
import { chatSays, scripted } from "./lib/says.mjs";
import { KEY, startUpstream } from "./lib/upstream.mjs";
import { fresh } from "./lib/worker.mjs";

const play = await stage("signals");
const upstream = await startUpstream();
after(() => upstream.stop());

const OPTIONS = { model: "test-model", apiKey: KEY, configuration: { baseURL: upstream.url }, maxRetries: 0 };
const model = (useResponsesApi = false) => new ChatOpenAI({ ...OPTIONS, useResponsesApi });
const look = tool(async () => "found", { name: "look", description: "Looks.", schema: z.object({ q: z.number().optional() }) });
const fails = tool(async () => Promise.reject(new Error("It broke.")), { name: "fails", description: "Fails.", schema: z.object({}) });
const ask = tool(async () => "never", { name: "ask", description: "The client's.", schema: z.object({ a: z.number() }) });

const says = (llm) => async ({ messages }) => ({ messages: [await llm.invoke(messages)] });
const agent = (llm) => createReactAgent({ llm, tools: [look, fails] });
/** A graph of these nodes, one after the other. */
function line(nodes, options) {
  const names = Object.keys(nodes);
  const graph = names.reduce((graph, name) => graph.addNode(name, nodes[name]), new StateGraph(MessagesAnnotation));
  return [START, ...names].reduce((graph, name, at) => graph.addEdge(name, names[at] ?? END), graph).compile(options);
}

/** What a graph streams whose model says these responses. */
async function turn(graph, responses, options = {}) {
  const text = fresh("turn");
  if (responses) scripted(upstream, text, responses);
  return graph.stream({ messages: [{ role: "user", content: text }] }, { streamMode: "messages", configurable: { thread_id: text }, ...options });
}

const NARRATED = [
  { reasoning: ["Hm."], text: ["Let me ", "look."], calls: [{ id: "c1", name: "look", args: ['{"q"', ":1}"] }, { id: "c2", name: "fails" }] },
  { text: ["Sorry, ", "once more."], calls: [{ id: "c3", name: "look" }] },
  { text: ["Fine \u{1f600}", "."] },
];

for (const [wire, llm] of [["Responses", model(true)], ["Chat Completions", model()]]) {
  describe(`LangGraph over ${wire}`, { concurrency: 4 }, () => {
    const counts = wire === "Responses" ? (times) => [10, 5, 15, 0, 0].map((count) => count * times) : (times) => [10, 5, 15].map((count) => count * times);

    test("narration, two tools of which one fails, an apology, a tool, the answer", async () => {
      const { name, sent, bytes } = await adapted(await turn(agent(llm), NARRATED));
      assert.equal(name, "langgraph", "it is detected");
      assert.deepEqual(short(sent).filter(([type]) => !type.startsWith("item_")), [
        ...[["reasoning", "Hm."], ["text", "Let me look."], ["usage", ...counts(1)], ["provider_tool", "look"], ["provider_tool", "fails"]],
        ...[["text", "Sorry, once more."], ["usage", ...counts(2)], ["provider_tool", "look"]],
        ...[["text", "Fine 😀."], ["usage", ...counts(3)], ["response_end", "complete"]],
      ]);
      const played = await play(bytes);
      assertAnswer(played, "Fine 😀.", ["Let me look.", "Sorry, once more."]);
      assert.equal(played.last.usage[0].total_tokens, 45);
    });

    for (const [how, options] of [
      ["beside other modes", { streamMode: ["messages", "updates", "values", "custom"] }],
      ["with the graph's place", { subgraphs: true }],
      ["with both", { streamMode: ["values", "messages"], subgraphs: true }],
    ]) {
      test(`the same ${how}`, async () => {
        const { name, bytes } = await adapted(await turn(agent(llm), NARRATED, options));
        assert.equal(name, "langgraph");
        assertAnswer(await play(bytes), "Fine 😀.", ["Let me look.", "Sorry, once more."]);
      });
    }

    test("the same as JSON, and as the server's events", async () => {
      const tuples = JSON.parse(JSON.stringify(await Array.fromAsync(await turn(agent(llm), NARRATED))));
      const messages = tuples.map((data, at) => ({ event: at % 2 ? "messages" : "messages|agent:1", data }));
      const events = [{ event: "metadata", data: { run_id: "r" } }, ...messages, { event: "end", data: null }];
      for (const parts of [tuples, events]) {
        const { name, bytes } = await adapted(parts);
        assert.equal(name, "langgraph");
        assertAnswer(await play(bytes), "Fine 😀.", ["Let me look.", "Sorry, once more."]);
      }
    });

    test("an agent within a graph, behind a node that chooses it", async () => {
      const choose = async ({ messages }) => {
        await llm.withStructuredOutput(z.object({ to: z.string() }), { method: "functionCalling", name: "choose" }).invoke(messages);
        return {};
      };
      const responses = [{ calls: [{ id: "s1", name: "choose", args: ['{"to":"agent"}'] }] }, ...NARRATED];
      const { sent, bytes } = await adapted(await turn(line({ choose, team: agent(llm) }), responses, { subgraphs: true }));
      assert.ok(!sent.some(({ type }) => type === "call_start"), "a call that a node has used is nobody's");
      assertAnswer(await play(bytes), "Fine 😀.", ["Let me look.", "Sorry, once more."]);
    });

    test("two nodes that speak", async () => {
      const { bytes } = await adapted(await turn(line({ route: says(llm), reply: says(llm) }), [{ text: ["billing"] }, { text: ["Fine."] }]));
      assertAnswer(await play(bytes), "Fine.", ["billing"]);
    });

    test("a tool of the client's", async () => {
      const graph = line({ agent: says(llm.bindTools([ask])) });
      const calls = [{ id: "k1", name: "ask", args: ['{"a"', ":1}"] }, { id: "k2", name: "ask", args: ['{"a":2}'] }];
      const { bytes } = await adapted(await turn(graph, [{ text: ["Which?"], calls }]));
      const played = await play(bytes, { tools: ["ask"] });
      assertCalls(played, [["k1", "ask", '{"a":1}'], ["k2", "ask", '{"a":2}']]);
      assert.deepEqual(played.held, [["Which?", false]]);
    });

    test("a graph that is interrupted", async () => {
      const graph = line({ agent: says(llm), gate: async () => interrupt("Is that all right?") }, { checkpointer: new MemorySaver() });
      const { bytes } = await adapted(await turn(graph, [{ text: ["May I?"] }], { streamMode: ["messages", "updates"] }));
      assertFailed(await play(bytes), "upstream_unavailable", ["May I?"]);
    });

    test("nothing said", async () => {
      const { sent, bytes } = await adapted(await turn(agent(llm), [{}]));
      assert.deepEqual(sent.at(-1), { type: "response_end", stop: "complete" });
      assertAnswer(await play(bytes), "");
    });

    test("a graph that takes too many steps", async () => {
      const graph = line({ route: says(llm), reply: says(llm), rest: says(llm) });
      const { bytes, fault } = await adapted(await turn(graph, [{ text: ["Let me look."] }, {}], { recursionLimit: 2 }));
      assert.equal(fault.name, "GraphRecursionError");
      assertFailed(await play(bytes), "upstream_unavailable", ["Let me look."]);
    });

    test("a graph that is aborted", async () => {
      const control = new AbortController();
      const tuples = await turn(agent(llm), [{ text: ["Half", " of it"] }], { signal: control.signal });
      async function* aborted() {
        for await (const tuple of tuples) {
          yield tuple;
          if (tuple[0].text !== "") control.abort();
        }
      }
      const { bytes, fault } = await adapted(aborted());
      assert.ok(fault instanceof Error);
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    });
  });
}

describe("LangGraph, the model's end", { concurrency: 4 }, () => {
  test("a stream of Chat Completions that fails", async () => {
    const { bytes, fault } = await adapted(await turn(agent(model()), [{ text: ["Half"], fails: true }]));
    assert.ok(fault instanceof Error);
    assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
  });

  for (const [what, response, code] of [
    ["without its end", { cut: true }, "upstream_unavailable"],
    ["that fails, of which LangChain says nothing", { fails: true }, "upstream_unavailable"],
    ["that the provider filters", { finish: "content_filter" }, "content_filter"],
  ]) {
    test(`a stream of Responses ${what}`, async () => {
      const { bytes } = await adapted(await turn(agent(model(true)), [{ text: ["Half"], ...response }]));
      assertFailed(await play(bytes), code, ["Half"]);
    });
  }

  test("an answer of Responses that is cut by its length", async () => {
    const played = await play((await adapted(await turn(agent(model(true)), [{ text: ["Half"], finish: "length" }]))).bytes);
    assertAnswer(played, "Half");
    assert.equal(played.last.truncated, true);
  });

  test("a refusal of Responses", async () => {
    const played = await play((await adapted(await turn(agent(model(true)), [{ refusal: ["I can't ", "do that."] }]))).bytes);
    assertAnswer(played, "I can't do that.");
    assert.ok(played.isRefusal);
  });

  for (const phase of ["commentary", undefined]) {
    test(`a hosted tool in mid-message, ${phase ? "with" : "without"} phases`, async () => {
      const { sent, bytes } = await adapted(await turn(agent(model(true)), [{ text: ["Searching."], search: true, after: ["Found."], phase }]));
      assert.deepEqual(short(sent).filter(([type]) => type === "provider_tool"), [["provider_tool", "web_search"]]);
      assertAnswer(await play(bytes), "Found.", ["Searching."]);
    });
  }
});

describe("LangGraph, messages that do not come one after the other", { concurrency: 4 }, () => {
  test("two nodes at once: one message after the other", async () => {
    const [first, second] = [fresh("first"), fresh("second")];
    const [spoke, done] = [Promise.withResolvers(), Promise.withResolvers()];
    upstream.on(first, async (call) => {
      const frames = chatSays({ text: ["One ", "and two."] }, "chatcmpl_first");
      await call.writeAll(frames.slice(0, 2));
      spoke.resolve();
      await done.promise;
      await call.writeAll(frames.slice(2));
      await call.end();
    });
    upstream.on(second, async (call) => {
      await call.writeAll(chatSays({ text: ["Three", "."] }, "chatcmpl_second"));
      await call.end();
      done.resolve();
    });
    const llm = model();
    const asks = (text, before) => async () => {
      await before;
      return { messages: [await llm.invoke(text)] };
    };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("one", asks(first))
      .addNode("two", asks(second, spoke.promise))
      .addEdge(START, "one").addEdge(START, "two").addEdge("one", END).addEdge("two", END).compile();
    const { sent, bytes } = await adapted(await turn(graph));
    const items = short(sent.filter(({ type }) => type !== "usage"));
    assert.deepEqual(items.filter(([type]) => type === "text"), [["text", "One and two."], ["text", "Three."]]);
    assertAnswer(await play(bytes), "Three.", ["One and two."]);
  });

  test("a message that a node gives whole", async () => {
    const graph = line({ route: says(model()), reply: async () => ({ messages: [new AIMessage("Fine.")] }) });
    assertAnswer(await play((await adapted(await turn(graph, [{ text: ["billing"] }]))).bytes), "Fine.", ["billing"]);
  });

  test("a message that a node gives again", async () => {
    const graph = line({ reply: says(model()), again: async ({ messages }) => ({ messages: messages.map((message) => message) }) });
    assertAnswer(await play((await adapted(await turn(graph, [{ text: ["Fine."] }]))).bytes), "Fine.");
  });
});

describe("LangGraph, as its server sends it", { concurrency: 4 }, () => {
  const METADATA = { langgraph_node: "agent", langgraph_step: 1, langgraph_checkpoint_ns: "agent:1" };
  const BARE = { additional_kwargs: {}, response_metadata: {}, name: null, id: "run-1", tool_calls: [], invalid_tool_calls: [], usage_metadata: null };
  const chunk = (content, rest = {}) => [{ ...BARE, content, type: "AIMessageChunk", example: false, tool_call_chunks: [], ...rest }, METADATA];
  const whole = (content, rest = {}) => [{ ...BARE, content, type: "ai", ...rest }, METADATA];
  const result = (tool_call_id) => [
    { content: "found", type: "tool", name: "look", id: "t", tool_call_id, artifact: null, status: "success" },
    { ...METADATA, langgraph_node: "tools", langgraph_step: 2 },
  ];
  const call = (fields) => ({ id: null, name: null, index: null, type: "tool_call_chunk", ...fields });

  test("chunks, blocks, thinking, and the message again", async () => {
    const USED = { input_tokens: 1, output_tokens: 2, total_tokens: 3, input_token_details: { cache_read: 1, cache_creation: 0 } };
    const { sent, bytes } = await adapted([
      chunk([{ type: "thinking", thinking: "Hm.", index: 0 }]),
      chunk([{ type: "reasoning", summary: [{ type: "summary_text", text: " Well." }] }]),
      chunk([{ type: "text", text: "Fine \ud83d", index: 1 }]),
      chunk("\ude00."),
      chunk("", { chunk_position: "last", response_metadata: { stop_reason: "end_turn" }, usage_metadata: USED }),
      whole("Fine 😀."),
      [{ content: "Never mind.", type: "human", id: "h" }, METADATA],
    ]);
    const total = ["usage", 1, 2, 3, 1, 0];
    assert.deepEqual(short(sent), [["reasoning", "Hm. Well."], ["item_start"], ["text", "Fine 😀."], total, ["item_end"], ["response_end", "complete"]]);
    assertAnswer(await play(bytes), "Fine 😀.");
  });

  test("calls without an index, with one that is answered", async () => {
    const { bytes } = await adapted([
      chunk("", { tool_call_chunks: [call({ id: "c1", name: "look", args: "" })] }),
      chunk("", { tool_call_chunks: [call({ args: '{"q":1}' })] }),
      chunk("", { tool_call_chunks: [call({ id: "k1", name: "ask", args: '{"a":' })] }),
      chunk("", { tool_call_chunks: [call({ args: "1}" })] }),
      result("c1"),
    ]);
    assertCalls(await play(bytes, { tools: ["ask"] }), [["k1", "ask", '{"a":1}']]);
  });

  for (const metadata of [{ finish_reason: "content_filter" }, { finishReason: "SAFETY" }, { stop_reason: "refusal" }]) {
    test(`a message that ends with ${Object.values(metadata)}`, async () => {
      const { bytes } = await adapted([chunk("Half"), chunk("", { response_metadata: metadata })]);
      assertFailed(await play(bytes), "content_filter", ["Half"]);
    });
  }

  for (const metadata of [{ finish_reason: "length" }, { stop_reason: "max_tokens" }, { done_reason: "length" }]) {
    test(`a message that ends with ${Object.entries(metadata)}`, async () => {
      const played = await play((await adapted([whole("Half", { response_metadata: metadata })])).bytes);
      assertAnswer(played, "Half");
      assert.equal(played.last.truncated, true);
    });
  }

  test("an error, a stream that throws, one without anything", async () => {
    const told = [
      [[{ event: "messages", data: chunk("Half") }, { event: "error", data: { error: "E", message: "It broke." } }], undefined, 2],
      [[chunk("Half")], new Error("It broke."), 2],
      [[], undefined, 0],
    ];
    for (const [parts, thrown] of told) {
      const { sent, bytes } = await adapted(stream(parts, thrown), "langgraph");
      assert.ok(!sent.some(({ type }) => type === "response_end"));
      assertFailed(await play(bytes), "upstream_unavailable", ["Half"]);
    }
  });

  test("what is no tuple of a message", async () => {
    const events = [{ event: "messages/partial", data: [whole("Fi")[0]] }, { event: "messages", data: {} }];
    for (const part of [{ agent: { messages: [] } }, ["messages", null], [], "text", null, ...events]) {
      const { bytes, fault } = await adapted([chunk("Half"), part]);
      assert.equal(fault.code, "upstream_malformed", JSON.stringify(part));
      assertFailed(await play(bytes), "upstream_malformed", ["Half"]);
    }
  });
});
