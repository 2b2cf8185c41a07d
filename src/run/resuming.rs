//! The turn that a run goes on with, on its way out of the store: the interrupted run's head, then the
//! pieces of the turn.

use super::interrupts::{self, Interrupted};
use super::keys::{RunKeys, ThreadKeys};
use super::protocol::Setup;
use super::record::RunRecord;
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::executor::Paused;
use crate::input::Answer;

/// An interrupted run whose turn is being loaded.
pub(super) struct Resuming {
    keys: RunKeys,
    interrupted: Option<Interrupted>,
    bytes: Vec<u8>,
    next: u32,
}

impl Resuming {
    /// The turn of that run of the same thread.
    pub(super) fn of(setup: &Setup, run: &str) -> Self {
        let keys = ThreadKeys::new(&setup.scope, &setup.thread).run(run);
        Resuming { keys, interrupted: None, bytes: Vec::new(), next: 0 }
    }

    /// The key of that run's head, which is loaded first.
    pub(super) fn head(&self) -> String {
        self.keys.head()
    }

    /// Takes what was loaded; the next key, or none once the turn is whole. What the thread has decided is
    /// asked once more of the head itself.
    pub(super) fn loaded(&mut self, bytes: Vec<u8>, answers: &[Answer], now: Millis) -> Result<Option<String>, Error> {
        match &self.interrupted {
            Some(_) => self.bytes.extend(bytes),
            None => {
                let interrupted =
                    RunRecord::decode_under(&bytes, &self.keys)?.interrupted.ok_or(ErrorKind::InterruptNotOpen)?;
                interrupts::check(&interrupted.open, answers, now)?;
                self.interrupted = Some(interrupted);
            }
        }
        let turn = self.interrupted.as_ref().map(|interrupted| &interrupted.turn).filter(|t| t.pieces > self.next);
        let key = turn.map(|turn| self.keys.turn(&turn.writer, self.next));
        self.next += 1;
        Ok(key)
    }

    /// The turn, once it is whole.
    pub(super) fn turn(&self) -> Result<Paused, Error> {
        Paused::decode(&self.bytes)
    }
}
