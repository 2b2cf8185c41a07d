//! The parts of a response, as they are sent back if the turn goes on.

use super::fields::{self, Object};
use crate::json::{self, read::mended};
use serde_json::{Map, Value};

/// The most bytes that are gathered: 4 MiB. Past it nothing is sent back.
const MAX_KEPT: usize = 4 << 20;

/// The parts so far.
#[derive(Debug, Default)]
pub(super) struct Kept {
    parts: Vec<Object>,
    /// Something can't be told by text and calls alone.
    is_more: bool,
    bytes: usize,
    is_over: bool,
}

impl Kept {
    /// A piece of text. Text without a signature is one part with its neighbours; thoughts without one are left out.
    pub(super) fn text(&mut self, text: &str, is_thought: bool, signature: Option<&Value>) {
        if signature.is_none() && (is_thought || text.is_empty()) {
            return;
        }
        self.bytes += text.len();
        if let (Some(Value::String(last)), None) = (self.parts.last_mut().and_then(open_text), signature) {
            if self.bytes <= MAX_KEPT {
                last.push_str(text);
            }
            return;
        }
        let mut part = Map::from_iter([("text".to_owned(), Value::from(text))]);
        if is_thought {
            part.insert("thought".to_owned(), true.into());
        }
        self.push(part, signature);
    }

    /// A call begins; [`Kept::call_ended`] gives its arguments. Returns which part it is.
    pub(super) fn call(&mut self, name: &str, id: &str, signature: Option<&Value>) -> usize {
        let mut call = Map::from_iter([("name".to_owned(), Value::from(name))]);
        if !id.is_empty() {
            call.insert("id".to_owned(), id.into());
        }
        self.push(Map::from_iter([("functionCall".to_owned(), call.into())]), signature);
        self.parts.len().saturating_sub(1)
    }

    /// A call's signature, where it came with a later piece.
    pub(super) fn sign(&mut self, part: usize, signature: &Value) {
        if let Some(part) = self.parts.get_mut(part).filter(|part| !part.contains_key("thoughtSignature")) {
            part.insert("thoughtSignature".to_owned(), signature.clone());
            self.is_more = true;
        }
    }

    /// A call's arguments, as JSON of that length.
    pub(super) fn call_ended(&mut self, part: usize, arguments: Value, length: usize) {
        self.bytes += length;
        let part = self.parts.get_mut(part).filter(|_| self.bytes <= MAX_KEPT);
        if let Some(Value::Object(call)) = part.and_then(|part| part.get_mut("functionCall")) {
            call.insert("args".to_owned(), arguments);
        }
    }

    /// A part of a tool that the provider runs, or a signed one of any other kind.
    pub(super) fn other(&mut self, part: &Object) {
        self.is_more = true;
        self.bytes += json::text(&part).len();
        self.push(part.clone(), None);
    }

    /// All of them; none where text and calls alone say it.
    pub(super) fn whole(self) -> Option<Value> {
        if !self.is_more || self.is_over || self.bytes > MAX_KEPT {
            return None;
        }
        Some(mended(self.parts.into_iter().map(Value::Object).collect()))
    }

    fn push(&mut self, mut part: Object, signature: Option<&Value>) {
        self.bytes += 64;
        if let Some(signature) = signature {
            self.is_more = true;
            self.bytes += signature.as_str().map_or(0, str::len);
            part.insert("thoughtSignature".to_owned(), signature.clone());
        }
        self.is_over |= self.bytes > MAX_KEPT;
        if self.is_over {
            self.parts = Vec::new();
        } else {
            self.parts.push(part);
        }
    }
}

/// The text of a part that can go on.
fn open_text(part: &mut Object) -> Option<&mut Value> {
    let is_open = !part.contains_key("thoughtSignature") && !fields::flag(part, "thought");
    part.get_mut("text").filter(|_| is_open)
}
