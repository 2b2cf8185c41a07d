//! The two small values of a claim: where a run is, and which run a thread is at. Once the thread goes
//! on, the second is kept as it was, under the run's ordinal.

use crate::Millis;
use crate::error::Error;
use crate::stored::{decode_versioned, stored};

/// The version of both values' form.
pub(super) const VERSION: u32 = 1;

/// What the index knows of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The version of this value's form.
    pub v: u32,
    /// The run's id, raw.
    pub run: String,
    /// Its thread's id, raw.
    pub thread: String,
    /// What makes two inputs the same.
    pub fingerprint: String,
}

impl IndexEntry {
    /// Reads a stored entry.
    ///
    /// # Errors
    /// [`RecordUnreadable`](crate::ErrorKind::RecordUnreadable), or
    /// [`RecordTooNew`](crate::ErrorKind::RecordTooNew).
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode_versioned(bytes, VERSION)
    }
}

/// The run that a thread was given to last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ActiveEntry {
    pub v: u32,
    pub thread: String,
    pub run: String,
    /// The interrupted run that it answers. If this one never began, that one's interrupts stand again.
    pub answers: Option<String>,
    /// The run's place in the thread.
    pub ordinal: Option<u32>,
    /// How many instances of the host have claimed the run without a head to be found; none counts as one.
    pub attempts: Option<u32>,
    /// Until when the instance that claimed the run may write its head, where it is not the only one.
    pub until: Option<Millis>,
}

impl ActiveEntry {
    /// Reads a stored entry.
    ///
    /// # Errors
    /// As of [`IndexEntry::decode`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode_versioned(bytes, VERSION)
    }

    /// The run's place in the thread, from 1. An entry of before there were ordinals counts as the first.
    pub fn ordinal(&self) -> u32 {
        self.ordinal.unwrap_or(1).max(1)
    }

    /// How many instances have claimed the run, this entry's own included.
    pub fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(1).max(1)
    }
}

stored!(IndexEntry { v, run, thread, fingerprint });
stored!(ActiveEntry { v, thread, run, answers, ordinal, attempts, until });
