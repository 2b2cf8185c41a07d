//! The members of an event.

use crate::json::read::mended;
use crate::signal::Fault;
use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The most bytes of an id or a name.
const MAX_NAME: usize = 1 << 10;

/// A member that is a text.
pub(super) fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

/// A text that is short enough for a name.
pub(super) fn name<'a>(object: &'a Object, field: &str) -> Result<&'a str, Fault> {
    let name = text(object, field).unwrap_or_default();
    if name.len() > MAX_NAME { Err(Fault::Malformed) } else { Ok(name) }
}

/// True if a subagent said it.
pub(super) fn is_subagents(event: &Object) -> bool {
    text(event, "subagentRunId").is_some()
}

/// A text that was gathered from pieces, with the halves of its characters put together.
pub(super) fn whole(text: String) -> String {
    match mended(Value::String(text)) {
        Value::String(text) => text,
        _ => String::new(),
    }
}
