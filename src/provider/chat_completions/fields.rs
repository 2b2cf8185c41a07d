//! Where the services put what they say: one function a field, without memory.

use crate::signal::{Fault, Signal, Stop, Usage};
use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The most bytes of a model's name; a longer one is left out.
const MAX_MODEL: usize = 256;

/// True if the object says that the response died.
pub(super) fn is_error(object: &Object) -> bool {
    let stated = match object.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    stated || object.get("object").and_then(Value::as_str) == Some("error")
}

/// The model's name, if the chunk states one.
pub(super) fn model(chunk: &Object) -> Option<&str> {
    text_of(chunk, "model").filter(|name| name.len() <= MAX_MODEL)
}

/// The choices with index 0; where the index is missing, the first.
pub(super) fn first_choices(chunk: &Object) -> impl Iterator<Item = &Object> {
    let choices = chunk.get("choices").and_then(Value::as_array);
    choices.into_iter().flatten().enumerate().filter_map(|(position, choice)| {
        let choice = choice.as_object()?;
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(position as u64);
        (index == 0).then_some(choice)
    })
}

/// The reasoning: services that name it in several ways say the same in each.
pub(super) fn reasoning(delta: &Object, out: &mut Vec<Signal>) {
    if let Some(text) = text_of(delta, "reasoning_content").or(text_of(delta, "reasoning")) {
        return out.push(Signal::Reasoning(text.to_owned()));
    }
    let details = delta.get("reasoning_details").and_then(Value::as_array);
    for detail in details.into_iter().flatten().filter_map(Value::as_object) {
        if let Some(text) = text_of(detail, "text").or(text_of(detail, "summary")) {
            out.push(Signal::Reasoning(text.to_owned()));
        }
    }
}

/// The text, which some services send as typed parts.
///
/// # Errors
///
/// [`Fault::Malformed`] if it is neither text nor parts: what it says would be lost.
pub(super) fn content(delta: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
    match delta.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) if text.is_empty() => {}
        Some(Value::String(text)) => out.push(Signal::Text(text.clone())),
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_object).for_each(|part| content_part(part, out)),
        Some(Value::Object(part)) => content_part(part, out),
        Some(Value::Bool(_) | Value::Number(_)) => return Err(Fault::Malformed),
    }
    Ok(())
}

/// A part of a type that holds no text (a citation, an image) says nothing.
fn content_part(part: &Object, out: &mut Vec<Signal>) {
    match part.get("type").and_then(Value::as_str) {
        Some("text" | "output_text") => {
            out.extend(text_of(part, "text").map(|text| Signal::Text(text.to_owned())));
        }
        Some("thinking" | "reasoning") => {
            let value = ["thinking", "reasoning", "text"].into_iter().find_map(|field| part.get(field));
            thought(value, out);
        }
        Some("refusal") => refusal(part, out),
        _ => {}
    }
}

/// Thinking is a text or text parts of its own.
fn thought(value: Option<&Value>, out: &mut Vec<Signal>) {
    match value {
        Some(Value::String(text)) if !text.is_empty() => out.push(Signal::Reasoning(text.clone())),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(Value::as_object).filter_map(|part| text_of(part, "text"));
            out.extend(texts.map(|text| Signal::Reasoning(text.to_owned())));
        }
        _ => {}
    }
}

/// What the text in that field is said as, if the delta says nothing else, whatever the text is.
pub(super) fn lone_text(delta: &Object, field: &str) -> Option<fn(String) -> Signal> {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let says =
        ["content", "reasoning_content", "reasoning", "reasoning_details", "refusal", "tool_calls", "function_call"];
    let others = says.into_iter().filter(|other| *other != field);
    if !{ others }.all(|other| delta.get(other).is_none_or(is_empty)) {
        return None;
    }
    match field {
        "content" => Some(Signal::Text),
        "reasoning_content" | "reasoning" => Some(Signal::Reasoning),
        _ => None,
    }
}

/// The refusal, which is a field beside the text.
pub(super) fn refusal(delta: &Object, out: &mut Vec<Signal>) {
    out.extend(text_of(delta, "refusal").map(|text| Signal::Refusal(text.to_owned())));
}

/// The reason for the end, where one is given. Null and `""` are none.
pub(super) fn finish_reason(holder: &Object) -> Option<&str> {
    text_of(holder, "finish_reason")
}

/// What a reason means. An unknown one means that the model was done; what it called is asked of its calls.
///
/// # Errors
///
/// [`Fault::Reported`] if the reason is that the response died.
pub(super) fn stop(reason: &str) -> Result<Stop, Fault> {
    match reason.to_ascii_lowercase().as_str() {
        "length" | "max_tokens" | "model_length" => Ok(Stop::Length),
        "content_filter" | "safety" | "sensitive" => Ok(Stop::ContentFilter),
        "error" | "abort" | "cancelled" | "network_error" | "insufficient_system_resource" => Err(Fault::Reported),
        _ => Ok(Stop::Complete),
    }
}

/// The tokens counted so far; all absent where the chunk says nothing of them.
pub(super) fn usage(chunk: &Object) -> Usage {
    let own = chunk.get("usage");
    let groq = chunk.get("x_groq").and_then(|more| more.get("usage"));
    let choice = first_choices(chunk).find_map(|choice| choice.get("usage"));
    let found = [own, groq, choice].into_iter().flatten().find(|value| value.is_object());
    found.map(tokens).unwrap_or_default()
}

fn tokens(usage: &Value) -> Usage {
    let count = |field: &str| usage.get(field).and_then(Value::as_u64);
    let detail = |of: &str, field: &str| usage.get(of).and_then(|details| details.get(field)).and_then(Value::as_u64);
    Usage {
        input: count("prompt_tokens"),
        output: count("completion_tokens"),
        total: count("total_tokens"),
        reasoning: detail("completion_tokens_details", "reasoning_tokens"),
        cached_input: detail("prompt_tokens_details", "cached_tokens")
            .or(count("prompt_cache_hit_tokens"))
            .or(count("cached_tokens")),
        cache_write: detail("prompt_tokens_details", "cache_write_tokens"),
    }
}

/// A field's text, if it is a text and not empty.
pub(super) fn text_of<'a>(object: &'a Object, field: &str) -> Option<&'a str> {
    object.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
}
