//! A conversation as AG-UI messages, for wires that bring it in a form of their own.

use crate::digest;
use crate::input::{Call, Media, Message, Part, Source};
use serde_json::{Map, Value, json};

/// The messages of a run's request, as AG-UI has them. Their ids are derived from the run and their positions.
pub(crate) fn echoed<'a>(run: &str, messages: impl IntoIterator<Item = &'a Message>) -> Vec<Value> {
    let tag = digest::tag(run);
    messages.into_iter().enumerate().map(|(at, message)| one(format!("{tag}-i-{}", at + 1), message)).collect()
}

fn one(id: String, message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "id": id, "role": "system", "content": text }),
        Message::User(parts) => json!({ "id": id, "role": "user", "content": content(parts) }),
        Message::Assistant { text, calls, .. } => {
            let mut value = Map::new();
            value.insert("id".into(), id.into());
            value.insert("role".into(), "assistant".into());
            if !text.is_empty() || calls.is_empty() {
                value.insert("content".into(), text.as_str().into());
            }
            if !calls.is_empty() {
                value.insert("toolCalls".into(), calls.iter().map(call).collect());
            }
            Value::Object(value)
        }
        Message::Tool { call, content: parts } => {
            json!({ "id": id, "role": "tool", "toolCallId": call, "content": content(parts) })
        }
    }
}

fn call(call: &Call) -> Value {
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": call.arguments } })
}

/// Text alone is a string: clients before 1.0 know no parts of a tool's result.
fn content(parts: &[Part]) -> Value {
    match parts {
        [] => Value::String(String::new()),
        [Part::Text(text)] => text.as_str().into(),
        parts => parts.iter().map(part).collect(),
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Media { kind, source } => {
            let kind = match kind {
                Media::Image => "image",
                Media::Audio => "audio",
                Media::Video => "video",
                Media::Document => "document",
            };
            json!({ "type": kind, "source": from(source) })
        }
    }
}

fn from(source: &Source) -> Value {
    match source {
        Source::Data { value, mime } => json!({ "type": "data", "value": value, "mimeType": mime }),
        Source::Url { value, mime: Some(mime) } => json!({ "type": "url", "value": value, "mimeType": mime }),
        Source::Url { value, mime: None } => json!({ "type": "url", "value": value }),
        Source::File { value } => json!({ "type": "file", "value": value }),
    }
}
