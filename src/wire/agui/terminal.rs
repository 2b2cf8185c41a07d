//! How a run ends in AG-UI: RUN_FINISHED, or RUN_ERROR.

use super::event::{Interrupt, Outcome, RunError, RunFinished, Safe, TokenUsage};
use super::time;
use crate::event::{self, Completion, ModelUsage, Sealed};
use crate::profile::Profile;
use crate::wire::Context;
use crate::{Error, ErrorKind, Millis};
use serde_json::Value;

/// The terminal's frame. What only AG-UI 1.0 knows is left out for a client that has not declared it.
///
/// # Errors
/// [`ErrorKind::RecordUnreadable`] for an interrupt that asks nothing: the client would fail on it, and
/// the emitter never makes one.
pub(super) fn line(cx: &Context<'_>, sealed: &Sealed, at: Option<Millis>) -> Result<String, Error> {
    Ok(match sealed {
        Sealed::Completed(completion) => finished(cx, completed(cx, completion), &completion.usage, at),
        Sealed::Interrupted { interrupts, usage } if !interrupts.is_empty() => {
            let times: Vec<_> = interrupts.iter().map(|interrupt| interrupt.expires_at.map(time::iso)).collect();
            let interrupts =
                interrupts.iter().zip(&times).map(|(one, until)| interrupt(one, until.as_deref())).collect();
            finished(cx, Some(Outcome::Interrupt { interrupts }), usage, at)
        }
        Sealed::Cancelled { usage } if cx.profile.speaks_v1() => finished(cx, Some(Outcome::Cancelled), usage, at),
        Sealed::Cancelled { usage } => {
            failed(cx, ErrorKind::Cancelled.code(), ErrorKind::Cancelled.sentence(), usage, at)
        }
        Sealed::Failed { failure, usage, .. } => failed(cx, &failure.code, &failure.sentence(), usage, at),
        _ => return Err(Error::new(ErrorKind::RecordUnreadable)),
    })
}

/// A run that waits for the client's own calls has succeeded too, and names them.
fn completed<'a>(cx: &Context<'_>, completion: &'a Completion) -> Option<Outcome<'a>> {
    cx.profile.speaks_v1().then_some(Outcome::Success { pending_tool_call_ids: &completion.pending })
}

fn finished(cx: &Context<'_>, outcome: Option<Outcome<'_>>, usage: &[ModelUsage], at: Option<Millis>) -> String {
    RunFinished { outcome, usage: usages(cx.profile, usage), ..RunFinished::new(cx.thread, cx.run) }.at(at).line()
}

fn failed(cx: &Context<'_>, code: &str, message: &str, usage: &[ModelUsage], at: Option<Millis>) -> String {
    RunError { code: Some(code), usage: usages(cx.profile, usage), ..RunError::new(message) }.at(at).line()
}

fn interrupt<'a>(interrupt: &'a event::Interrupt, expires_at: Option<&'a str>) -> Interrupt<'a> {
    Interrupt {
        message: interrupt.message.as_deref(),
        tool_call_id: interrupt.call.as_deref(),
        response_schema: interrupt.response_schema.as_ref().and_then(Value::as_object),
        expires_at,
        metadata: interrupt.metadata.as_ref().and_then(Value::as_object),
        ..Interrupt::new(&interrupt.id, &interrupt.reason)
    }
}

/// One entry a model whose provider counted anything, under the name that clients are told.
fn usages<'a>(profile: &'a Profile, usage: &[ModelUsage]) -> Option<Vec<TokenUsage<'a>>> {
    let model = Some(profile.model.as_str()).filter(|name| !name.is_empty());
    let counted = usage.iter().filter(|entry| profile.speaks_v1() && entry.tokens != Default::default());
    let entries: Vec<_> = counted.map(|entry| tokens(model, entry)).collect();
    Some(entries).filter(|entries| !entries.is_empty())
}

fn tokens<'a>(model: Option<&'a str>, cost: &ModelUsage) -> TokenUsage<'a> {
    let tokens = &cost.tokens;
    let count = |number: Option<u64>| number.and_then(Safe::new);
    TokenUsage {
        model,
        input_tokens: count(tokens.input),
        output_tokens: count(tokens.output),
        total_tokens: count(tokens.total),
        reasoning_tokens: count(tokens.reasoning),
        cached_input_tokens: count(tokens.cached_input),
        cache_write_input_tokens: count(tokens.cache_write),
        ..TokenUsage::new()
    }
}
