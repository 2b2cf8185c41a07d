//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the tools, the model and how it is to answer. Out: what the
//! assistant said, since a client that sends a run again sends back what the run gave it; how the answer is sent; and
//! what says nothing.

use crate::json::{self, Json, Object};
use crate::wire::fingerprint::Canon;
use serde_json::{Map, Value};

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
pub(super) fn subject(body: &Map<String, Value>) -> String {
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let said = messages.filter(|message| message.get("role").is_some_and(|role| role != "assistant"));
    let messages: Vec<_> = said.map(|of| Picked { of, keys: &["content", "role", "tool_call_id"] }).collect();
    json::object(|subject| {
        subject.field("messages", &messages);
        for key in FIELDS {
            subject.field(key, &body.get(*key).filter(|value| !value.is_null()).map(Canon));
        }
    })
}

/// Some members of a message; null counts as left out.
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
