//! The fields of a signal: one function a field. Each gives None for a value that is not of the format.

use crate::signal::{Fault, Phase, Role, Signal, Stop, Usage};
use crate::stored::Stored;
use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The most bytes of a call's id or of a tool's name.
const MAX_NAME: usize = 1 << 10;
/// The most bytes of a model's name; a longer one is left out.
const MAX_MODEL: usize = 256;

/// A signal that depends on nothing before it. `Some(None)` for an empty piece, which says nothing.
pub(super) fn plain(kind: &str, object: &Object) -> Option<Option<Signal>> {
    let piece = |signal: fn(String) -> Signal| text(object, "delta").map(|delta| delta.map(signal));
    match kind {
        "text" => piece(Signal::Text),
        "reasoning" => piece(Signal::Reasoning),
        "refusal" => piece(Signal::Refusal),
        "was_reasoning" => Some(Some(Signal::WasReasoning)),
        "item_start" => Some(Some(Signal::ItemStart { role: role(object)?, phase: phase(object)? })),
        "item_end" => Some(Some(Signal::ItemEnd { text: whole(object)? })),
        "provider_tool" => Some(Some(Signal::ProviderTool { name: name(object, "name")? })),
        "usage" => Usage::read(&Value::Object(object.clone())).map(|usage| Some(Signal::Usage(usage))),
        _ => None,
    }
}

/// A text that must be there; none where it is empty.
pub(super) fn text(object: &Object, field: &str) -> Option<Option<String>> {
    let text = object.get(field)?.as_str()?;
    Some((!text.is_empty()).then(|| text.to_owned()))
}

/// A short text; empty where it is absent.
pub(super) fn name(object: &Object, field: &str) -> Option<String> {
    let name = optional(object, field)?.unwrap_or_default();
    (name.len() <= MAX_NAME).then(|| name.to_owned())
}

/// The model's name, if the object states one.
pub(super) fn model(object: &Object) -> Option<Option<String>> {
    let model = optional(object, "model")?.filter(|name| !name.is_empty() && name.len() <= MAX_MODEL);
    Some(model.map(str::to_owned))
}

/// A call's position, if the object states one.
pub(super) fn index(object: &Object) -> Option<Option<u32>> {
    match object.get("index") {
        None | Some(Value::Null) => Some(None),
        Some(index) => Some(Some(u32::read(index)?)),
    }
}

/// Why the response ended; complete unless it is said.
pub(super) fn stop(object: &Object) -> Option<Stop> {
    match object.get("stop") {
        None | Some(Value::Null) => Some(Stop::Complete),
        Some(stop) => Stop::read(stop),
    }
}

/// How the response died; reported by the provider unless it is said.
pub(super) fn fault(object: &Object) -> Option<Fault> {
    match object.get("fault") {
        None | Some(Value::Null) => Some(Fault::Reported),
        Some(fault) => Fault::read(fault),
    }
}

/// The assistant unless it is said; any other name is somebody else's.
fn role(object: &Object) -> Option<Role> {
    Some(match optional(object, "role")? {
        None | Some("assistant") => Role::Assistant,
        Some(_) => Role::Other,
    })
}

fn phase(object: &Object) -> Option<Phase> {
    match optional(object, "phase")? {
        None => Some(Phase::Unmarked),
        Some("commentary") => Some(Phase::Commentary),
        Some("final_answer") => Some(Phase::FinalAnswer),
        Some(_) => None,
    }
}

fn whole(object: &Object) -> Option<Option<String>> {
    Some(optional(object, "text")?.map(str::to_owned))
}

fn optional<'a>(object: &'a Object, field: &str) -> Option<Option<&'a str>> {
    match object.get(field) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_str().map(Some),
    }
}
