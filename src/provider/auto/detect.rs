//! What an object says of its format.

use crate::provider::Format;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// The types of events that Anthropic begins with, or may.
const ANTHROPIC: [&str; 6] = [
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
];

/// The types of signals.
const SIGNALS: [&str; 16] = [
    "response_start",
    "item_start",
    "text",
    "reasoning",
    "refusal",
    "was_reasoning",
    "item_end",
    "call_start",
    "call_name",
    "call_args",
    "call_end",
    "provider_tool",
    "usage",
    "state",
    "kept",
    "response_end",
];

/// The format of an event of that name; none if the object is not enough to tell.
pub(super) fn of_event(name: &str, object: &Object) -> Option<Format> {
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    let capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    match kind {
        _ if object.contains_key("choices") => Some(Format::ChatCompletions),
        _ if kind.starts_with("response.") || name.starts_with("response.") => Some(Format::Responses),
        _ if object.get("object").and_then(Value::as_str) == Some("response") => Some(Format::Responses),
        _ if ANTHROPIC.contains(&kind) || (kind.is_empty() && ANTHROPIC.contains(&name)) => Some(Format::Anthropic),
        "message" if object.get("content").is_some_and(Value::is_array) => Some(Format::Anthropic),
        _ if SIGNALS.contains(&kind) => Some(Format::Signals),
        _ if !kind.is_empty() && kind.bytes().all(capital) => Some(Format::AgUi),
        "error" if object.get("error").is_some_and(Value::is_object) => Some(Format::Anthropic),
        "error" if object.len() > 1 => Some(Format::Responses),
        "error" => Some(Format::Signals),
        _ if is_gemini(object) => Some(Format::Gemini),
        _ if is_workers_ai(object) => Some(Format::WorkersAi),
        _ if name == "error" || is_error(object) => Some(Format::ChatCompletions),
        _ => None,
    }
}

/// The format of a body, or of one line of one; of an object in an array where it is `listed`.
pub(super) fn of_body(object: &Object, listed: bool) -> Option<Format> {
    let is = |field: &str, value: &str| object.get(field).and_then(Value::as_str) == Some(value);
    match object {
        _ if is_gemini(object) || (listed && is_error(object)) => Some(Format::Gemini),
        _ if listed => None,
        _ if object.contains_key("choices") => Some(Format::ChatCompletions),
        _ if is("object", "response") => Some(Format::Responses),
        _ if is("type", "message") || is("type", "error") => Some(Format::Anthropic),
        _ if object.get("done").is_some_and(Value::is_boolean) => Some(Format::Ollama),
        _ if is_workers_ai(object) || object.contains_key("result") => Some(Format::WorkersAi),
        _ if is_error(object) => Some(Format::ChatCompletions),
        _ => None,
    }
}

fn is_gemini(object: &Object) -> bool {
    ["candidates", "promptFeedback", "usageMetadata"].iter().any(|field| object.contains_key(*field))
}

fn is_workers_ai(object: &Object) -> bool {
    ["response", "tool_calls", "errors", "internalCode"].iter().any(|field| object.contains_key(*field))
        || object.get("success") == Some(&Value::Bool(false))
}

fn is_error(object: &Object) -> bool {
    object.get("error").is_some_and(|error| !error.is_null())
        || object.get("object").and_then(Value::as_str) == Some("error")
}
