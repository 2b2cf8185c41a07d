//! Where the format puts what it says: one function a field, without memory.

use crate::signal::{Fault, Stop, Usage};
use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The most bytes of a model's name; a longer one is left out.
const MAX_MODEL: usize = 256;

/// A field's text, if it is a text and not empty.
pub(super) fn text<'a>(object: &'a Object, field: &str) -> Option<&'a str> {
    object.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A field that is an object.
pub(super) fn object<'a>(object: &'a Object, field: &str) -> Option<&'a Object> {
    object.get(field).and_then(Value::as_object)
}

/// The objects of a field that is a list.
pub(super) fn objects<'a>(object: &'a Object, field: &str) -> impl Iterator<Item = &'a Object> + use<'a> {
    let list = object.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object)
}

/// True for a flag that is set.
pub(super) fn flag(object: &Object, field: &str) -> bool {
    object.get(field).and_then(Value::as_bool).unwrap_or_default()
}

/// True if the chunk says that the response died.
pub(super) fn is_error(chunk: &Object) -> bool {
    object(chunk, "error").is_some() || text(chunk, "error").is_some()
}

/// True if the chunk is one of the format.
pub(super) fn is_response(chunk: &Object) -> bool {
    ["candidates", "promptFeedback", "usageMetadata"].iter().any(|field| chunk.contains_key(*field))
}

/// The model's name, if the chunk states one.
pub(super) fn model(chunk: &Object) -> Option<&str> {
    text(chunk, "modelVersion").filter(|name| name.len() <= MAX_MODEL)
}

/// The candidates with index 0; where the index is missing, the first.
pub(super) fn first_candidates(chunk: &Object) -> impl Iterator<Item = &Object> {
    { objects(chunk, "candidates").enumerate() }.filter_map(|(position, candidate)| {
        let index = candidate.get("index").and_then(Value::as_u64).unwrap_or(position as u64);
        (index == 0).then_some(candidate)
    })
}

/// True if the prompt was blocked, so that there is no candidate.
pub(super) fn is_blocked(chunk: &Object) -> bool {
    let reason = object(chunk, "promptFeedback").and_then(|feedback| text(feedback, "blockReason"));
    reason.is_some_and(|reason| reason != "BLOCK_REASON_UNSPECIFIED")
}

/// Why the candidate ended, if it says so.
///
/// # Errors
/// [`Fault::Reported`] if it came to nothing. So does a reason that nobody knows: nearly all of them are such.
pub(super) fn finish(candidate: &Object) -> Result<Option<Stop>, Fault> {
    let Some(reason) = text(candidate, "finishReason") else { return Ok(None) };
    match reason {
        "FINISH_REASON_UNSPECIFIED" => Ok(None),
        "STOP" => Ok(Some(Stop::Complete)),
        "MAX_TOKENS" => Ok(Some(Stop::Length)),
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "LANGUAGE"
        | "MODEL_ARMOR"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => Ok(Some(Stop::ContentFilter)),
        _ => Err(Fault::Reported),
    }
}

/// The tokens counted so far. A later chunk may leave out what an earlier one had.
pub(super) fn usage(chunk: &Object, before: &Usage) -> Usage {
    let Some(counts) = object(chunk, "usageMetadata") else { return before.clone() };
    let count = |field: &str| counts.get(field).and_then(Value::as_u64);
    let sum = |first: Option<u64>, second: Option<u64>| first.map(|first| first.saturating_add(second.unwrap_or(0)));
    let thoughts = count("thoughtsTokenCount");
    let answer = count("candidatesTokenCount").or(thoughts.map(|_| 0));
    Usage {
        input: sum(count("promptTokenCount"), count("toolUsePromptTokenCount")).or(before.input),
        output: sum(answer, thoughts).or(before.output),
        total: count("totalTokenCount").or(before.total),
        reasoning: thoughts.or(before.reasoning),
        cached_input: count("cachedContentTokenCount").or(before.cached_input),
        cache_write: None,
    }
}
