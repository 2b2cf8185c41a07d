//! What waits to be sealed: neighbouring deltas of one message are one event until then. Where they are to stay apart
//! that of held text says where they were, and others are not joined.

use crate::event::{Event, Plain, Sealed, goes_on};
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
        if self.events.last_mut().is_some_and(|last| joins(last, &event, self.apart)) {
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

/// Joins a delta to the one before it, if both are of one message and still one piece. Those that stay apart are only those
/// of held text, with cuts between them.
fn joins(last: &mut Event, next: &Event, apart: bool) -> bool {
    let (same, delta, cuts, more): (_, _, Option<&mut Vec<u32>>, _) = match (last, next) {
        (
            Event::Plain(Plain::IntermediateDelta { message, delta, cuts }),
            Event::Plain(Plain::IntermediateDelta { message: other, delta: more, .. }),
        ) => (message == other, delta, Some(cuts).filter(|_| apart), more),
        _ if apart => return false,
        (
            Event::Plain(Plain::ThinkingDelta { message, delta, .. }),
            Event::Plain(Plain::ThinkingDelta { message: other, delta: more, .. }),
        ) => (message == other, delta, None, more),
        (
            Event::Sealed(Sealed::AnswerDelta { message, delta, .. }),
            Event::Sealed(Sealed::AnswerDelta { message: other, delta: more, .. }),
        ) => (message == other, delta, None, more),
        _ => return false,
    };
    same && goes_on(delta, cuts, more, next.cuts(), false)
}
