// What a model says, as OpenAI's two wires say it: for frameworks that call a model by themselves.
//
// A response is `{ reasoning, text, refusal, calls, search, after, phase, finish, cut, fails }`: pieces of text in lists,
// `calls` of `{ id, name, args }`, `search` a hosted tool between `text` and `after`, `finish` of Chat Completions' words;
// `cut` ends it without its end, `fails` with an error instead.

const frame = (value) => Buffer.from(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** The frames of a response of Chat Completions. */
export function chatSays({ reasoning = [], text = [], refusal = [], calls = [], after = [], finish, cut, fails } = {}, id = "chatcmpl-1") {
  const own = { id, object: "chat.completion.chunk", created: 1, model: "test-model" };
  const chunk = (delta, rest = {}) => frame({ ...own, choices: [{ index: 0, delta, finish_reason: null, ...rest }] });
  const frames = [
    chunk({ role: "assistant", content: "" }),
    ...reasoning.map((piece) => chunk({ reasoning_content: piece, reasoning: piece })),
    ...[...text, ...after].map((content) => chunk({ content })),
    ...refusal.map((piece) => chunk({ refusal: piece })),
    ...calls.flatMap(({ id, name, args = ["{}"] }, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...args.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
  if (cut) return frames;
  if (fails) return [...frames, frame({ error: { message: "it broke", type: "server_error", code: "server_error" } })];
  const reason = finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  return [...frames, chunk({}, { finish_reason: reason }), frame({ ...own, choices: [], usage: USAGE }), frame("[DONE]")];
}

/** The frames of a response of Responses. */
export function responsesSays(said = {}, id = "resp_1") {
  const { reasoning = [], text = [], refusal = [], calls = [], search, after = [], phase, finish, cut, fails } = said;
  let number = 0;
  const event = (type, rest) => Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...rest })}\n\n`);
  const own = { id, object: "response", created_at: 1, model: "test-model", parallel_tool_calls: true, tool_choice: "auto", tools: [] };
  const response = (rest) => ({ ...own, status: "in_progress", output: [], usage: null, ...rest });
  const output = [];
  const frames = [event("response.created", { response: response() })];
  const item = (added, done, between = () => []) => {
    const at = { output_index: output.push(done) - 1 };
    frames.push(event("response.output_item.added", { ...at, item: added }), ...between(at), event("response.output_item.done", { ...at, item: done }));
  };
  if (reasoning.length > 0) {
    const part = { type: "summary_text", text: reasoning.join("") };
    const ids = { id: `rs_${id}`, type: "reasoning" };
    item({ ...ids, summary: [] }, { ...ids, summary: [part] }, (at) => {
      const where = { ...at, item_id: ids.id, summary_index: 0 };
      return [
        event("response.reasoning_summary_part.added", { ...where, part: { ...part, text: "" } }),
        ...reasoning.map((delta) => event("response.reasoning_summary_text.delta", { ...where, delta })),
        event("response.reasoning_summary_part.done", { ...where, part }),
      ];
    });
  }
  const message = (pieces, kind, phase) => {
    if (pieces.length === 0) return;
    const [type, field] = kind === "refusal" ? ["refusal", "refusal"] : ["output_text", "text"];
    const part = (text) => ({ type, [field]: text, ...(type === "output_text" && { annotations: [], logprobs: [] }) });
    const own = { id: `msg_${id}_${output.length}`, type: "message", role: "assistant", ...(phase && { phase }) };
    item({ ...own, status: "in_progress", content: [] }, { ...own, status: "completed", content: [part(pieces.join(""))] }, (at) => {
      const where = { ...at, item_id: own.id, content_index: 0 };
      return [
        event("response.content_part.added", { ...where, part: part("") }),
        ...pieces.map((delta) => event(`response.${type}.delta`, { ...where, delta, ...(type === "output_text" && { logprobs: [] }) })),
        event(`response.${type}.done`, { ...where, [field]: pieces.join("") }),
        event("response.content_part.done", { ...where, part: part(pieces.join("")) }),
      ];
    });
  };
  message(text, "text", phase);
  if (search) {
    const own = { id: `ws_${id}`, type: "web_search_call" };
    item({ ...own, status: "in_progress" }, { ...own, status: "completed", action: { type: "search", query: "q" } });
  }
  message(after, "text", phase && "final_answer");
  message(refusal, "refusal");
  for (const { id: call_id, name, args = ["{}"] } of calls) {
    const own = { id: `fc_${call_id}`, type: "function_call", call_id, name };
    item({ ...own, status: "in_progress", arguments: "" }, { ...own, status: "completed", arguments: args.join("") }, (at) => [
      ...args.map((delta) => event("response.function_call_arguments.delta", { ...at, item_id: own.id, delta })),
      event("response.function_call_arguments.done", { ...at, item_id: own.id, arguments: args.join("") }),
    ]);
  }
  if (cut) return frames;
  const error = { code: "server_error", message: "it broke" };
  if (fails) return [...frames, event("response.failed", { response: response({ status: "failed", error }) })];
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, ...details };
  const reason = { length: "max_output_tokens", content_filter: "content_filter" }[finish];
  const end = reason ? { status: "incomplete", incomplete_details: { reason } } : { status: "completed" };
  return [...frames, event(`response.${end.status}`, { response: response({ ...end, output, usage }) })];
}

/** Lets an upstream answer the calls of `text` with these responses, one after the other, by the wire of their address. */
export function scripted(upstream, text, responses) {
  upstream.on(text, async (call) => {
    const at = upstream.callsOf(text).length;
    const says = call.path.endsWith("/responses") ? responsesSays : chatSays;
    await call.writeAll(says(responses[at - 1], `${call.path.endsWith("/responses") ? "resp" : "chatcmpl"}_${at}`));
    await call.end();
  });
}
