//! The whole completion.

use super::chunk::{NULL, begin};
use super::stream::{NO_ARGUMENTS, PARAGRAPH};
use super::{error, finish_reason, usage};
use crate::ErrorKind;
use crate::Millis;
use crate::event::{Interrupt, ModelUsage, Sealed, Timing};
use crate::json::{self, Object, Raw};
use crate::wire::{Context, Document, Item, Output, approval};

/// The whole answer of a run that has ended, or the error of one that failed.
pub fn document(cx: &Context<'_>, output: &Output, _at: Millis) -> Document {
    let done = |interrupts: &[Interrupt], truncated, usage: &[ModelUsage], timing| {
        let body = completion(cx, output, interrupts, truncated, usage, timing);
        Document { status: 200, body }
    };
    match &output.end {
        Some(Sealed::Completed(end)) => done(&[], end.truncated, &end.usage, Some(&end.timing)),
        Some(Sealed::Interrupted { interrupts, usage }) if cx.profile.approval_calls => {
            done(interrupts, false, usage, None)
        }
        Some(Sealed::Interrupted { .. }) => refused(error::of(ErrorKind::ApprovalRequired)),
        Some(Sealed::Cancelled { .. }) => refused(error::of(ErrorKind::Cancelled)),
        Some(Sealed::Failed { failure, .. }) => refused(error::of_run(failure)),
        _ => refused(error::of(ErrorKind::Internal)),
    }
}

fn refused((kind, body): (ErrorKind, String)) -> Document {
    Document { status: kind.status(), body }
}

fn completion(
    cx: &Context<'_>,
    output: &Output,
    interrupts: &[Interrupt],
    truncated: bool,
    costs: &[ModelUsage],
    timing: Option<&Timing>,
) -> String {
    let calls = calls(output, interrupts);
    let reason = finish_reason(!calls.is_empty(), truncated);
    let choice = json::object(|choice| {
        choice.field("index", &0_u32).object("message", |message| write_message(output, &calls, message));
        choice.fields(&[("logprobs", &NULL), ("finish_reason", &reason)]);
    });
    json::object(|body| {
        begin(cx, "chat.completion", body);
        body.field("choices", &vec![Raw(choice)]);
        usage::write(costs, timing, body);
    })
}

/// A refusal leaves no content, and calls alone leave none; else an answer without text is an empty text.
fn write_message(output: &Output, calls: &[Raw], message: &mut Object<'_>) {
    message.field("role", &"assistant");
    match output.answer().filter(|(text, ..)| !text.is_empty()) {
        Some((text, true, _)) => message.fields(&[("content", &NULL), ("refusal", &text)]),
        Some((text, false, _)) => message.fields(&[("content", &text), ("refusal", &NULL)]),
        None if calls.is_empty() => message.fields(&[("content", &""), ("refusal", &NULL)]),
        None => message.fields(&[("content", &NULL), ("refusal", &NULL)]),
    };
    let reasoning = reasoning(output);
    message.field("reasoning_content", &Some(reasoning).filter(|text| !text.is_empty()));
    message.list("tool_calls", calls);
}

fn reasoning(output: &Output) -> String {
    let texts = output.items.iter().filter_map(|item| match item {
        Item::Reasoning { text, .. } if !text.is_empty() => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(PARAGRAPH)
}

/// The client's calls, and those that ask for an approval.
fn calls(output: &Output, interrupts: &[Interrupt]) -> Vec<Raw> {
    let client = output.items.iter().filter_map(|item| match item {
        Item::Call { id, name, arguments, .. } if arguments.is_empty() => Some(call(id, name, NO_ARGUMENTS)),
        Item::Call { id, name, arguments, .. } => Some(call(id, name, arguments)),
        _ => None,
    });
    let asks = interrupts.iter().map(|one| call(&approval::call(one), approval::TOOL, &approval::arguments(one)));
    client.chain(asks).collect()
}

fn call(id: &str, name: &str, arguments: &str) -> Raw {
    Raw(json::object(|call| {
        call.fields(&[("id", &id), ("type", &"function")]).object("function", |function| {
            function.fields(&[("name", &name), ("arguments", &arguments)]);
        });
    }))
}
