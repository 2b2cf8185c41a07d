//! The record of a run: the value under its head. Every change gives a new one.

use super::interrupts::Interrupted;
use super::scope::OpenScopes;
use super::store::{Guarantee, PartPointer, Traits};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Failure, ModelUsage};
use crate::json;
use crate::profile::Profile;
use crate::stored::{Stored, field, parse, stored, stored_names};

/// The version of the stored head. A newer one is an error, never a guess.
pub const VERSION: u32 = 1;
/// The most marks of the sparse segment index. Past it every other mark is dropped.
const MAX_MARKS: usize = 64;

/// Where a run stands. `started` is the only one that another follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Claimed; the model is or was at work.
    Started,
    /// The turn was done.
    Succeeded,
    /// It failed.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
    /// It waits for a person.
    Interrupted,
}

/// One writer's stretch of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Never reused.
    pub token: String,
    /// Its first sequence number.
    pub from: u64,
    /// How many segments it has written, numbered densely from 0.
    pub segments: u32,
}

/// A mark of the sparse index: a segment and the first sequence number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The writer's position in the table.
    pub writer: u32,
    /// The segment's number.
    pub segment: u32,
    /// The first sequence number in it.
    pub first: u64,
}

/// What the store could promise for this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// That it executes at most once.
    pub claim: Guarantee,
    /// That its first outcome stands.
    pub outcome: Guarantee,
}

impl From<Traits> for Promise {
    fn from(traits: Traits) -> Self {
        Promise { claim: traits.claim, outcome: traits.outcome }
    }
}

/// When things happened. Informational: order is by sequence alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// When it was claimed.
    pub started_at: Millis,
    /// When its outcome was decided.
    pub ended_at: Option<Millis>,
}

/// The head of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The version of this value's form.
    pub v: u32,
    /// The run's id, raw.
    pub run: String,
    /// Its thread's id, raw.
    pub thread: String,
    /// Its scope.
    pub scope: String,
    /// What makes two inputs the same.
    pub fingerprint: String,
    /// Where it stands.
    pub status: Status,
    /// Raised by one with every save.
    pub revision: u64,
    /// The newest sequence number.
    pub sequence: u64,
    /// Who wrote this revision.
    pub writer: String,
    /// All who have written, in order.
    pub writers: Vec<Writer>,
    /// A sparse index of segments.
    pub marks: Vec<Mark>,
    /// Every so many segments get a mark.
    pub stride: u32,
    /// What is open, tools of ours included.
    pub open: OpenScopes,
    /// The run's input as it came.
    pub echo: Option<PartPointer>,
    /// The answer that streamed early and was withdrawn, if one was.
    pub withdrawn: Option<String>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// What it waits for, if it was interrupted.
    pub interrupted: Option<Interrupted>,
    /// What it cost, once it has ended.
    pub usage: Vec<ModelUsage>,
    /// What a replay's bytes depend on.
    pub profile: Profile,
    /// Until when its writer is taken to live.
    pub lease: Millis,
    /// When things happened.
    pub times: Times,
    /// What the store could promise.
    pub promise: Promise,
}

impl RunRecord {
    /// Reads a stored head.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooNew`] for a version after ours, [`ErrorKind::RecordUnreadable`]
    /// for anything else that is no head.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let unreadable = || Error::new(ErrorKind::RecordUnreadable);
        let value = parse(bytes).ok_or_else(unreadable)?;
        let version: u32 = value.as_object().and_then(|fields| field(fields, "v")).ok_or_else(unreadable)?;
        if version > VERSION {
            return Err(ErrorKind::RecordTooNew.into());
        }
        RunRecord::read(&value).ok_or_else(unreadable)
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        json::text(self).into_bytes()
    }

    /// True once an outcome stands.
    pub fn is_ended(&self) -> bool {
        self.status != Status::Started
    }

    /// The position in the table of the writer of a sequence number.
    pub fn writer_of(&self, sequence: u64) -> Option<usize> {
        self.writers.iter().rposition(|writer| writer.from <= sequence && writer.segments > 0)
    }

    /// Takes note of a new segment of the last writer.
    pub(super) fn segment_added(&mut self, first: u64) -> u32 {
        let position = self.writers.len().saturating_sub(1);
        let Some(writer) = self.writers.last_mut() else { return 0 };
        let number = writer.segments;
        writer.segments += 1;
        if number.is_multiple_of(self.stride.max(1)) {
            self.marks.push(Mark { writer: position as u32, segment: number, first });
        }
        if self.marks.len() > MAX_MARKS {
            self.stride = self.stride.saturating_mul(2);
            let stride = self.stride;
            self.marks.retain(|mark| mark.segment.is_multiple_of(stride));
        }
        number
    }
}

stored_names!(Status {
    Started = "started",
    Succeeded = "succeeded",
    Failed = "failed",
    Cancelled = "cancelled",
    Interrupted = "interrupted",
});
stored!(Writer { token, from, segments });
stored!(Mark { writer, segment, first });
stored!(Promise { claim, outcome });
stored!(Times { started_at, ended_at });
stored!(RunRecord {
    v,
    run,
    thread,
    scope,
    fingerprint,
    status,
    revision,
    sequence,
    writer,
    writers,
    marks,
    stride,
    open,
    echo,
    withdrawn,
    failure,
    interrupted,
    usage,
    profile,
    lease,
    times,
    promise,
});
