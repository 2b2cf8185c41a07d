//! What a reader makes of a head that does not simply go on from the one it knows.
//!
//! Where a store can't compare, two writers may have claimed a run, or one may have ended it while the other
//! still wrote. A reader follows one journal: it takes another head only as far as both tell the same. Of a
//! claim it tells nothing before the claim's writer has gone on from it.

use crate::run::record::{RunRecord, Writer};

/// What a head is to a reader that knows another one of the same run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Old, or of a writer that gives way.
    Old,
    /// It goes on from the one that is known.
    On,
    /// It stands instead of the one that is known. Up to this sequence number both tell the same.
    Instead(u64),
}

/// What `new` is to a reader that knows `known`.
pub(super) fn turn(known: &RunRecord, new: &RunRecord) -> Turn {
    let same = known.claim() == new.claim();
    let stands = new.is_ended() || (!same && new.claim() < known.claim());
    if known.is_ended() || !new.is_settled() || !stands && (!same || new.revision <= known.revision) {
        return Turn::Old;
    }
    let pairs = (0..known.writers.len().max(new.writers.len())).map(|at| (known.writers.get(at), new.writers.get(at)));
    let from = |(a, b): (Option<_>, Option<_>)| match (a, b) {
        (a, b) if a.map(identity) == b.map(identity) => None,
        (a, b) => a.into_iter().chain(b).map(|writer: &Writer| writer.from).min(),
    };
    match pairs.filter_map(from).next() {
        None => Turn::On,
        Some(from) => Turn::Instead(from.saturating_sub(1)),
    }
}

fn identity(writer: &Writer) -> (&str, u64) {
    (&writer.token, writer.from)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
