//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the tools, the model and how it is to answer. Out: what the
//! assistant said, since a client that sends a run again sends back what the run gave it; how the answer is sent; and
//! what says nothing.

use crate::json;
use crate::wire::fingerprint::{items, pick, picks};
use serde_json::Value;

/// The fields that count besides the messages.
const FIELDS: &[&str] = &[
    "frequency_penalty",
    "max_completion_tokens",
    "max_tokens",
    "model",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "temperature",
    "tool_choice",
    "tools",
    "top_p",
];

/// The canonical text of a request that the parser has accepted.
pub(super) fn subject(body: &Value) -> String {
    let said = items(body, "messages").filter(|message| message.get("role").is_some_and(|role| role != "assistant"));
    json::object(|subject| {
        subject.field("messages", &picks(said, &["content", "role", "tool_call_id"]));
        pick(body, FIELDS, subject);
    })
}
