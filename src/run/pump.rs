//! When a run commits, and when it reads on.
//!
//! Commits are grouped: within tens of milliseconds while an attached reader may see what waits,
//! else every second or 64 KiB; at once for a terminal and before a tool is called; never sooner
//! after the last one than the store's least interval. Where a store has one, what nothing forces is
//! committed the rarer the longer the run goes on.

use super::emitter::Emitter;
use super::machine::Run;
use super::protocol::Action;
use super::record::Status;
use crate::Millis;
use crate::event::View;

/// How long a watched event may wait for its commit.
const WATCHED: Millis = 30;
/// How long any other event may wait.
const UNWATCHED: Millis = 1_000;
/// How many bytes may wait before a commit is made at once.
const COMMIT_BYTES: usize = 64 << 10;
/// How many bytes may wait before no more is read from the provider.
const PRESSURE_BYTES: usize = 128 << 10;

/// Where a store bears few writes, commits that nothing forces come so many times rarer than the run is old.
/// A run of any length then makes some hundred of them, not one for each second.
const PARTS_OF_AGE: Millis = 30;

impl Run {
    /// Moves the commit and the reading on, after every input.
    pub(super) fn pump(&mut self, now: Millis) {
        if !self.ends.looking {
            self.seal_when_due(now);
            if let Some(op) = self.emitter.as_mut().and_then(Emitter::poll) {
                self.act(Action::Store(op));
            }
        }
        self.read_on(now);
    }

    fn seal_when_due(&mut self, now: Millis) {
        let Some(emitter) = self.emitter.as_ref().filter(|emitter| !emitter.is_busy()) else { return };
        if emitter.record().status != Status::Started {
            return;
        }
        let interval = self.setup.traits.min_interval;
        let after_last = |pause: Millis| self.last_save.map_or(0, |last| last + pause);
        let earliest = after_last(interval);
        let pending = emitter.pending_bytes();
        let tools_wait = self.work.as_ref().is_some_and(|work| work.has_tools_to_commit());
        let claiming = emitter.record().revision == 0;
        let at_once = claiming || emitter.is_ending() || tools_wait || pending > COMMIT_BYTES;
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
            if let Some(emitter) = &mut self.emitter {
                emitter.seal(now, renew);
            }
        }
    }

    fn read_on(&mut self, now: Millis) {
        if !self.is_active() || self.is_ending() {
            return;
        }
        let full = self.emitter.as_ref().is_none_or(|emitter| emitter.pending_bytes() >= PRESSURE_BYTES);
        if let Some(call) = self.work.as_mut().filter(|_| !full).and_then(|work| work.read(now)) {
            self.act(Action::Read(call));
        }
    }

    fn is_watched(&self, emitter: &Emitter) -> bool {
        let (customer, operator) = self.readers;
        customer > 0 && emitter.has_pending_for(View::Customer)
            || operator > 0 && emitter.has_pending_for(View::Operator)
    }
}
