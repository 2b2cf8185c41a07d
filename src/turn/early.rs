//! The early answer, by option: an item whose provider marked it as the final answer at its start
//! streams live to the customer.
//!
//! The mark is no proof. If the response calls a function after all, dies, or ends otherwise, or if what
//! streams turns out to have been reasoning, what the customer has read is withdrawn: its message is
//! closed and named as no answer. A mark that has failed once is not believed again in the turn.

use crate::event::{PIECE, pieces};

/// A step of an early answer. Unreadable outside; the emitter alone opens it.
#[derive(Debug)]
pub struct Early(EarlyStep);

/// What [`Early`] holds.
#[derive(Debug, PartialEq)]
pub(crate) enum EarlyStep {
    /// The public message begins.
    Start { message: String, refusal: bool },
    /// A piece of it, redacted.
    Delta { message: String, refusal: bool, delta: String },
    /// It is closed, and is not the answer.
    Withdrawn { message: String },
}

impl Early {
    /// Called in one place, [`crate::run::Emitter::write_early`]; `tests/architecture.rs` holds that.
    pub(crate) fn into_step(self) -> EarlyStep {
        self.0
    }
}

/// At most one item a turn.
pub(super) struct Live {
    tag: String,
    on: bool,
    /// White space alone is no answer: it waits here until more comes.
    suppress_blank: bool,
    waiting: String,
    /// The held message that streams.
    item: Option<String>,
    open: bool,
    /// Something was streamed and withdrawn.
    withdrawn: bool,
    out: Vec<Early>,
}

impl Live {
    pub(super) fn new(tag: &str, on: bool, suppress_blank: bool) -> Self {
        let (tag, waiting, out) = (tag.to_owned(), String::new(), Vec::new());
        Live { tag, on, suppress_blank, waiting, item: None, open: false, withdrawn: false, out }
    }

    /// The public message's id: the same as if nothing streamed, unless that one was withdrawn.
    pub(super) fn answer_id(&self) -> String {
        format!("{}-a{}", self.tag, if self.withdrawn { "2" } else { "" })
    }

    /// An item that is marked as the final answer begins.
    pub(super) fn begin(&mut self, item: &str) {
        if self.on && !self.open && !self.withdrawn {
            self.waiting.clear();
            self.item = Some(item.to_owned());
        }
    }

    /// Takes a redacted piece of an item; streams it if it is the one.
    pub(super) fn say(&mut self, item: &str, slice: &str, refusal: bool) {
        if self.item.as_deref() != Some(item) {
            return;
        }
        self.waiting.push_str(slice);
        // What waits is blank, so the slice alone tells.
        if self.suppress_blank && !self.open && slice.trim().is_empty() {
            return;
        }
        let (message, text) = (self.answer_id(), std::mem::take(&mut self.waiting));
        if !std::mem::replace(&mut self.open, true) {
            self.out.push(Early(EarlyStep::Start { message: message.clone(), refusal }));
        }
        for delta in pieces(&text, PIECE) {
            self.out.push(Early(EarlyStep::Delta { message: message.clone(), refusal, delta: delta.to_owned() }));
        }
    }

    /// What was streamed is not the answer; nothing streams any more, also if nothing had yet.
    pub(super) fn withdraw(&mut self) {
        self.item = None;
        self.waiting.clear();
        if std::mem::take(&mut self.open) {
            self.out.push(Early(EarlyStep::Withdrawn { message: self.answer_id() }));
            self.withdrawn = true;
        }
    }

    /// Withdraws what streams if it is this item.
    pub(super) fn withdraw_item(&mut self, item: &str) {
        if self.item.as_deref() == Some(item) {
            self.withdraw();
        }
    }

    /// Withdraws what streams unless it is this item.
    pub(super) fn keep(&mut self, item: Option<&str>) {
        if item.is_none() || self.item.as_deref() != item {
            self.withdraw();
        }
    }

    /// True while the public message is open.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn has_said(&self) -> bool {
        !self.out.is_empty()
    }

    pub(super) fn take(&mut self) -> Vec<Early> {
        std::mem::take(&mut self.out)
    }
}
