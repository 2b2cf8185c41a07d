//! The record of a run: the value under its head. Every change gives a new one.
//!
//! Its stored form is at most [`MAX_HEAD`] bytes whatever a client or a provider says: what has no bound of its
//! own is told elsewhere (long names by whoever knows the key), is shortened (ids that begin with the run's own), or
//! gives way (marks, which only save a reader loads).

use super::interrupts::{self, Interrupted};
use super::keys::{RunKeys, ThreadKeys, tag};
use super::scope::OpenScopes;
use super::store::{Guarantee, PartPointer, Traits};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Failure, ModelUsage};
use crate::json::{self, Json, Object};
use crate::profile::Profile;
use crate::stored::{Stored, readable, stored, stored_names, versioned};
use serde_json::{Map, Value};
use std::borrow::Cow;

mod marks;

/// The version of the stored head. A newer one is an error, never a guess.
///
/// 2: names longer than [`MAX_NAME`] are left out, and an interrupt's id is marked: `~` stands for the run's tag,
/// `=` for nothing.
pub const VERSION: u32 = 2;
/// The largest stored head, in bytes. A store must take values of that size.
pub const MAX_HEAD: usize = 16 << 10;
/// The longest name that the head holds, in bytes as JSON writes it. A longer run, thread or scope is known from the
/// key, and a longer model is cut.
pub const MAX_NAME: usize = 1 << 10;
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
    /// [`ErrorKind::RecordTooNew`] for a version after ours, [`ErrorKind::RecordUnreadable`] for anything else that
    /// is no head, and for one whose names are too long to be in it: [`RunRecord::decode_under`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        RunRecord::from_stored(bytes, |_| {})
    }

    /// Reads the head that is stored under these keys, which know the names that are too long to be in it.
    ///
    /// # Errors
    /// As of [`RunRecord::decode`].
    pub fn decode_under(bytes: &[u8], keys: &RunKeys) -> Result<Self, Error> {
        RunRecord::from_stored(bytes, |fields| {
            for (name, text) in [("run", keys.name()), ("thread", keys.thread()), ("scope", keys.scope())] {
                fields.entry(name).or_insert_with(|| text.into());
            }
        })
    }

    /// True for a stored head of a run that has ended, whatever its names are.
    pub fn has_ended(bytes: &[u8]) -> bool {
        RunRecord::nameless(bytes).is_ok_and(|record| record.is_ended())
    }

    /// True for a stored head that [stands](RunRecord::stands), whatever its names are, and for one that can't be
    /// read: no later look makes another of it.
    pub fn has_settled(bytes: &[u8]) -> bool {
        RunRecord::nameless(bytes).map_or(true, |record| record.stands())
    }

    fn nameless(bytes: &[u8]) -> Result<Self, Error> {
        RunRecord::from_stored(bytes, |fields| {
            for name in ["run", "thread", "scope"] {
                fields.entry(name).or_insert_with(|| "".into());
            }
        })
    }

    fn from_stored(bytes: &[u8], name: impl FnOnce(&mut Map<String, Value>)) -> Result<Self, Error> {
        let (marks, bytes) = match marks::taken(bytes) {
            Some((marks, rest)) => (marks, Cow::Owned(rest)),
            None => (Vec::new(), Cow::Borrowed(bytes)),
        };
        let (version, mut value) = versioned(&bytes, VERSION)?;
        if let Some(fields) = value.as_object_mut() {
            migrate(version, fields);
            name(fields);
        }
        let mut record = RunRecord::read(&value).ok_or(ErrorKind::RecordUnreadable)?;
        record.marks.extend(marks);
        if let Some(interrupted) = &mut record.interrupted {
            interrupts::widen(&mut interrupted.open, &tag(&record.run)).ok_or(ErrorKind::RecordUnreadable)?;
        }
        Ok(record)
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = String::with_capacity(1024 + marks::LENGTH * self.marks.len());
        self.write(&mut text);
        text.into_bytes()
    }

    /// Where it is stored.
    pub(super) fn keys(&self) -> RunKeys {
        ThreadKeys::new(&self.scope, &self.thread).run(&self.run)
    }

    /// Brings the stored form within `max` bytes, as far as marks can give way to the rest. Gives it.
    pub(super) fn fit(&mut self, max: usize) -> Vec<u8> {
        loop {
            let stored = self.encode();
            match self.marks.len() {
                0 => return stored,
                _ if stored.len() <= max.min(MAX_HEAD) => return stored,
                marks if marks <= self.writers.len() => self.marks.clear(),
                _ => self.thin(),
            }
        }
    }

    /// Adds a writer, who goes on behind what is there. One that has written nothing leaves no trace.
    pub(super) fn adopted(&mut self, token: &str) {
        while self.writers.pop_if(|writer| writer.segments == 0).is_some() {}
        self.writers.push(Writer { token: token.to_owned(), from: self.sequence + 1, segments: 0 });
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
            self.thin();
        }
        number
    }

    /// Drops every other mark.
    fn thin(&mut self) {
        self.stride = self.stride.saturating_mul(2);
        let stride = self.stride;
        self.marks.retain(|mark| mark.segment.is_multiple_of(stride));
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
readable!(Mark { writer, segment, first });
stored!(Promise { claim, outcome });
stored!(Times { started_at, ended_at });
readable!(RunRecord {
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

impl Json for RunRecord {
    fn write(&self, out: &mut String) {
        let short = |name| Some(name).filter(|name: &&str| json::is_short(name, MAX_NAME));
        let interrupted = self.interrupted.as_ref().map(|interrupted| interrupted.narrow(&tag(&self.run)));
        let mut head = Object::begin(out);
        head.fields(&[
            ("v", &self.v),
            ("run", &short(&self.run)),
            ("thread", &short(&self.thread)),
            ("scope", &short(&self.scope)),
            ("fingerprint", &self.fingerprint),
            ("status", &self.status),
            ("revision", &self.revision),
            ("sequence", &self.sequence),
            ("writer", &self.writer),
            ("writers", &self.writers),
            ("marks", &self.marks),
            ("stride", &self.stride),
            ("open", &self.open),
            ("echo", &self.echo),
            ("withdrawn", &self.withdrawn),
            ("failure", &self.failure),
            ("interrupted", &interrupted),
            ("usage", &self.usage),
            ("profile", &self.profile),
            ("lease", &self.lease),
            ("times", &self.times),
            ("promise", &self.promise),
        ]);
        head.end();
    }
}

/// Turns what an older version wrote into the form of today. Each step leads from one version to the next; one that
/// only adds fields needs none, since an absent field reads as its default.
fn migrate(version: u32, fields: &mut Map<String, Value>) {
    if version < 2
        && let Some(open) = fields.get_mut("interrupted").and_then(|interrupted| interrupted.get_mut("open"))
    {
        for interrupt in open.as_array_mut().into_iter().flatten() {
            if let Some(Value::String(id)) = interrupt.get_mut("id") {
                id.insert(0, '=');
            }
        }
    }
    fields.insert("v".to_owned(), VERSION.into());
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
