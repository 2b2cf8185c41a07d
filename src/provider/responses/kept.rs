//! What the service must be sent back with a response, if the turn goes on: its output items.

use super::fields::{Object, objects, text_of};
use crate::json::{self, read};
use serde_json::{Map, Value};

/// The most bytes of what is kept, as JSON; past it nothing is.
const MAX_KEPT: usize = 4 << 20;

/// The output items of one response so far.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Each with its `output_index`.
    items: Vec<(u64, Value)>,
    bytes: usize,
}

impl Kept {
    /// Takes a whole item.
    pub(super) fn take(&mut self, index: Option<u64>, item: &Object) {
        if self.bytes > MAX_KEPT || (self.items.iter().rev()).any(|(at, held)| Some(*at) == index && same(held, item)) {
            return;
        }
        let index = index.unwrap_or(self.items.len() as u64);
        self.bytes += json::text(item).len();
        self.items.push((index, Value::Object(item.clone())));
    }

    /// What is to be sent back, none where text and calls say as much. The response's own list counts if it is as
    /// long as what the stream had: some services leave it empty.
    pub(super) fn finish(&mut self, response: &Object) -> Option<Value> {
        if objects(response, "output").count() >= self.items.len() {
            *self = Kept::default();
            for (index, item) in (0..).zip(objects(response, "output")) {
                self.take(Some(index), item);
            }
        }
        let mut items = std::mem::take(&mut self.items);
        if self.bytes > MAX_KEPT {
            return None;
        }
        items.sort_by_key(|(index, _)| *index);
        let items: Vec<Value> = items.iter().filter_map(|(_, item)| sent_back(item.as_object()?)).collect();
        let mut kept = Map::new();
        let needed = items.iter().filter_map(Value::as_object).any(is_more);
        kept.insert("responses".to_owned(), Value::Array(items));
        needed.then_some(Value::Object(kept))
    }
}

/// True if the item is the one that was held for its index: the service only repeats it.
fn same(held: &Value, item: &Object) -> bool {
    held.as_object().is_some_and(|held| text_of(held, "type") == text_of(item, "type"))
}

/// The item as it is sent back: nothing is stored with the service, so an id would name nothing, and reasoning
/// without its encrypted content neither.
fn sent_back(item: &Object) -> Option<Value> {
    let kind = text_of(item, "type");
    if kind == "reasoning" && text_of(item, "encrypted_content").is_empty() {
        return None;
    }
    let nameless = matches!(kind, "message" | "reasoning" | "function_call" | "custom_tool_call");
    let fields = item.iter().filter(|(name, _)| !(nameless && matches!(name.as_str(), "id" | "status")));
    Some(Value::Object(fields.map(|(name, value)| (name.clone(), read::mended(value.clone()))).collect()))
}

/// True if the item says more than text and calls.
fn is_more(item: &Object) -> bool {
    match text_of(item, "type") {
        "function_call" => false,
        "message" => !text_of(item, "phase").is_empty(),
        _ => true,
    }
}
