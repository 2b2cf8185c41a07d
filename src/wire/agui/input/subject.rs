//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the tools, the context, the resume entries and the
//! model. Out: what an assistant, its reasoning or an activity said and the state, since a client that
//! sends a run again sends back what the run gave it; and ids and metadata, which say nothing.

use crate::digest;
use crate::json::{self, Json, Object};
use crate::wire::fingerprint::{Canon, items, pick, picks};
use serde_json::Value;

/// The canonical text of a request that the parser has accepted. Members stand in alphabetical order.
pub(super) fn subject(body: &Value, model: Option<&str>) -> String {
    let own = format!("{}-r-", digest::tag(body.get("runId").and_then(Value::as_str).unwrap_or_default()));
    json::object(|subject| {
        let resume = picks(items(body, "resume"), &["interruptId", "payload", "status"]);
        let messages: Vec<_> = items(body, "messages").filter(|message| is_said(message, &own)).map(Message).collect();
        subject.list("context", &picks(items(body, "context"), &["description", "value"]));
        subject.field("messages", &messages).field("model", &model).list("resume", &resume);
        subject.list("tools", &picks(items(body, "tools"), &["description", "name", "parameters"]));
    })
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
        if let Some(source) = self.0.get("source") {
            object.object("source", |object| pick(source, &["mimeType", "provider", "type", "value"], object));
        }
        pick(self.0, &["text", "type", "url"], &mut object);
        object.end();
    }
}
