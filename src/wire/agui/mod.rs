//! AG-UI 1.0: the serializer of a customer's view, the prelude of a reader that joins, and the parser
//! of `RunAgentInput`.
//!
//! The rules are the protocol's and those of the official client, which is stricter: no null in an
//! optional field, integer timestamps, every scope closed before RUN_FINISHED, never a chunk event.
//! Everything sent here is understood by clients from 0.0.59 on; what only 1.0 knows is sent only to
//! a client that declared it.

mod conversation;
pub mod event;
mod input;
mod prelude;
mod step;
mod terminal;
mod time;

pub(crate) use crate::input::echoed;
pub use conversation::conversation;
pub use input::{Limits, keep, parse};
pub(crate) use input::{heard, malformed};
pub use prelude::Prelude;
pub(crate) use time::iso;

use super::{Context, pieces};
use crate::event::{Event, View};
use crate::{Error, Millis};
use event::{ActivitySnapshot, Custom, RunError, RunStarted, StateSnapshot};
use serde_json::{Map, Value};
use step::{Step, step};

/// The type of the activity that says that a run works on.
const WORKING: &str = "working";

/// The frames of one committed event; none for what is not a customer's.
pub(super) fn frames(cx: &Context<'_>, at: Millis, event: &Event) -> Result<Vec<String>, Error> {
    if !View::Customer.sees(event.audience()) {
        return Ok(Vec::new());
    }
    let at = Some(at);
    Ok(match step(event) {
        Step::Nothing => Vec::new(),
        Step::Begin => vec![run_started(cx).at(at).line()],
        Step::Open(scope) => scope.start(at),
        Step::Say(kind, id, text) => deltas(kind, id, text, at),
        Step::Close(kind, id) => kind.end(id, at),
        Step::Withdraw(id) => vec![withdrawn(id, at)],
        Step::Result(shown) => vec![shown.line(at)],
        Step::Working(message, step) => vec![ActivitySnapshot::new(message, WORKING, &working(step)).at(at).line()],
        Step::State(snapshot) => vec![StateSnapshot::new(snapshot).at(at).line()],
        Step::Terminal(sealed) => vec![terminal::line(cx, sealed, at)?],
    })
}

/// The activity's content: how many steps were begun, and no word of what they do.
fn working(step: u32) -> Map<String, Value> {
    Map::from_iter([("step".to_owned(), step.into())])
}

/// The reader's own failure. The client takes RUN_ERROR at any place before the terminal.
pub(super) fn failure(error: &Error) -> String {
    RunError { code: Some(error.code()), ..RunError::new(&error.message()) }.line()
}

/// The protocol has no name for a text that turned out to be no answer.
fn withdrawn(id: &str, at: Option<Millis>) -> String {
    let value = serde_json::json!({ "messageId": id });
    Custom::new("lastword.withdrawn", &value).at(at).line()
}

/// RUN_STARTED, with our version only for a client that declared one: older ones do not know the field.
fn run_started<'a>(cx: &Context<'a>) -> RunStarted<'a> {
    let protocol_version = cx.profile.speaks_v1().then_some("1.0");
    RunStarted { protocol_version, ..RunStarted::new(cx.thread, cx.run) }
}

/// A piece of text as one or more frames. An empty piece gives none: clients before 0.0.59 refuse it.
fn deltas(kind: step::Kind, id: &str, text: &str, at: Option<Millis>) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    pieces::delta_frames(text, |part| kind.delta(id, part, at))
}
