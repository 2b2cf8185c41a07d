//! When a run commits.
//!
//! Commits are grouped: within tens of milliseconds while an attached reader may see what waits,
//! else every second or 64 KiB; at once for a terminal and before a tool is called; never sooner
//! after the last one than the store's least interval. Where a store has one, what nothing forces is
//! committed the rarer the longer the run goes on.

use super::emitter::Emitter;
use super::record::Status;
use super::store::{Owner, Traits};
use crate::Millis;
use crate::event::View;

/// How long a watched event may wait for its commit.
const WATCHED: Millis = 30;
/// How long any other event may wait.
const UNWATCHED: Millis = 1_000;
/// How many bytes may wait before a commit is made at once.
const COMMIT_BYTES: usize = 64 << 10;
/// How many bytes may wait before whoever writes is to wait too.
const PRESSURE_BYTES: usize = 128 << 10;

/// Where a store bears few writes, commits that nothing forces come so many times rarer than the run is old.
/// A run of any length then makes some hundred of them, not one for each second.
const PARTS_OF_AGE: Millis = 30;

/// What decides when an emitter is to seal what waits.
pub struct Pace {
    traits: Traits,
    lease: Millis,
    /// How many customers and operators read along.
    pub readers: (usize, usize),
    due: Option<Millis>,
    renew: Option<Millis>,
    last_save: Option<Millis>,
}

impl Pace {
    /// The pace of a writer that has saved nothing yet; `lease` is how long it is taken to live after a save.
    pub fn new(traits: Traits, lease: Millis) -> Self {
        Pace { traits, lease, readers: (0, 0), due: None, renew: None, last_save: None }
    }

    /// Seals what waits if it is time to. `hurried` is whether somebody waits for it.
    pub fn seal(&mut self, now: Millis, emitter: &mut Emitter, hurried: bool) {
        if emitter.is_busy() || emitter.record().status != Status::Started {
            return;
        }
        let interval = self.traits.min_interval;
        let last = self.last_save;
        let after_last = |pause: Millis| last.map_or(0, |last| last + pause);
        let earliest = after_last(interval);
        let pending = emitter.pending_bytes();
        let claiming = emitter.record().revision == 0;
        let at_once = claiming || emitter.is_ending() || hurried || pending > COMMIT_BYTES;
        let wait = if at_once {
            0
        } else if self.is_watched(emitter) {
            WATCHED
        } else {
            UNWATCHED
        };
        let renew = self.renew.is_some_and(|at| at <= now);
        if pending > 0 {
            let age = now.saturating_sub(emitter.record().times.started_at);
            let paced = if at_once || interval == 0 { earliest } else { after_last(interval.max(age / PARTS_OF_AGE)) };
            let at = self.due.map_or(now + wait, |due| due.min(now + wait)).max(paced);
            self.due = Some(at);
        }
        let due = pending > 0 && self.due.is_some_and(|at| at <= now);
        if (due || renew) && now >= earliest {
            self.due = None;
            emitter.seal(now, renew);
        }
    }

    /// When to seal next, if nothing is written before.
    pub fn deadline(&self) -> Option<Millis> {
        self.due.into_iter().chain(self.renew).min()
    }

    /// A commit is through, and its writer is taken to live until then.
    pub fn committed(&mut self, now: Millis, lease: Millis) {
        self.due = None;
        self.last_save = Some(now);
        // The lease counts from when the head was made, which a slow store may have saved much later.
        let due = lease.saturating_sub(self.lease - self.lease / 3);
        let shared = self.traits.owner == Owner::Shared;
        self.renew = shared.then(|| due.max(now + self.traits.min_interval));
    }

    /// The head was saved, perhaps by somebody else.
    pub fn saved(&mut self, now: Millis) {
        self.last_save = Some(now);
    }

    /// True once so much waits that nothing more is to be written before it is sealed.
    pub fn is_full(emitter: &Emitter) -> bool {
        emitter.pending_bytes() >= PRESSURE_BYTES
    }

    fn is_watched(&self, emitter: &Emitter) -> bool {
        let (customer, operator) = self.readers;
        customer > 0 && emitter.has_pending_for(View::Customer)
            || operator > 0 && emitter.has_pending_for(View::Operator)
    }
}
