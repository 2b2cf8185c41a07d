//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, answers to approvals, and whatever the model is told. Out: what the
//! model said, ids, and what says nothing of the answer, or only how it is to come.

use crate::input::Answer;
use crate::json::{self, Json, Object};
use crate::wire::fingerprint::{Canon, picks};
use serde_json::{Map, Value};

/// What of a request does not count.
const OUT: [&str; 7] =
    ["background", "max_tool_calls", "metadata", "prompt_cache_key", "safety_identifier", "store", "user"];

/// The canonical text. Members stand in alphabetical order.
pub(super) fn subject(messages: &[Value], answers: &[Answer], request: &Map<String, Value>) -> String {
    let said = messages.iter().filter(|message| !is_the_models(message));
    json::object(|subject| {
        subject.list("answers", answers).field("messages", &picks(said, &["content", "role", "toolCallId"]));
        subject.field("request", &Counted(request));
    })
}

fn is_the_models(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("assistant")
}

/// The parser has put in what was said, and nothing that is null.
struct Counted<'a>(&'a Map<String, Value>);

impl Json for Counted<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        for (key, value) in self.0 {
            if !OUT.contains(&key.as_str()) {
                object.field(key, &Canon(value));
            }
        }
        object.end();
    }
}
