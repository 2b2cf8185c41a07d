//! What only a turn can yield and only the emitter opens.

use crate::input::Call;

/// The answer, on its way to the terminal step. Unreadable outside; the emitter alone opens it.
#[derive(Debug)]
pub struct Published(Answer);

/// The client's calls, on their way to the terminal step. Unreadable outside; the emitter alone opens it.
#[derive(Debug)]
pub struct ClientCalls(HandedOver);

/// What [`Published`] holds.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The public message's id.
    pub message: String,
    /// Redacted; empty for an empty answer.
    pub text: String,
    /// The model refused, and this is how.
    pub refusal: bool,
    /// The output limit cut it.
    pub truncated: bool,
    /// It was all commentary.
    pub fallback: bool,
    /// It streamed early: the public message is open and has all of the text.
    pub open: bool,
}

/// What [`ClientCalls`] holds.
#[derive(Debug)]
pub(crate) struct HandedOver {
    /// The fresh public message that holds all calls.
    pub parent: String,
    /// The calls, redacted.
    pub calls: Vec<Call>,
}

impl Published {
    pub(super) fn new(answer: Answer) -> Self {
        Published(answer)
    }

    /// Called in one place, [`crate::run::Emitter::succeed`]; `tests/architecture.rs` holds that.
    pub(crate) fn into_answer(self) -> Answer {
        self.0
    }
}

impl ClientCalls {
    pub(super) fn new(calls: HandedOver) -> Self {
        ClientCalls(calls)
    }

    /// Called in one place, [`crate::run::Emitter::hand_over`]; `tests/architecture.rs` holds that.
    pub(crate) fn into_calls(self) -> HandedOver {
        self.0
    }
}
