//! The blocks of a message's content: whole, and as the events that build them.

use crate::json::{self, Object, Raw};
use crate::sse::Frame;
use serde_json::Value;

/// What a block holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The answer, or a refusal.
    Text,
    /// Public narration or thinking.
    Thinking,
    /// A call for the client, of a tool of this name.
    Call(String),
}

impl Kind {
    /// The block with what is in it. A call's arguments that are no JSON stay the text that the model wrote.
    pub(super) fn whole(&self, id: &str, text: &str) -> Raw {
        Raw(json::object(|block| match self {
            Kind::Text => {
                block.fields(&[("type", &"text"), ("text", &text)]);
            }
            Kind::Thinking => {
                block.fields(&[("type", &"thinking"), ("thinking", &text), ("signature", &"")]);
            }
            Kind::Call(name) => {
                let input = Raw(match text.trim() {
                    "" => "{}".to_owned(),
                    arguments if serde_json::from_str::<Value>(arguments).is_ok() => arguments.to_owned(),
                    _ => json::text(&text),
                });
                block.fields(&[("type", &"tool_use"), ("id", &id), ("name", name), ("input", &input)]);
            }
        }))
    }

    /// The event that opens it, still empty.
    pub(super) fn start(&self, index: u64, id: &str) -> Frame {
        event("content_block_start", |event| {
            event.fields(&[("index", &index), ("content_block", &self.whole(id, ""))]);
        })
    }

    /// The data of the event that brings a piece of it.
    pub(super) fn delta(&self, index: u64, text: &str) -> String {
        let (kind, member) = match self {
            Kind::Text => ("text_delta", "text"),
            Kind::Thinking => ("thinking_delta", "thinking"),
            Kind::Call(_) => ("input_json_delta", "partial_json"),
        };
        data(DELTA, |event| {
            event.field("index", &index).object("delta", |delta| {
                delta.fields(&[("type", &kind), (member, &text)]);
            });
        })
    }
}

/// The name of the event that brings a piece of a block.
pub(super) const DELTA: &str = "content_block_delta";

/// The event that closes a block.
pub(super) fn stop(index: u64) -> Frame {
    event("content_block_stop", |event| {
        event.field("index", &index);
    })
}

/// An event: clients go by its name, its data repeats it.
pub(super) fn event(name: &str, fill: impl FnOnce(&mut Object<'_>)) -> Frame {
    Frame { event: Some(name.to_owned()), ..Frame::new(data(name, fill)) }
}

fn data(name: &str, fill: impl FnOnce(&mut Object<'_>)) -> String {
    json::object(|event| {
        event.field("type", &name);
        fill(event);
    })
}
