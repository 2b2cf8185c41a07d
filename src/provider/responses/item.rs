//! One item of a response.

use super::fields::{self, Object, text_of};
use crate::json::{self, read};
use crate::signal::{Fault, Phase, Role, Signal};
use serde_json::Value;

/// The most content parts of one item.
const MAX_PARTS: usize = 1024;

/// The most bytes of an id, and of a name.
pub(super) const MAX_NAME: usize = 1 << 10;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Reasoning,
    Call,
    /// A call whose input is plain text.
    Custom,
    /// A tool that the provider runs.
    Tool,
}

impl Kind {
    /// The kind of an item; none if it is of no account.
    ///
    /// # Errors
    /// [`Fault::Reported`] if nobody here can answer it.
    pub(super) fn of(item: &Object) -> Result<Option<Kind>, Fault> {
        Ok(Some(match text_of(item, "type") {
            "message" => Kind::Message,
            "reasoning" => Kind::Reasoning,
            "function_call" => Kind::Call,
            "custom_tool_call" => Kind::Custom,
            "mcp_approval_request" => return Err(Fault::Reported),
            kind if kind == "mcp_list_tools" || kind.ends_with("_call") => Kind::Tool,
            _ => return Ok(None),
        }))
    }

    pub(super) fn is_call(self) -> bool {
        matches!(self, Kind::Call | Kind::Custom)
    }
}

/// Which of its two tellings a reasoning item is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    Summary,
    Itself,
}

/// What is known of an item.
#[derive(Debug)]
pub(super) struct Item {
    /// The service's `output_index`, and the position among the items of that index.
    pub key: (u64, usize),
    pub id: String,
    pub kind: Kind,
    pub role: Role,
    pub phase: Phase,
    /// A tool's or a function's name.
    pub name: String,
    pub telling: Option<Telling>,
    /// It was begun among the signals: a message, a call or a tool.
    pub told: bool,
    /// Its end has come.
    pub done: bool,
    /// The parts of which something came.
    parts: Vec<u64>,
    /// What waits until it is told.
    pub waiting: Vec<Signal>,
    /// A call's position among the calls.
    pub call: u32,
    /// A call's id, once it is known.
    pub call_id: String,
}

impl Item {
    pub(super) fn new(key: (u64, usize), kind: Kind) -> Self {
        Item {
            key,
            id: String::new(),
            kind,
            role: Role::Assistant,
            phase: Phase::Unmarked,
            name: String::new(),
            telling: None,
            told: false,
            done: false,
            parts: Vec::new(),
            waiting: Vec::new(),
            call: 0,
            call_id: String::new(),
        }
    }

    /// Learns what the item's object says of it.
    ///
    /// # Errors
    /// [`Fault::Malformed`] past a bound.
    pub(super) fn learn(&mut self, object: &Object) -> Result<(), Fault> {
        if !self.told && self.kind == Kind::Message {
            (self.role, self.phase) = (fields::role(object), fields::phase(object));
        }
        let name = match self.kind {
            Kind::Tool if text_of(object, "name").is_empty() => text_of(object, "type").trim_end_matches("_call"),
            _ => text_of(object, "name"),
        };
        for (held, said) in [
            (&mut self.name, name),
            (&mut self.id, text_of(object, "id")),
            (&mut self.call_id, text_of(object, "call_id")),
        ] {
            if said.len() > MAX_NAME {
                return Err(Fault::Malformed);
            }
            if held.is_empty() {
                *held = read::replaced(said).into_owned();
            }
        }
        Ok(())
    }

    /// True if something of it has come.
    pub(super) fn has_spoken(&self) -> bool {
        !self.parts.is_empty()
    }

    /// True if something of that part has come.
    pub(super) fn has_part(&self, part: u64) -> bool {
        self.parts.contains(&part)
    }

    /// Something of that part comes.
    ///
    /// # Errors
    /// [`Fault::Malformed`] past the bound.
    pub(super) fn speaks(&mut self, part: u64) -> Result<(), Fault> {
        if self.parts.last() == Some(&part) || self.has_part(part) {
            return Ok(());
        }
        self.parts.push(part);
        if self.parts.len() > MAX_PARTS { Err(Fault::Malformed) } else { Ok(()) }
    }
}

/// A piece of a text; none if it is empty or absent.
///
/// # Errors
/// [`Fault::Malformed`] if it is no text: what it says would be lost.
pub(super) fn piece(value: Option<&Value>) -> Result<Option<&str>, Fault> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
        Some(_) => Err(Fault::Malformed),
    }
}

/// A content part as a signal; none if it holds no text.
pub(super) fn content(part: &Object) -> Option<Signal> {
    let text = |field: &str| Some(text_of(part, field)).filter(|text| !text.is_empty()).map(str::to_owned);
    match text_of(part, "type") {
        "output_text" | "text" => text("text").map(Signal::Text),
        "refusal" => text("refusal").map(Signal::Refusal),
        _ => None,
    }
}

/// A call's whole arguments, or input; empty where the object has none.
pub(super) fn arguments(object: &Object, field: &str) -> String {
    match object.get(field) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => json::text(value),
    }
}
