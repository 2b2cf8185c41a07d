//! The whole completion.

use super::chunk::begin;
use super::stream::{NO_ARGUMENTS, PARAGRAPH};
use super::{error, finish_reason, usage};
use crate::ErrorKind;
use crate::event::Interrupt;
use crate::json::{self, NULL, Object, Raw};
use crate::wire::ending::Ending;
use crate::wire::{Context, Document, Item, Output, approval};

/// The whole answer of a run that has ended, or the error of one that failed.
pub fn document(cx: &Context<'_>, output: &Output) -> Document {
    match output.end.as_ref().and_then(|sealed| Ending::of(cx, sealed)) {
        Some(Ending { failed: Some(told), .. }) => error::document(&told),
        Some(ending) => Document { status: 200, body: completion(cx, output, &ending) },
        None => error::document(&ErrorKind::Internal.into()),
    }
}

fn completion(cx: &Context<'_>, output: &Output, ending: &Ending<'_>) -> String {
    let calls = calls(output, ending.interrupts);
    let reason = finish_reason(!calls.is_empty(), ending.truncated);
    let choice = json::object(|choice| {
        choice.field("index", &0_u32).object("message", |message| write_message(output, &calls, message));
        choice.fields(&[("logprobs", &NULL), ("finish_reason", &reason)]);
    });
    json::object(|body| {
        begin(cx, "chat.completion", body);
        body.field("choices", &vec![Raw(choice)]);
        usage::write(ending.usage, ending.timing, body);
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
