//! What the end of a run makes of its Response.

use super::item::{Items, Kind, State};
use super::{APPROVAL, APPROVAL_TOOL};
use crate::event::{Completion, Interrupt, ModelUsage, Sealed, Timing};
use crate::json::{self, Json, Object};
use crate::wire::{Context, Document};
use crate::{Error, ErrorKind};

/// How a Response ended.
#[derive(Debug)]
pub(super) struct End<'a> {
    /// The Response's own word for it.
    pub(super) status: &'static str,
    /// What is told of a run that has no answer.
    pub(super) told: Option<Told>,
    pub(super) usage: &'a [ModelUsage],
    pub(super) timing: Option<&'a Timing>,
}

impl<'a> End<'a> {
    /// Settles the items that are still open, and adds those that come with the end. None for what is no end.
    pub(super) fn of(cx: &Context<'_>, items: &mut Items, sealed: &'a Sealed) -> Option<Self> {
        let plain = |status, usage| End { status, told: None, usage, timing: None };
        let failed = |status, told, usage| End { status, told: Some(told), usage, timing: None };
        let end = match sealed {
            Sealed::Completed(completion) => completed(completion),
            Sealed::Interrupted { interrupts, usage } if cx.profile.approval_calls => {
                settle(items, false, false);
                interrupts.iter().for_each(|interrupt| ask(items, interrupt));
                return Some(plain("completed", usage));
            }
            Sealed::Interrupted { usage, .. } => failed("failed", Told::of(&ErrorKind::ApprovalRequired.into()), usage),
            Sealed::Cancelled { usage } => failed("cancelled", Told::of(&ErrorKind::Cancelled.into()), usage),
            Sealed::Failed { failure, usage, .. } => {
                let kind = ErrorKind::ALL.iter().find(|kind| kind.code() == failure.code);
                let status = kind.map_or(500, |kind| kind.status());
                let message = match failure.reference.as_str() {
                    "" => failure.message.clone(),
                    reference => format!("{} (reference {reference})", failure.message),
                };
                failed("failed", Told { code: failure.code.clone(), message, status }, usage)
            }
            _ => return None,
        };
        let (dead, cut) = (end.told.is_some(), end.status == "incomplete");
        settle(items, dead, cut);
        if !dead && !items.list.iter().any(|item| item.state != State::Withdrawn && item.kind != Kind::Reasoning) {
            let at = items.open("", Kind::Message { refusal: false });
            items.close(at, if cut { State::Cut } else { State::Done });
        }
        Some(end)
    }
}

fn completed(completion: &Completion) -> End<'_> {
    let status = if completion.truncated { "incomplete" } else { "completed" };
    End { status, told: None, usage: &completion.usage, timing: Some(&completion.timing) }
}

/// Closes what is open. Of a run that is dead no message stands; one that was cut is what came last.
fn settle(items: &mut Items, dead: bool, cut: bool) {
    let last = items.list.len().saturating_sub(1);
    for at in 0..items.list.len() {
        let Some(item) = items.list.get_mut(at) else { continue };
        match (&item.kind, item.state) {
            (Kind::Message { .. }, _) if dead => item.state = State::Withdrawn,
            (Kind::Message { .. }, State::Open) => item.state = State::Withdrawn,
            (Kind::Message { .. }, State::Done) if cut && at == last => item.state = State::Cut,
            (Kind::Call { .. }, State::Open) => item.state = State::Cut,
            (Kind::Reasoning, State::Open) => items.close(at, State::Done),
            _ => {}
        }
    }
}

/// An error of its own, in OpenAI's form.
pub(super) fn refused(told: &Told) -> Document {
    let body = json::object(|body| {
        body.field("error", told);
    });
    Document { status: told.status, body }
}

/// A function call that asks for a person's word.
fn ask(items: &mut Items, interrupt: &Interrupt) {
    let kind = Kind::Call { name: APPROVAL_TOOL.to_owned() };
    let at = items.open(&format!("{APPROVAL}{}", interrupt.id), kind);
    let arguments = json::object(|arguments| {
        arguments.field("message", &interrupt.message).field("tool_call_id", &interrupt.call);
        arguments.field("reason", &interrupt.reason);
    });
    items.say(at, &arguments);
    items.close(at, State::Done);
}

/// What a client is told of a failure, in OpenAI's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    code: String,
    message: String,
    /// The HTTP status where it is a response of its own.
    pub(super) status: u16,
}

impl Told {
    pub(super) fn of(error: &Error) -> Self {
        Told { code: error.code().to_owned(), message: error.message(), status: error.kind().status() }
    }

    /// The same inside a Response object, which has no more than this.
    pub(super) fn brief(&self) -> json::Raw {
        json::Raw(json::object(|error| {
            error.fields(&[("code", &self.code), ("message", &self.message)]);
        }))
    }
}

impl Json for Told {
    fn write(&self, out: &mut String) {
        let kind = if self.status < 500 { "invalid_request_error" } else { "server_error" };
        let none = json::Raw("null".to_owned());
        let mut error = Object::begin(out);
        error.fields(&[("message", &self.message), ("type", &kind), ("param", &none), ("code", &self.code)]);
        error.end();
    }
}
