//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the tools, the context, the resume entries and the
//! model. Out: what an assistant, its reasoning or an activity said and the state, since a client that
//! sends a run again sends back what the run gave it; and ids and metadata, which say nothing.

use crate::digest;
use crate::json::{self, Json, Object};
use crate::wire::fingerprint::Canon;
use serde_json::{Map, Value};

/// The canonical text of a request that the parser has accepted. Members stand in alphabetical order.
pub(super) fn subject(body: &Map<String, Value>, model: Option<&str>) -> String {
    let own = format!("{}-r-", digest::tag(body.get("runId").and_then(Value::as_str).unwrap_or_default()));
    json::object(|subject| {
        let resume = picks(items(body, "resume"), &["interruptId", "payload", "status"]);
        let messages: Vec<_> = items(body, "messages").filter(|message| is_said(message, &own)).map(Message).collect();
        subject.list("context", &picks(items(body, "context"), &["description", "value"]));
        subject.field("messages", &messages).field("model", &model).list("resume", &resume);
        subject.list("tools", &picks(items(body, "tools"), &["description", "name", "parameters"]));
    })
}

fn items<'a>(body: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    body.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// True for a message that counts. A result that the run itself has shown, whose id begins with `own`,
/// does not: a client that sends the run again sends it back.
fn is_said(message: &Value, own: &str) -> bool {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("role") {
        "tool" => !text("id").starts_with(own),
        role => matches!(role, "user" | "system" | "developer"),
    }
}

/// A message without what says nothing.
struct Message<'a>(&'a Value);

impl Json for Message<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        match self.0.get("content") {
            Some(Value::Array(parts)) => {
                let parts: Vec<_> = parts.iter().map(Part).collect();
                object.field("content", &parts);
            }
            content => {
                object.field("content", &content.map(Canon));
            }
        }
        pick(self.0, &["error", "name", "role", "toolCallId"], &mut object);
        object.end();
    }
}

/// A part without what says nothing. A `binary` part's id is where its bytes are, so that stays.
struct Part<'a>(&'a Value);

impl Json for Part<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        pick(self.0, &["data"], &mut object);
        if self.0.get("type").and_then(Value::as_str) == Some("binary") {
            pick(self.0, &["id"], &mut object);
        }
        pick(self.0, &["mimeType"], &mut object);
        let source = self.0.get("source").map(|of| Picked { of, keys: &["mimeType", "provider", "type", "value"] });
        object.field("source", &source);
        pick(self.0, &["text", "type", "url"], &mut object);
        object.end();
    }
}

/// Some members of a value.
struct Picked<'a> {
    of: &'a Value,
    keys: &'static [&'static str],
}

impl Json for Picked<'_> {
    fn write(&self, out: &mut String) {
        let mut object = Object::begin(out);
        pick(self.of, self.keys, &mut object);
        object.end();
    }
}

fn picks<'a>(items: impl Iterator<Item = &'a Value>, keys: &'static [&'static str]) -> Vec<Picked<'a>> {
    items.map(|of| Picked { of, keys }).collect()
}

/// Writes the members that are there; null counts as left out.
fn pick(value: &Value, keys: &[&str], object: &mut Object<'_>) {
    for key in keys {
        object.field(key, &value.get(key).filter(|member| !member.is_null()).map(Canon));
    }
}
