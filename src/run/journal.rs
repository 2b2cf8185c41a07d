//! The journal: what a run said, in immutable segments. It is the only thing that readers read.
//!
//! An event that is too large for a segment (a state, the questions of an interrupt) stands in pieces of its own,
//! and its segment says so. Each value has a version: of a newer one nothing is guessed. An event of a type that
//! this code does not know is skipped by its audience.

use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Audience, Event, Plain};
use crate::json;
use crate::stored::{Stored, field, parse, stored, versioned};
use crate::turn::MAX_STATE;
use segment::Writing;
use serde_json::Value;

mod codec;
mod segment;

/// The version of a stored segment.
const VERSION: u32 = 1;
/// The newest version of a stored event. 2: it stands in pieces; an event that stands in its segment is 1.
const EVENT_VERSION: u32 = 2;
/// The name under which a segment says that an event stands in pieces.
const LARGE: &str = "large";
/// The largest event that stands in a segment, in bytes of its stored form: a [`PIECE`](crate::event::PIECE) of text
/// with room for what JSON adds to it.
const INLINE: usize = 40 << 10;
/// What is taken for the largest value of a store that says less, in bytes.
const LEAST: usize = 1 << 10;
/// The largest segment that is aimed at, in bytes, where the store allows it.
const TARGET: usize = 256 << 10;
/// Room for a segment's own envelope.
const ENVELOPE: usize = 96;

/// An event that the store has acknowledged. Made from an acknowledgement, or by decoding a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    seq: u64,
    at: Millis,
    audience: Audience,
    event: Option<Event>,
    large: Option<Large>,
}

/// An event that is still to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Large {
    /// In how many pieces it stands.
    pub pieces: u32,
    /// True if it is a state: each one takes the place of those before it.
    pub state: bool,
}

stored!(Large { pieces, state });

impl Committed {
    /// Its sequence number.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// When it was sealed; informational.
    pub fn at(&self) -> Millis {
        self.at
    }

    /// Who may be sent it.
    pub fn audience(&self) -> Audience {
        self.audience
    }

    /// What it says; nothing if it is of a type that this version does not know, nor while it stands in pieces.
    pub fn event(&self) -> Option<&Event> {
        self.event.as_ref()
    }

    /// In how many pieces the event stands that is still to be loaded ([`super::RunKeys::event`]); none for any other.
    pub fn pieces(&self) -> Option<u32> {
        self.large.map(|large| large.pieces)
    }

    /// Where the event stands, if it is still to be loaded.
    pub(super) fn large(&self) -> Option<Large> {
        self.large
    }

    /// The event, of its joined pieces.
    ///
    /// # Errors
    /// As of [`decode`].
    pub fn joined(&self, bytes: &[u8]) -> Result<Self, Error> {
        let stored = parse(bytes).ok_or(ErrorKind::RecordUnreadable)?;
        let whole = load(&stored, self.seq, self.at)?;
        match whole.large {
            Some(_) => Err(ErrorKind::RecordUnreadable.into()),
            None => Ok(whole),
        }
    }
}

/// A segment ready to be saved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sealing {
    pub first: u64,
    pub bytes: Vec<u8>,
    /// The events of it that stand in pieces: their numbers, and their stored form.
    pub large: Vec<(u64, String)>,
}

/// Numbers events from `first` on and cuts them into segments of at most `max_value` bytes. What stands in pieces is
/// to be cut at `max_value` too.
pub(super) fn seal(events: &[Event], first: u64, at: Millis, max_value: usize) -> Vec<Sealing> {
    let limit = max_value.min(TARGET).saturating_sub(ENVELOPE);
    let inline = INLINE.min(limit.max(LEAST));
    let (mut segments, mut writing) = (Vec::new(), Writing::new(first, at));
    for (event, seq) in events.iter().zip(first..) {
        let before = writing.len();
        let size = writing.add(event, seq, inline, max_value);
        if before > 0 && before + size + 1 > limit {
            let next = writing.cut(seq, at, size);
            segments.push(std::mem::replace(&mut writing, next).end());
        }
    }
    if writing.len() > 0 {
        segments.push(writing.end());
    }
    segments
}

/// Reads a segment.
///
/// # Errors
/// [`ErrorKind::RecordUnreadable`], or [`ErrorKind::RecordTooNew`] for a newer form.
pub fn decode(bytes: &[u8]) -> Result<Vec<Committed>, Error> {
    segment::read(bytes).map_or_else(|| parsed(bytes), Ok)
}

/// Reads a segment of any form.
fn parsed(bytes: &[u8]) -> Result<Vec<Committed>, Error> {
    let unreadable = || Error::new(ErrorKind::RecordUnreadable);
    let (_, segment) = versioned(bytes, VERSION)?;
    let fields = segment.as_object().ok_or_else(unreadable)?;
    let first: u64 = field(fields, "first").ok_or_else(unreadable)?;
    let at: Millis = field(fields, "at").ok_or_else(unreadable)?;
    let events = fields.get("events").and_then(Value::as_array).ok_or_else(unreadable)?;
    let mut committed = Vec::with_capacity(events.len());
    for (stored, seq) in events.iter().zip(first..) {
        committed.push(load(stored, seq, at)?);
    }
    Ok(committed)
}

/// The longest id of a message or a call that is taken from outside, in bytes as JSON writes it: the head may list it.
const MAX_ID: usize = 72;

/// An event as segments hold it: a JSON object with `v`, `audience`, `type` and `data`.
pub fn encode_event(event: &Event) -> String {
    store(event)
}

/// Reads an event without effect from its type and its data, as [`encode_event`] has them.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for anything else, an event with effect too.
pub fn decode_plain(kind: &str, data: &Value) -> Result<Plain, Error> {
    let invalid = |what: &str| Error::with(ErrorKind::InvalidInput, format!("{kind}: {what}."));
    let short = |name| data.get(name).and_then(Value::as_str).is_none_or(|id| json::is_short(id, MAX_ID));
    if !["message", "call", "parent"].into_iter().all(short) {
        return Err(invalid("an id is longer than 72 bytes"));
    }
    if json::text(data).len() > MAX_STATE {
        return Err(invalid("it is larger than 2 MiB"));
    }
    match codec::decode(kind, data) {
        Ok(Some(Event::Plain(plain))) => Ok(plain),
        Ok(Some(Event::Sealed(_))) => Err(invalid("only the emitter makes it")),
        Ok(None) => Err(invalid("there is no such event")),
        Err(()) => Err(invalid("its fields are of another form")),
    }
}

fn store(event: &Event) -> String {
    json::object(|stored| {
        stored.fields(&[("v", &VERSION), ("audience", &event.audience())]);
        codec::encode(event, stored);
    })
}

/// What stands in a segment for an event in pieces.
fn pointer(event: &Event, pieces: usize) -> String {
    let state = matches!(event, Event::Plain(Plain::State { .. }));
    let large = Large { pieces: u32::try_from(pieces).unwrap_or(u32::MAX), state };
    json::object(|stored| {
        stored.fields(&[("v", &EVENT_VERSION), ("audience", &event.audience()), ("type", &LARGE), ("data", &large)]);
    })
}

fn load(stored: &Value, seq: u64, at: Millis) -> Result<Committed, Error> {
    let unreadable = || Error::new(ErrorKind::RecordUnreadable);
    let fields = stored.as_object().ok_or_else(unreadable)?;
    if field::<u32>(fields, "v").ok_or_else(unreadable)? > EVENT_VERSION {
        return Err(ErrorKind::RecordTooNew.into());
    }
    let audience = field(fields, "audience").ok_or_else(unreadable)?;
    let kind = fields.get("type").and_then(Value::as_str).ok_or_else(unreadable)?;
    let data = fields.get("data").unwrap_or(&Value::Null);
    let (event, large) = match kind {
        LARGE => (None, Some(Stored::read(data).ok_or_else(unreadable)?)),
        kind => (codec::decode(kind, data).map_err(|()| unreadable())?, None),
    };
    Ok(Committed { seq, at, audience, event, large })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
