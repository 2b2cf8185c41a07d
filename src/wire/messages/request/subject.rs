//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the answers to approvals, the tools, the model and how it is to
//! answer. Out: what the assistant said, since a client that sends a run again sends back what the run gave it; how the
//! answer is sent; and what says nothing.

use crate::input::{Answer, Word};
use crate::json::{self, Json, Object};
use crate::wire::fingerprint::Canon;
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
    let messages: Vec<_> = said.map(|of| Picked { of, keys: &["content", "role", "toolCallId"] }).collect();
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let tools: Vec<_> = tools.map(|of| Picked { of, keys: &["description", "input_schema", "name"] }).collect();
    json::object(|subject| {
        subject.field("messages", &messages).list("resume", answers).list("tools", &tools);
        for key in FIELDS {
            subject.field(key, &body.get(*key).filter(|value| !value.is_null()).map(Canon));
        }
    })
}

/// A value without what says nothing; null counts as left out.
struct Picked<'a> {
    of: &'a Value,
    keys: &'static [&'static str],
}

impl Json for Picked<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        for key in self.keys {
            object.field(key, &self.of.get(key).filter(|value| !value.is_null()).map(Canon));
        }
        object.end();
    }
}

impl Json for Answer {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        object.field("interrupt", &self.interrupt);
        match &self.word {
            Word::Resolved(payload) => object.field("payload", &payload.as_ref().map(Canon)),
            Word::Cancelled => object.field("cancelled", &true),
        };
        object.end();
    }
}
