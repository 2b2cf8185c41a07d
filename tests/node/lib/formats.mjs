// The formats that a provider may speak: how the Worker is told of each, what it then asks, and how each says a text.

import { KEY } from "./upstream.mjs";

const event = (data, name) => Buffer.from(`${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
const bearer = (headers) => headers.authorization === `Bearer ${KEY}`;

/**
 * Each: `folder` of its recordings, `provider` as the Worker's variable has it, `base` behind the upstream's address, `path`
 * of what the upstream is asked, `keyed(headers)` whether the key is where the format wants it, `type` of its streams, and
 * `says(text)`, the chunks of a whole response.
 */
export const FORMATS = [
  {
    folder: "responses",
    provider: "responses",
    base: "/v1",
    path: "/v1/responses",
    keyed: bearer,
    type: "text/event-stream",
    says: (text) => [
      event({ type: "response.created", response: { id: "r", status: "in_progress", model: "m", output: [] } }),
      event({ type: "response.output_item.added", output_index: 0, item: { id: "i", type: "message", role: "assistant", content: [] } }),
      event({ type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "i", delta: text }),
      event({ type: "response.output_item.done", output_index: 0, item: { id: "i", type: "message", role: "assistant", content: [{ type: "output_text", text }] } }),
      event({ type: "response.completed", response: { id: "r", status: "completed", model: "m", output: [] } }),
    ],
  },
  {
    folder: "anthropic",
    provider: "anthropic",
    base: "",
    path: "/v1/messages",
    keyed: (headers) => headers["x-api-key"] === KEY && headers["anthropic-version"] === "2023-06-01",
    type: "text/event-stream",
    says: (text) => [
      event({ type: "message_start", message: { id: "m", role: "assistant", model: "m", content: [], usage: { input_tokens: 0 } } }, "message_start"),
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, "content_block_start"),
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, "content_block_delta"),
      event({ type: "content_block_stop", index: 0 }, "content_block_stop"),
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} }, "message_delta"),
      event({ type: "message_stop" }, "message_stop"),
    ],
  },
  {
    folder: "gemini",
    provider: "gemini",
    base: "/v1beta",
    path: "/v1beta/models/test-model:streamGenerateContent?alt=sse",
    keyed: (headers) => headers["x-goog-api-key"] === KEY,
    type: "text/event-stream",
    says: (text) => [event({ candidates: [{ content: { parts: [{ text }], role: "model" }, finishReason: "STOP" }] })],
  },
  {
    folder: "workers_ai",
    provider: "workers-ai",
    base: "/client/v4/accounts/1/ai/run",
    path: "/client/v4/accounts/1/ai/run/test-model",
    keyed: bearer,
    type: "text/event-stream",
    says: (text) => [event({ response: text }), event("[DONE]")],
  },
  {
    folder: "ollama",
    provider: "ollama",
    base: "",
    path: "/api/chat",
    keyed: bearer,
    type: "application/x-ndjson",
    says: (text) => [Buffer.from(`${JSON.stringify({ message: { role: "assistant", content: text }, done: true, done_reason: "stop" })}\n`)],
  },
  {
    folder: "agui",
    provider: "ag-ui",
    base: "/agent",
    path: "/agent",
    keyed: bearer,
    type: "text/event-stream",
    says: (text) => [
      event({ type: "RUN_STARTED", threadId: "t", runId: "r" }),
      event({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: text }),
      event({ type: "RUN_FINISHED", threadId: "t", runId: "r" }),
    ],
  },
];
