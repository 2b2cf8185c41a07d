//! What a run says, wire-neutral. Each event has one sequence number.
//!
//! The names here are those of the stored format; the wires have names of their own. Every text,
//! narration, thinking and tool scope has a start and an end, so a wire needs no memory between
//! events, and no event is larger than [`PIECE`].

use crate::stored::stored_names;

mod interrupt;
mod plain;
mod sealed;

pub use interrupt::Interrupt;
pub use plain::{Plain, ToolOutcome};
pub use sealed::{Completion, Failure, ModelUsage, Sealed, Timing};

/// The most bytes of text in one event: 32 KiB. Longer texts are several events.
pub const PIECE: usize = 32 << 10;

/// The most cuts of one event: with them it is little longer than a piece.
const MAX_CUTS: usize = 1024;

/// Adds to a delta what comes next of its text, and, where pieces are to stay frames of their own, notes where they begin:
/// at these places of what is added, and at its own beginning unless that goes on with the last. False if it would be too
/// long.
pub(crate) fn goes_on(
    delta: &mut String,
    cuts: Option<&mut Vec<u32>>,
    more: &str,
    inner: &[u32],
    within: bool,
) -> bool {
    let Some(at) = u32::try_from(delta.len()).ok().filter(|_| delta.len() + more.len() <= PIECE) else { return false };
    if let Some(cuts) = cuts {
        if cuts.len() + inner.len() >= MAX_CUTS {
            return false;
        }
        cuts.extend((!within).then_some(at));
        cuts.extend(inner.iter().map(|cut| at + cut));
    }
    delta.push_str(more);
    true
}

/// The parts of a text that is cut at these places, which are in bytes and rise. One that is none is passed, and no part
/// is empty.
pub(crate) fn parts<'a>(text: &'a str, cuts: &[u32]) -> impl Iterator<Item = &'a str> {
    let mut from = 0;
    let ends = cuts.iter().filter_map(|&cut| usize::try_from(cut).ok()).chain([text.len()]);
    ends.filter_map(move |end| {
        let part = text.get(from..end).filter(|part| !part.is_empty())?;
        from = end;
        Some(part)
    })
}

/// Who may be sent an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Only the operator's view.
    Operator,
    /// Only the customer's view: the operator has the text already.
    Customer,
    /// Both views.
    Both,
}

/// Whose eyes a reader has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The person who reads the answer.
    Customer,
    /// The people who run the agent.
    Operator,
}

impl View {
    /// True if this view may be sent what is for that audience.
    pub fn sees(self, audience: Audience) -> bool {
        match audience {
            Audience::Both => true,
            Audience::Operator => self == View::Operator,
            Audience::Customer => self == View::Customer,
        }
    }
}

/// One thing that a run said.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Without effect: may be written before the end.
    Plain(Plain),
    /// With effect: made by the emitter alone, as part of a claim or of a terminal step.
    Sealed(Sealed),
}

stored_names!(Audience { Operator = "operator", Customer = "customer", Both = "both" });
stored_names!(View { Customer = "customer", Operator = "operator" });

impl Event {
    /// Who may be sent this event.
    pub fn audience(&self) -> Audience {
        match self {
            Event::Plain(plain) => plain.audience(),
            Event::Sealed(_) => Audience::Both,
        }
    }

    /// The piece of text that it carries, if it carries one.
    pub fn delta(&self) -> Option<&str> {
        match self {
            Event::Plain(
                Plain::IntermediateDelta { delta, .. }
                | Plain::NarrationDelta { delta, .. }
                | Plain::ThinkingDelta { delta, .. }
                | Plain::ToolArgs { delta, .. }
                | Plain::ShownCallArgs { delta, .. }
                | Plain::ToolOutput { delta, .. },
            )
            | Event::Sealed(Sealed::AnswerDelta { delta, .. } | Sealed::CallArgs { delta, .. }) => Some(delta),
            _ => None,
        }
    }

    /// Where in that piece another frame begins.
    pub(crate) fn cuts(&self) -> &[u32] {
        match self {
            Event::Plain(Plain::IntermediateDelta { cuts, .. }) => cuts,
            _ => &[],
        }
    }

    /// The piece of text that it carries, to be changed.
    pub(crate) fn delta_mut(&mut self) -> Option<&mut String> {
        match self {
            Event::Plain(
                Plain::IntermediateDelta { delta, .. }
                | Plain::NarrationDelta { delta, .. }
                | Plain::ThinkingDelta { delta, .. }
                | Plain::ToolArgs { delta, .. }
                | Plain::ShownCallArgs { delta, .. }
                | Plain::ToolOutput { delta, .. },
            )
            | Event::Sealed(Sealed::AnswerDelta { delta, .. } | Sealed::CallArgs { delta, .. }) => Some(delta),
            _ => None,
        }
    }

    /// True if both are pieces of one text, and neither is cut.
    pub(crate) fn goes_on_with(&self, next: &Event) -> bool {
        if !self.cuts().is_empty() || !next.cuts().is_empty() {
            return false;
        }
        use {Plain::*, Sealed::*};
        match (self, next) {
            (Event::Plain(one), Event::Plain(next)) => match (one, next) {
                (IntermediateDelta { message, .. }, IntermediateDelta { message: next, .. })
                | (NarrationDelta { message, .. }, NarrationDelta { message: next, .. }) => message == next,
                (ThinkingDelta { message, public, .. }, ThinkingDelta { message: next, public: next_public, .. }) => {
                    message == next && public == next_public
                }
                (ToolArgs { call, .. }, ToolArgs { call: next, .. })
                | (ShownCallArgs { call, .. }, ShownCallArgs { call: next, .. })
                | (ToolOutput { call, .. }, ToolOutput { call: next, .. }) => call == next,
                _ => false,
            },
            (Event::Sealed(one), Event::Sealed(next)) => match (one, next) {
                (AnswerDelta { message, refusal, .. }, AnswerDelta { message: next, refusal: next_refusal, .. }) => {
                    message == next && refusal == next_refusal
                }
                (CallArgs { call, .. }, CallArgs { call: next, .. }) => call == next,
                _ => false,
            },
            _ => false,
        }
    }

    /// True for the one event that ends a run.
    pub fn is_terminal(&self) -> bool {
        matches!(
            self,
            Event::Sealed(
                Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. }
            )
        )
    }
}

impl From<Plain> for Event {
    fn from(plain: Plain) -> Self {
        Event::Plain(plain)
    }
}

impl From<Sealed> for Event {
    fn from(sealed: Sealed) -> Self {
        Event::Sealed(sealed)
    }
}

/// Cuts a text into pieces of at most `max` bytes at character borders. An empty text gives none.
pub fn pieces(text: &str, max: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = rest.floor_char_boundary(max.max(4));
        let (piece, tail) = rest.split_at(cut);
        rest = tail;
        Some(piece)
    })
}
