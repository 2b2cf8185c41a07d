//! AG-UI 1.0: the serializer of a customer's view, the prelude of a reader that joins, and the parser
//! of `RunAgentInput`.
//!
//! The rules are the protocol's and those of the official client, which is stricter: no null in an
//! optional field, integer timestamps, every scope closed before RUN_FINISHED, never a chunk event.
//! Everything sent here is understood by clients from 0.0.59 on; what only 1.0 knows is sent only to
//! a client that declared it.

mod events;
mod input;
mod prelude;
mod step;
mod terminal;

pub use input::{Limits, parse};
pub use prelude::Prelude;

use super::{Context, pieces};
use crate::event::{Event, View};
use crate::{Error, Millis};
use events::AgUiEvent;
use step::{Step, step};

/// The frames of one committed event; none for what is not a customer's.
pub(super) fn frames(cx: &Context<'_>, at: Millis, event: &Event) -> Result<Vec<String>, Error> {
    if !View::Customer.sees(event.audience()) {
        return Ok(Vec::new());
    }
    let at = events::safe(at);
    Ok(match step(event) {
        Step::Nothing => Vec::new(),
        Step::Begin => vec![run_started(cx).line(at)],
        Step::Open(scope) => lines(&scope.start(), at),
        Step::Say(kind, id, text) => deltas(kind, id, text, at),
        Step::Close(kind, id) => lines(&kind.end(id), at),
        Step::State(snapshot) => vec![AgUiEvent::StateSnapshot { snapshot }.line(at)],
        Step::Terminal(sealed) => {
            let message = terminal::message(sealed);
            vec![terminal::event(cx, sealed, &message)?.line(at)]
        }
    })
}

/// The reader's own failure. The client takes RUN_ERROR at any place before the terminal.
pub(super) fn failure(error: &Error) -> String {
    AgUiEvent::RunError { message: &error.message(), code: error.code(), usage: Vec::new() }.line(None)
}

/// RUN_STARTED, with our version only for a client that declared one: older ones do not know the field.
fn run_started<'a>(cx: &Context<'a>) -> AgUiEvent<'a> {
    let protocol_version = cx.profile.speaks_v1().then_some("1.0");
    AgUiEvent::RunStarted { thread_id: cx.thread, run_id: cx.run, protocol_version }
}

fn lines(events: &[AgUiEvent<'_>], timestamp: Option<u64>) -> Vec<String> {
    events.iter().map(|event| event.line(timestamp)).collect()
}

/// A piece of text as one or more frames. An empty piece gives none: clients before 0.0.59 refuse it.
fn deltas(kind: step::Kind, id: &str, text: &str, timestamp: Option<u64>) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    pieces::delta_frames(text, |part| kind.delta(id, part).line(timestamp))
}
