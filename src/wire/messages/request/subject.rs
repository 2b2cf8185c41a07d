//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the answers to approvals, the tools, the model and how it is to
//! answer. Out: what the assistant said, since a client that sends a run again sends back what the run gave it; how the
//! answer is sent; and what says nothing.

use crate::input::Answer;
use crate::json;
use crate::wire::fingerprint::{items, pick, picks};
use serde_json::Value;

/// The fields that count besides the messages.
const FIELDS: &[&str] = &[
    "max_tokens",
    "model",
    "output_config",
    "output_format",
    "stop_sequences",
    "temperature",
    "thinking",
    "tool_choice",
    "top_p",
];

/// The canonical text of a request that the parser has accepted. `messages` are those of the conversation, as they are
/// echoed: there the two spellings of a text are one.
pub(super) fn subject(body: &Value, messages: &[Value], answers: &[Answer]) -> String {
    let said = messages.iter().filter(|message| message.get("role").is_some_and(|role| role != "assistant"));
    json::object(|subject| {
        subject.field("messages", &picks(said, &["content", "role", "toolCallId"])).list("resume", answers);
        subject.list("tools", &picks(items(body, "tools"), &["description", "input_schema", "name"]));
        pick(body, FIELDS, subject);
    })
}
