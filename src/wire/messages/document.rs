//! The whole message.

use super::block::Kind;
use super::{NULL, error, stop_reason, usage, write_head};
use crate::event::{Interrupt, ModelUsage, Sealed, Timing};
use crate::json::{self, Raw};
use crate::wire::{Context, Document, Item, Output, approval};
use crate::{ErrorKind, Millis};

/// The whole answer. A run that failed, or asks for an approval that the client has no word for, is an error.
pub fn document(cx: &Context<'_>, output: &Output, _at: Millis) -> Document {
    match &output.end {
        Some(Sealed::Completed(done)) => message(cx, output, &[], done.truncated, &done.usage, Some(&done.timing)),
        Some(Sealed::Interrupted { interrupts, .. }) if interrupts.is_empty() => {
            refusal(error::of(ErrorKind::RecordUnreadable))
        }
        Some(Sealed::Interrupted { interrupts, usage }) if cx.profile.approval_calls => {
            message(cx, output, interrupts, false, usage, None)
        }
        Some(Sealed::Interrupted { .. }) => refusal(error::of(ErrorKind::ApprovalRequired)),
        Some(Sealed::Cancelled { .. }) => refusal(error::of(ErrorKind::Cancelled)),
        Some(Sealed::Failed { failure, .. }) => refusal(error::of_run(failure)),
        _ => refusal(error::of(ErrorKind::Internal)),
    }
}

fn refusal((kind, body): (ErrorKind, String)) -> Document {
    Document { status: kind.status(), body }
}

fn message(
    cx: &Context<'_>,
    output: &Output,
    interrupts: &[Interrupt],
    truncated: bool,
    costs: &[ModelUsage],
    timing: Option<&Timing>,
) -> Document {
    let (mut said, mut called, mut refusal) = (false, !interrupts.is_empty(), false);
    let mut content: Vec<Raw> = Vec::new();
    for item in &output.items {
        match item {
            Item::Reasoning { id, text, .. } if !text.is_empty() => content.push(Kind::Thinking.whole(id, text)),
            Item::Answer { id, text, refusal: refuses, withdrawn: false } => {
                refusal = *refuses;
                if !text.is_empty() {
                    said = true;
                    content.push(Kind::Text.whole(id, text));
                }
            }
            Item::Call { id, name, arguments, .. } => {
                called = true;
                content.push(Kind::Call(name.clone()).whole(id, arguments));
            }
            Item::Reasoning { .. } | Item::Answer { .. } | Item::Shown { .. } => {}
        }
    }
    for interrupt in interrupts {
        let ask = Kind::Call(approval::TOOL.to_owned());
        content.push(ask.whole(&approval::call(interrupt), &approval::arguments(interrupt)));
    }
    if !said && !called {
        content.push(Kind::Text.whole("", ""));
    }
    let body = json::object(|message| {
        write_head(cx, message);
        let reason = stop_reason(called, refusal, truncated);
        message.fields(&[("content", &content), ("stop_reason", &reason), ("stop_sequence", &NULL)]);
        usage::write(costs, timing, message);
    });
    Document { status: 200, body }
}
