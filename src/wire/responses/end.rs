//! What the end of a run makes of its Response.

use super::item::{Items, Kind, State};
use crate::event::{Interrupt, ModelUsage, Sealed, Timing};
use crate::json::{self, NULL, Object};
use crate::wire::ending::{Ending, Told};
use crate::wire::{Context, Document, approval};

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
        let Ending { failed, interrupts, truncated, usage, timing } = Ending::of(cx, sealed)?;
        let dead = failed.is_some();
        settle(items, dead, truncated);
        interrupts.iter().for_each(|interrupt| ask(items, interrupt));
        let is_bare = !items.list.iter().any(|item| item.state != State::Withdrawn && item.kind != Kind::Reasoning);
        if is_bare && matches!(sealed, Sealed::Completed(_)) {
            let at = items.open("", Kind::Message { refusal: false });
            items.close(at, if truncated { State::Cut } else { State::Done });
        }
        let status = match sealed {
            Sealed::Cancelled { .. } => "cancelled",
            _ if dead => "failed",
            _ if truncated => "incomplete",
            _ => "completed",
        };
        Some(End { status, told: failed, usage, timing })
    }
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
        body.object("error", |error| write_told(told, error));
    });
    Document { status: told.kind.status(), body }
}

/// A function call that asks for a person's word.
fn ask(items: &mut Items, interrupt: &Interrupt) {
    let at = items.open(&approval::call(interrupt), Kind::Call { name: approval::TOOL.to_owned() });
    items.say(at, &approval::arguments(interrupt));
    items.close(at, State::Done);
}

/// What a client is told of an error, in OpenAI's form.
pub(super) fn write_told(told: &Told, error: &mut Object<'_>) {
    let kind = if told.kind.status() < 500 { "invalid_request_error" } else { "server_error" };
    error.fields(&[("message", &told.message), ("type", &kind), ("param", &NULL), ("code", &told.code)]);
}
