//! How a turn at work ends: what it has cost, how long it took, and its answer.

use super::{Step, Work, submitted};
use crate::Millis;
use crate::event::Timing;
use crate::provider::Format;
use crate::run::emitter::{Emitter, Totals};
use crate::run::usage::count;

impl Work {
    /// The provider's format, where the last response's first bytes told it.
    pub(in crate::run) fn found_format(&self) -> Option<Format> {
        self.decoder.format()
    }

    pub(in crate::run) fn totals(&self, now: Millis) -> Totals {
        let total_ms = now.saturating_sub(self.started);
        let mut usage = self.usage.clone();
        count(&mut usage, self.turn.usage());
        Totals { usage, timing: Timing { ttft_ms: self.ttft, answer_ms: None, total_ms } }
    }

    /// The answer's first piece leaves with the end, unless it has streamed early.
    pub(super) fn publish(&mut self, now: Millis, emitter: &mut Emitter) -> Step {
        let mut totals = self.totals(now);
        let early = self.early.filter(|_| self.turn.is_early());
        totals.timing.answer_ms = Some(early.unwrap_or(totals.timing.total_ms));
        match self.turn.publish(None) {
            Ok(published) => submitted(emitter.succeed(published, totals)),
            Err(error) => Step::Fail(error.kind()),
        }
    }
}
