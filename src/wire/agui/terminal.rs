//! How a run ends in AG-UI: RUN_FINISHED, or RUN_ERROR.

use super::events::{AgUiEvent, Outcome, TokenUsage};
use crate::event::{Completion, ModelUsage, Sealed};
use crate::profile::Profile;
use crate::wire::Context;
use crate::{Error, ErrorKind};
use std::borrow::Cow;

/// The sentence of a RUN_ERROR: the fixed one, with the reference under which the host's log has the
/// cause. Empty for what ends in another event.
pub(super) fn message(sealed: &Sealed) -> Cow<'_, str> {
    match sealed {
        Sealed::Failed { failure, .. } if failure.reference.is_empty() => Cow::Borrowed(&failure.message),
        Sealed::Failed { failure, .. } => Cow::Owned(format!("{} (reference {})", failure.message, failure.reference)),
        Sealed::Cancelled { .. } => Cow::Borrowed(ErrorKind::Cancelled.sentence()),
        _ => Cow::Borrowed(""),
    }
}

/// The terminal event. What only AG-UI 1.0 knows is left out for a client that has not declared it.
pub(super) fn event<'a>(cx: &Context<'a>, sealed: &'a Sealed, message: &'a str) -> Result<AgUiEvent<'a>, Error> {
    match sealed {
        Sealed::Completed(completion) => Ok(completed(cx, completion)),
        Sealed::Interrupted { interrupts, usage } => {
            // The client refuses an interrupt without an entry, and the emitter never makes one.
            if interrupts.is_empty() {
                return Err(Error::new(ErrorKind::RecordUnreadable));
            }
            Ok(finished(cx, Some(Outcome::Interrupt { interrupts }), usage))
        }
        Sealed::Cancelled { usage } if cx.profile.speaks_v1() => Ok(finished(cx, Some(Outcome::Cancelled), usage)),
        Sealed::Cancelled { usage } => Ok(failed(cx, ErrorKind::Cancelled.code(), message, usage)),
        Sealed::Failed { failure, usage, .. } => Ok(failed(cx, &failure.code, message, usage)),
        _ => Err(Error::new(ErrorKind::RecordUnreadable)),
    }
}

/// A run that waits for the client's own calls has succeeded too, and names them.
fn completed<'a>(cx: &Context<'a>, completion: &'a Completion) -> AgUiEvent<'a> {
    let outcome = Outcome::Success { pending_tool_call_ids: &completion.pending };
    finished(cx, cx.profile.speaks_v1().then_some(outcome), &completion.usage)
}

fn finished<'a>(cx: &Context<'a>, outcome: Option<Outcome<'a>>, usage: &'a [ModelUsage]) -> AgUiEvent<'a> {
    AgUiEvent::RunFinished { thread_id: cx.thread, run_id: cx.run, outcome, usage: usages(cx.profile, usage) }
}

fn failed<'a>(cx: &Context<'a>, code: &'a str, message: &'a str, usage: &'a [ModelUsage]) -> AgUiEvent<'a> {
    AgUiEvent::RunError { message, code, usage: usages(cx.profile, usage) }
}

/// One entry a model whose provider counted anything, under the name that clients are told.
fn usages<'a>(profile: &'a Profile, usage: &'a [ModelUsage]) -> Vec<TokenUsage<'a>> {
    if !profile.speaks_v1() {
        return Vec::new();
    }
    let model = Some(profile.model.as_str()).filter(|name| !name.is_empty());
    let counted = usage.iter().filter(|entry| entry.tokens != Default::default());
    counted.map(|entry| TokenUsage { model, tokens: &entry.tokens }).collect()
}
