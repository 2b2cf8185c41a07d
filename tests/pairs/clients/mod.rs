//! A small client a wire.

mod agui;
mod canonical;
mod chat;
mod messages;
mod responses;
mod ui;

use crate::play;
use crate::told::Told;
use lastword::event::View;
use lastword::run::MemoryStore;
use lastword::sse::Frame;
use lastword::wire::{Document, Wire};
use serde_json::Value;

/// A client: what it is called in messages, its wire, and how it reads.
pub struct Client {
    pub name: &'static str,
    pub wire: Wire,
    read: Read,
}

enum Read {
    Stream(fn(&[Frame]) -> Told),
    Document(fn(&Document) -> Told),
}

/// All of them. The first is the one that the others are compared with.
pub const CLIENTS: &[Client] = &[
    Client { name: "canonical", wire: Wire::Canonical, read: Read::Stream(canonical::read) },
    Client { name: "AG-UI", wire: Wire::AgUi, read: Read::Stream(agui::read) },
    Client { name: "Chat Completions", wire: Wire::ChatCompletions, read: Read::Stream(chat::stream) },
    Client { name: "Chat Completions, whole", wire: Wire::ChatCompletions, read: Read::Document(chat::document) },
    Client { name: "Responses", wire: Wire::Responses, read: Read::Stream(responses::stream) },
    Client { name: "Responses, whole", wire: Wire::Responses, read: Read::Document(responses::document) },
    Client { name: "UI stream", wire: Wire::UiStream, read: Read::Stream(ui::read) },
    Client { name: "Messages", wire: Wire::Messages, read: Read::Stream(messages::stream) },
    Client { name: "Messages, whole", wire: Wire::Messages, read: Read::Document(messages::document) },
];

impl Client {
    /// True if it reads no stream.
    pub fn is_whole(&self) -> bool {
        matches!(self.read, Read::Document(_))
    }

    /// What it was told, and all that it was sent.
    pub fn read(&self, store: &MemoryStore) -> (Told, String) {
        match self.read {
            Read::Stream(read) => {
                let frames = play::stream(store, View::Customer, self.wire);
                (read(&frames), sent(&frames))
            }
            Read::Document(read) => {
                let document = play::document(store, self.wire);
                (read(&document), document.body)
            }
        }
    }
}

/// The bytes of a stream.
pub fn sent(frames: &[Frame]) -> String {
    frames.iter().map(|frame| String::from_utf8(frame.to_bytes().unwrap()).unwrap()).collect()
}

/// The JSON of each frame.
fn values(frames: &[Frame]) -> Vec<Value> {
    frames.iter().map(|frame| serde_json::from_str(&frame.data).unwrap_or_else(|_| panic!("{frame:?}"))).collect()
}
