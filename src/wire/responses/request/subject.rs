//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, answers to approvals, and whatever the model is told. Out: what the
//! model said, ids, and what says nothing of the answer, or only how it is to come.

use crate::input::{Answer, Word};
use crate::json::{self, Json, Object};
use crate::wire::fingerprint::Canon;
use serde_json::{Map, Value};

/// What of a request does not count.
const OUT: [&str; 7] =
    ["background", "max_tool_calls", "metadata", "prompt_cache_key", "safety_identifier", "store", "user"];

/// The canonical text. Members stand in alphabetical order.
pub(super) fn subject(messages: &[Value], answers: &[Answer], request: &Map<String, Value>) -> String {
    let messages: Vec<_> = messages.iter().filter(|message| !is_the_models(message)).map(Message).collect();
    let answers: Vec<_> = answers.iter().map(Said).collect();
    json::object(|subject| {
        subject.list("answers", &answers).field("messages", &messages);
        subject.field("request", &Counted(request));
    })
}

fn is_the_models(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("assistant")
}

struct Message<'a>(&'a Value);

impl Json for Message<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        for key in ["content", "role", "toolCallId"] {
            object.field(key, &self.0.get(key).map(Canon));
        }
        object.end();
    }
}

struct Said<'a>(&'a Answer);

impl Json for Said<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        let payload = match &self.0.word {
            Word::Resolved(payload) => payload.as_ref().map(Canon),
            Word::Cancelled => None,
        };
        object.field("interrupt", &self.0.interrupt).field("payload", &payload);
        object.end();
    }
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
