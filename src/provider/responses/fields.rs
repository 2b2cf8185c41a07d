//! Where the format puts what it says: one function a field, without memory.

use crate::signal::{Phase, Role, Stop, Usage};
use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The most bytes of a model's name; a longer one is left out.
const MAX_MODEL: usize = 256;

/// A field's text; empty where it is no text.
pub(super) fn text_of<'a>(object: &'a Object, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A field's number.
pub(super) fn number(object: &Object, field: &str) -> Option<u64> {
    object.get(field).and_then(Value::as_u64)
}

/// The objects of a list.
pub(super) fn objects<'a>(object: &'a Object, field: &str) -> impl Iterator<Item = &'a Object> {
    object.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// True if the object holds an error.
pub(super) fn is_error(object: &Object) -> bool {
    match object.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => text_of(object, "object") == "error",
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

/// The model's name, if the response states one.
pub(super) fn model(response: &Object) -> Option<&str> {
    Some(text_of(response, "model")).filter(|name| !name.is_empty() && name.len() <= MAX_MODEL)
}

/// The tokens counted so far; all absent where the response says nothing of them.
pub(super) fn usage(response: &Object) -> Usage {
    let Some(usage) = response.get("usage").and_then(Value::as_object) else { return Usage::default() };
    let detail = |of: &str, field: &str| usage.get(of).and_then(Value::as_object).and_then(|of| number(of, field));
    Usage {
        input: number(usage, "input_tokens"),
        output: number(usage, "output_tokens"),
        total: number(usage, "total_tokens"),
        reasoning: detail("output_tokens_details", "reasoning_tokens"),
        cached_input: detail("input_tokens_details", "cached_tokens"),
        cache_write: detail("input_tokens_details", "cache_write_tokens"),
    }
}

/// How a response ended whose status, or event, is that word. None if it has failed.
pub(super) fn stop(status: &str, response: &Object) -> Option<Stop> {
    match status {
        "failed" | "cancelled" => None,
        "incomplete" => {
            let details = response.get("incomplete_details").and_then(Value::as_object);
            let filtered = details.is_some_and(|details| text_of(details, "reason") == "content_filter");
            Some(if filtered { Stop::ContentFilter } else { Stop::Length })
        }
        _ => Some(Stop::Complete),
    }
}

/// The mark of a message item.
pub(super) fn phase(item: &Object) -> Phase {
    match text_of(item, "phase") {
        "commentary" => Phase::Commentary,
        "final_answer" => Phase::FinalAnswer,
        _ => Phase::Unmarked,
    }
}

/// Who speaks in a message item.
pub(super) fn role(item: &Object) -> Role {
    match text_of(item, "role") {
        "" | "assistant" => Role::Assistant,
        _ => Role::Other,
    }
}
