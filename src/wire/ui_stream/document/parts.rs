//! The parts of a `UIMessage`.

use super::super::part;
use super::super::terminal::Asked;
use crate::input::{Call, Media, Part, Source};
use serde_json::{Map, Value, json};

pub(super) fn step() -> Value {
    json!({ "type": "step-start" })
}

pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text, "state": "done" })
}

/// What a user says; `message` is the same as AG-UI has it.
pub(super) fn said(parts: &[Part], message: &Value) -> Vec<Value> {
    let raw = |at: usize| message.get("content").and_then(|content| content.get(at));
    parts.iter().enumerate().map(|(at, part)| one(part, raw(at))).collect()
}

fn one(part: &Part, raw: Option<&Value>) -> Value {
    let (kind, source) = match part {
        Part::Text(text) => return json!({ "type": "text", "text": text }),
        Part::Media { kind, source } => (kind, source),
    };
    let any = match kind {
        Media::Image => "image/*",
        Media::Audio => "audio/*",
        Media::Video => "video/*",
        Media::Document => "application/*",
    };
    let mut file = match source {
        Source::Data { value, mime } => json!({ "mediaType": mime, "url": format!("data:{mime};base64,{value}") }),
        Source::Url { value, mime } => json!({ "mediaType": mime.as_deref().unwrap_or(any), "url": value }),
        Source::File { value } => json!({ "mediaType": any, "url": "", "providerReference": { "file": value } }),
    };
    if let Some(file) = file.as_object_mut() {
        file.insert("type".into(), "file".into());
        let name = raw.and_then(|raw| raw.get("metadata")).and_then(|metadata| metadata.get("filename"));
        if let Some(name) = name.filter(|name| name.is_string()) {
            file.insert("filename".into(), name.clone());
        }
    }
    file
}

/// A call that has no result yet; `raw` is the same as AG-UI has it. Arguments that are no JSON stay text.
pub(super) fn call(call: &Call, raw: Option<&Value>) -> Value {
    let input = part::input(&call.arguments).unwrap_or_else(|| call.arguments.as_str().into());
    let mut value = made(&call.name, &call.id, &input);
    let approval = raw.and_then(|raw| raw.get("metadata")).and_then(|metadata| metadata.get("approval"));
    if let (Some(approval), Some(part)) = (approval.filter(|approval| approval.is_object()), value.as_object_mut()) {
        let state = if approval.get("approved").is_some_and(Value::is_boolean) { "responded" } else { "requested" };
        part.insert("state".into(), format!("approval-{state}").into());
        part.insert("approval".into(), approval.clone());
        part.insert("providerExecuted".into(), true.into());
    }
    value
}

/// The call that a run asks about.
pub(super) fn asked(asked: &Asked) -> Value {
    let mut value = made(&asked.name, &asked.id, &asked.input);
    value.as_object_mut().into_iter().for_each(|part| {
        part.insert("providerExecuted".into(), true.into());
    });
    value
}

fn made(name: &str, id: &str, input: &Value) -> Value {
    json!({ "type": format!("tool-{name}"), "toolCallId": id, "state": "input-available", "input": input })
}

/// Adds what a call gave back; `message` is its AG-UI message.
pub(super) fn result(part: &mut Map<String, Value>, call: &str, message: &Value) {
    let member = |key: &str| message.get(key);
    let text = |key: &str| member(key).and_then(Value::as_str).unwrap_or_default();
    if text("id").ends_with(&format!("-r-{call}")) {
        part.insert("providerExecuted".into(), true.into());
    }
    let approved = part.get("approval").and_then(|approval| approval.get("approved")).and_then(Value::as_bool);
    let state = match text("error") {
        _ if approved == Some(false) => "output-denied",
        "" => {
            part.insert("output".into(), output(message));
            "output-available"
        }
        error => {
            part.insert("errorText".into(), error.into());
            "output-error"
        }
    };
    part.insert("state".into(), state.into());
}

/// A result in the type that the client gave it.
fn output(message: &Value) -> Value {
    let content = message.get("content").unwrap_or(&Value::Null);
    let is_json = message.get("metadata").and_then(|metadata| metadata.get("json")) == Some(&Value::Bool(true));
    let texts = content
        .as_array()
        .and_then(|parts| parts.iter().map(|part| part.get("text")?.as_str()).collect::<Option<Vec<_>>>());
    match (content.as_str(), texts) {
        (Some(text), _) if is_json => part::input(text).unwrap_or_else(|| content.clone()),
        (None, Some(texts)) => Value::String(texts.concat()),
        _ => content.clone(),
    }
}
