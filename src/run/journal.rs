//! The journal: what a run said, in immutable segments. It is the only thing that readers read.

use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Audience, Event};
use crate::json;
use crate::stored::{field, parse};
use serde_json::Value;

mod codec;

/// The version of a stored segment and of a stored event.
const VERSION: u32 = 1;
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
}

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

    /// What it says; nothing if a newer version wrote a type that this one does not know.
    pub fn event(&self) -> Option<&Event> {
        self.event.as_ref()
    }
}

/// A segment ready to be saved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sealing {
    pub first: u64,
    pub bytes: Vec<u8>,
}

/// Numbers events from `first` on and cuts them into segments of at most `max_value` bytes.
pub(super) fn seal(events: &[Event], first: u64, at: Millis, max_value: usize) -> Vec<Sealing> {
    let limit = max_value.min(TARGET).saturating_sub(ENVELOPE);
    let mut segments = Vec::new();
    let mut batch = String::new();
    let mut start = first;
    for (event, seq) in events.iter().zip(first..) {
        let stored = store(event);
        if !batch.is_empty() && batch.len() + stored.len() + 1 > limit {
            segments.push(segment(start, at, &std::mem::take(&mut batch)));
            start = seq;
        }
        if !batch.is_empty() {
            batch.push(',');
        }
        batch.push_str(&stored);
    }
    if !batch.is_empty() {
        segments.push(segment(start, at, &batch));
    }
    segments
}

/// Reads a segment.
///
/// # Errors
/// [`ErrorKind::RecordUnreadable`], or [`ErrorKind::RecordTooNew`] for a newer form.
pub fn decode(bytes: &[u8]) -> Result<Vec<Committed>, Error> {
    let unreadable = || Error::new(ErrorKind::RecordUnreadable);
    let segment = parse(bytes).ok_or_else(unreadable)?;
    let fields = segment.as_object().ok_or_else(unreadable)?;
    if field::<u32>(fields, "v").ok_or_else(unreadable)? > VERSION {
        return Err(ErrorKind::RecordTooNew.into());
    }
    let first: u64 = field(fields, "first").ok_or_else(unreadable)?;
    let at: Millis = field(fields, "at").ok_or_else(unreadable)?;
    let events = fields.get("events").and_then(Value::as_array).ok_or_else(unreadable)?;
    let mut committed = Vec::with_capacity(events.len());
    for (stored, seq) in events.iter().zip(first..) {
        committed.push(load(stored, seq, at).ok_or_else(unreadable)?);
    }
    Ok(committed)
}

/// `events` are stored events, comma between them.
fn segment(first: u64, at: Millis, events: &str) -> Sealing {
    let bytes = format!(r#"{{"v":{VERSION},"first":{first},"at":{at},"events":[{events}]}}"#).into_bytes();
    Sealing { first, bytes }
}

fn store(event: &Event) -> String {
    json::object(|stored| {
        stored.fields(&[("v", &VERSION), ("audience", &event.audience())]);
        codec::encode(event, stored);
    })
}

/// An unknown type is skipped by its audience; a known one that can't be read is an error, unless a
/// newer version wrote it.
fn load(stored: &Value, seq: u64, at: Millis) -> Option<Committed> {
    let fields = stored.as_object()?;
    let version: u32 = field(fields, "v")?;
    let event = match codec::decode(fields.get("type")?.as_str()?, fields.get("data").unwrap_or(&Value::Null)) {
        Ok(event) => event,
        Err(()) if version > VERSION => None,
        Err(()) => return None,
    };
    Some(Committed { seq, at, audience: field(fields, "audience")?, event })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
