//! The small values of a claim: where a run is, its place in the list, and which run a thread is at. Once
//! the thread goes on, the last is kept as it was, under the run's ordinal.
//!
//! What has been deleted, or kept long enough, leaves only what is needed so that no id and no ordinal
//! is given again: an index entry that says so, and the last ordinal of the thread.

use super::store::{Expect, Head, Part, StoreOp};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::input::RunInput;
use crate::json::{self, Json};
use crate::stored::{decode_versioned, stored};

/// The version of these values' form.
pub(super) const VERSION: u32 = 1;

/// What the index knows of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexEntry {
    /// The version of this value's form.
    pub v: u32,
    /// The run's id, raw.
    pub run: String,
    /// Its thread's id, raw.
    pub thread: String,
    /// What makes two inputs the same.
    pub fingerprint: String,
    /// When it was claimed first, which is its place in the list of runs.
    pub at: Option<Millis>,
    /// When it was deleted, if it was. The ids and the fingerprint are then empty.
    pub deleted_at: Option<Millis>,
}

impl IndexEntry {
    /// What stays of a run that was deleted.
    pub(super) fn tombstone(now: Millis) -> Self {
        IndexEntry { v: VERSION, deleted_at: Some(now), ..IndexEntry::default() }
    }

    /// The entry of a run that is there.
    ///
    /// # Errors
    /// [`ErrorKind::RunDeleted`] for one that was deleted, or what [`IndexEntry::decode`] gives.
    pub fn of_run(bytes: &[u8]) -> Result<Self, Error> {
        let entry = IndexEntry::decode(bytes)?;
        if entry.deleted_at.is_some() { Err(ErrorKind::RunDeleted.into()) } else { Ok(entry) }
    }

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// What is gone of the thread, if anything is.
    pub kept: Option<Kept>,
}

/// What is gone of a thread, and what is about to go. It is said here before it is done, so that whatever
/// is lost in between goes on with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// All runs of lower ordinals are gone.
    pub first: Option<u32>,
    /// True if something of them may still be there.
    pub unfinished: bool,
    /// The thread's last run is gone. Its ordinal stays taken, and `run` is empty.
    pub gone: bool,
    /// The run of which something may still be there.
    pub removing: Option<String>,
    /// What is private of all runs of lower ordinals is gone.
    pub cleared: Option<u32>,
    /// An interrupted run whose turn is gone: nobody can go on with it.
    pub spent: Option<String>,
}

/// What stands for a run in the list of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListEntry {
    pub v: u32,
    pub run: String,
    pub thread: String,
    pub fingerprint: String,
}

impl ListEntry {
    /// The entry of the run that this input asks for.
    pub fn of(input: &RunInput, thread: &str) -> Self {
        let (run, fingerprint) = (input.run.clone(), input.fingerprint.clone());
        ListEntry { v: VERSION, run, thread: thread.to_owned(), fingerprint }
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        json::text(self).into_bytes()
    }

    /// Reads a stored entry.
    ///
    /// # Errors
    /// [`ErrorKind::RecordUnreadable`], or [`ErrorKind::RecordTooNew`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode_versioned(bytes, VERSION)
    }
}

/// The thread's newest run, by the thread's stored entry; and the one before it that it answers, which is the newest if
/// that one never began.
///
/// # Errors
/// As of [`IndexEntry::decode`].
pub fn newest_run(bytes: &[u8]) -> Result<(String, Option<String>), Error> {
    let entry = ActiveEntry::decode(bytes)?;
    Ok((entry.run, entry.answers))
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

    /// What is gone of the thread.
    pub fn kept(&self) -> Kept {
        self.kept.clone().unwrap_or_default()
    }

    /// True if the run is gone.
    pub fn is_gone(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.gone)
    }

    /// The least ordinal of a run that may be there.
    pub fn first(&self) -> u32 {
        self.kept.as_ref().and_then(|kept| kept.first).unwrap_or(1)
    }
}

/// The save of one of these values, with parts before it.
pub(super) fn save(parts: Vec<Part>, key: String, entry: &dyn Json, expect: Expect) -> StoreOp {
    let value = json::text(entry).into_bytes();
    StoreOp::Save { parts, head: Some(Head { key, value, expect }) }
}

impl Kept {
    /// True if something that is said to be gone may still be there.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished || self.removing.is_some()
    }
}

stored!(IndexEntry { v, run, thread, fingerprint, at, deleted_at });
stored!(ActiveEntry { v, thread, run, answers, ordinal, attempts, until, kept });
stored!(Kept { first, unfinished, gone, removing, cleared, spent });
stored!(ListEntry { v, run, thread, fingerprint });
