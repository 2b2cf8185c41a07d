//! What waits to be sealed: neighbouring deltas of one message are one event until then, unless they are to stay apart.

use crate::event::{Event, PIECE, Plain, Sealed};
use crate::json;

/// What one event counts for besides its text, in bytes.
const OVERHEAD: usize = 64;

/// Events in the order in which they were said.
#[derive(Default)]
pub(super) struct Pending {
    events: Vec<Event>,
    bytes: usize,
    apart: bool,
}

impl Pending {
    /// Nothing is joined.
    pub(super) fn keep_apart(&mut self, apart: bool) {
        self.apart = apart;
    }

    pub(super) fn push(&mut self, event: Event) {
        let bytes = weight(&event);
        if !self.apart && self.events.last_mut().is_some_and(|last| merge(last, &event)) {
            self.bytes += bytes;
            return;
        }
        self.bytes += bytes + OVERHEAD;
        self.events.push(event);
    }

    pub(super) fn take(&mut self) -> Vec<Event> {
        self.bytes = 0;
        std::mem::take(&mut self.events)
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The bytes of text in an event.
fn weight(event: &Event) -> usize {
    match event {
        Event::Plain(Plain::State { snapshot }) => json::text(snapshot).len(),
        event => event.delta().map_or(0, str::len),
    }
}

/// Joins a delta to the one before it, if both are of one message and still one piece.
fn merge(last: &mut Event, next: &Event) -> bool {
    let (message, delta, text) = match (last, next) {
        (
            Event::Plain(Plain::IntermediateDelta { message, delta }),
            Event::Plain(Plain::IntermediateDelta { message: other, delta: text }),
        ) => (message == other, delta, text),
        (
            Event::Plain(Plain::ThinkingDelta { message, delta, .. }),
            Event::Plain(Plain::ThinkingDelta { message: other, delta: text, .. }),
        ) => (message == other, delta, text),
        (
            Event::Sealed(Sealed::AnswerDelta { message, delta, .. }),
            Event::Sealed(Sealed::AnswerDelta { message: other, delta: text, .. }),
        ) => (message == other, delta, text),
        _ => return false,
    };
    let joins = message && delta.len() + text.len() <= PIECE;
    if joins {
        delta.push_str(text);
    }
    joins
}
