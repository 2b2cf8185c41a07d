//! What a writer makes of a head where the store can't compare and its reads may be old.
//!
//! Who claimed the run first goes on: of two claims the one with the smaller (`started_at`, writer). So of
//! two writers that see each other's heads the same one goes on, whichever of them looks, and the other
//! stops. What is merely old, or not there, stops nobody; what has ended stops everybody.

use super::record::RunRecord;
use super::store::{Expect, Guarantee, Traits, Version};
use crate::Millis;

/// How long a claim stands at least between two looks at it, in milliseconds: longer than from a look at
/// the head to when a write that follows it is there.
const SETTLE: Millis = 500;

/// What a head that was read is to a writer with a head to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// The very one.
    Own,
    /// Nothing newer is known.
    Old,
    /// Another's claim, which gives way to ours.
    Rival,
    /// It stands.
    Stands,
}

impl Traits {
    /// How long a claim stands between two looks at it.
    pub(super) fn settle(&self) -> Millis {
        self.min_interval.max(SETTLE)
    }

    /// True if the store can't hold a value against a save that has seen an older one.
    pub(super) fn is_weak(&self) -> bool {
        self.claim == Guarantee::BestEffort
    }

    /// What a save of a value that was known so, or not at all, expects of the store.
    pub(super) fn expects(&self, known: Option<Version>) -> Expect {
        match known {
            _ if self.is_weak() => Expect::Any,
            Some(version) => Expect::Version(version),
            None => Expect::Absent,
        }
    }

    /// True if a writer with that lease is surely gone, however old what was read is.
    pub fn is_over(&self, lease: Millis, now: Millis) -> bool {
        now > lease.saturating_add(self.staleness)
    }
}

impl RunRecord {
    /// True if it is more than a claim that may yet give way to another: nobody who reads it is told of it before.
    pub fn stands(&self) -> bool {
        self.revision > 1 || self.is_ended()
    }

    /// True if no other claim can take its place any more.
    pub(super) fn is_settled(&self) -> bool {
        self.promise.claim == Guarantee::Atomic || self.stands()
    }

    /// Which claim of the run it goes back to; the smaller one goes on.
    pub(super) fn claim(&self) -> (Millis, &str) {
        (self.times.started_at, self.writers.first().map_or("", |writer| writer.token.as_str()))
    }
}

/// What `seen` is to whoever saves `own`. `written` is false for a claim that has surely not been written
/// yet: it comes after every other.
pub(super) fn judge(seen: &RunRecord, own: &RunRecord, written: bool, traits: Traits, now: Millis) -> Sight {
    if seen.writer == own.writer {
        return if seen.revision == own.revision { Sight::Own } else { Sight::Old };
    }
    if seen.is_ended() || !written {
        return Sight::Stands;
    }
    if seen.claim() == own.claim() {
        // Whoever only ends a run leaves it to a writer that has gone on meanwhile.
        return if seen.revision < own.revision { Sight::Old } else { Sight::Stands };
    }
    let seals = own.claim().1 != own.writer;
    if seals || (seen.claim() < own.claim() && !traits.is_over(seen.lease, now)) {
        return Sight::Stands;
    }
    Sight::Rival
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
