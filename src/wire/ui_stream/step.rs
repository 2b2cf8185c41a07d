//! Steps: what the client splits a message into, one a model response as far as a customer can see that.

use super::part;
use crate::sse::Frame;

/// Whether a step is open, and whether what comes next begins another.
#[derive(Debug, Default)]
pub(super) struct Step {
    open: bool,
    /// Texts, reasonings and calls that have not ended. A step never ends inside one.
    inside: usize,
    /// The calls of which a result stands in the step: the message that holds them.
    answered: Option<String>,
}

impl Step {
    /// Begins a step.
    pub(super) fn start(&mut self, out: &mut Vec<Frame>) {
        self.end(out);
        self.open = true;
        out.push(part::plain("start-step"));
    }

    /// Ends the step, if one is open.
    pub(super) fn end(&mut self, out: &mut Vec<Frame>) {
        self.answered = None;
        if std::mem::take(&mut self.open) {
            out.push(part::plain("finish-step"));
        }
    }

    /// Something begins, of the response whose calls that message holds. Behind results it is another step's.
    pub(super) fn enter(&mut self, parent: Option<&str>, out: &mut Vec<Frame>) {
        let behind = self.answered.as_deref().is_some_and(|answered| parent != Some(answered));
        if !self.open || (behind && self.inside == 0) {
            self.start(out);
        }
        self.inside += 1;
    }

    /// What has begun ends.
    pub(super) fn leave(&mut self) {
        self.inside = self.inside.saturating_sub(1);
    }

    /// A result came to a call of that response.
    pub(super) fn answered(&mut self, parent: &str) {
        self.answered = Some(parent.to_owned());
    }
}
