//! Moves a run's commit and its reading on.

use super::emitter::Emitter;
use super::machine::Run;
use super::pace::Pace;
use super::protocol::Action;
use crate::Millis;

impl Run {
    /// After every input.
    pub(super) fn pump(&mut self, now: Millis) {
        if !self.ends.looking {
            let tools_wait = self.work.as_ref().is_some_and(|work| work.has_tools_to_commit());
            if let Some(emitter) = &mut self.emitter {
                self.pace.seal(now, emitter, tools_wait);
            }
            if let Some(op) = self.emitter.as_mut().and_then(Emitter::poll) {
                self.act(Action::Store(op));
            }
        }
        self.read_on(now);
    }

    fn read_on(&mut self, now: Millis) {
        if !self.is_active() || self.is_ending() {
            return;
        }
        let full = self.emitter.as_ref().is_none_or(Pace::is_full);
        if let Some(call) = self.work.as_mut().filter(|_| !full).and_then(|work| work.read(now)) {
            self.act(Action::Read(call));
        }
    }
}
