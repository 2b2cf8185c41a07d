//! The journal: what a run said, in immutable segments. It is the only thing that readers read.

use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Audience, Event, Plain, Sealed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// An event as it is stored: its names are those of the format, never of a wire.
#[derive(Serialize, Deserialize)]
struct Stored {
    v: u32,
    #[serde(rename = "type")]
    name: String,
    audience: Audience,
    #[serde(default)]
    data: Value,
}

#[derive(Serialize)]
struct SegmentOut<'a> {
    v: u32,
    first: u64,
    at: Millis,
    events: &'a [Value],
}

#[derive(Deserialize)]
struct SegmentIn {
    v: u32,
    first: u64,
    at: Millis,
    events: Vec<Stored>,
}

/// A segment ready to be saved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sealing {
    pub first: u64,
    pub bytes: Vec<u8>,
}

/// Numbers events from `first` on and cuts them into segments of at most `max_value` bytes.
pub(super) fn seal(events: &[Event], first: u64, at: Millis, max_value: usize) -> Result<Vec<Sealing>, Error> {
    let limit = max_value.min(TARGET);
    let mut segments = Vec::new();
    let mut batch: Vec<Value> = Vec::new();
    let mut size = ENVELOPE;
    let mut start = first;
    for (event, seq) in events.iter().zip(first..) {
        let stored = store(event)?;
        let bytes = serde_json::to_string(&stored).map_err(internal)?.len() + 1;
        if !batch.is_empty() && size + bytes > limit {
            segments.push(segment(start, at, &batch)?);
            batch.clear();
            size = ENVELOPE;
            start = seq;
        }
        size += bytes;
        batch.push(stored);
    }
    if !batch.is_empty() {
        segments.push(segment(start, at, &batch)?);
    }
    Ok(segments)
}

/// Reads a segment.
///
/// # Errors
/// [`ErrorKind::RecordUnreadable`], or [`ErrorKind::RecordTooNew`] for a newer form.
pub fn decode(bytes: &[u8]) -> Result<Vec<Committed>, Error> {
    let segment: SegmentIn = serde_json::from_slice(bytes).map_err(|_| Error::new(ErrorKind::RecordUnreadable))?;
    if segment.v > VERSION {
        return Err(ErrorKind::RecordTooNew.into());
    }
    segment
        .events
        .into_iter()
        .zip(segment.first..)
        .map(|(stored, seq)| {
            let audience = stored.audience;
            Ok(Committed { seq, at: segment.at, audience, event: load(stored)? })
        })
        .collect()
}

fn segment(first: u64, at: Millis, events: &[Value]) -> Result<Sealing, Error> {
    let bytes = serde_json::to_vec(&SegmentOut { v: VERSION, first, at, events }).map_err(internal)?;
    Ok(Sealing { first, bytes })
}

fn store(event: &Event) -> Result<Value, Error> {
    let named = match event {
        Event::Plain(plain) => serde_json::to_value(plain),
        Event::Sealed(sealed) => serde_json::to_value(sealed),
    };
    let mut named = named.map_err(internal)?;
    if let Some(fields) = named.as_object_mut() {
        fields.insert("v".to_owned(), VERSION.into());
        fields.insert("audience".to_owned(), serde_json::to_value(event.audience()).map_err(internal)?);
    }
    Ok(named)
}

/// An unknown type is skipped by its audience; a known one that can't be read is an error.
fn load(stored: Stored) -> Result<Option<Event>, Error> {
    let Some(family) = family(&stored.name) else { return Ok(None) };
    let mut fields = serde_json::Map::new();
    fields.insert("type".to_owned(), stored.name.into());
    fields.insert("data".to_owned(), stored.data);
    let value = Value::Object(fields);
    let event = match family {
        Family::Plain => serde_json::from_value::<Plain>(value).map(Event::Plain),
        Family::Sealed => serde_json::from_value::<Sealed>(value).map(Event::Sealed),
    };
    match event {
        Ok(event) => Ok(Some(event)),
        Err(_) if stored.v > VERSION => Ok(None),
        Err(_) => Err(ErrorKind::RecordUnreadable.into()),
    }
}

enum Family {
    Plain,
    Sealed,
}

fn family(name: &str) -> Option<Family> {
    match name {
        "intermediate_start" | "intermediate_delta" | "intermediate_end" | "decided" | "narration_start"
        | "narration_delta" | "narration_end" | "thinking_start" | "thinking_delta" | "thinking_end" | "tool_start"
        | "tool_args" | "tool_output" | "tool_end" | "response_ended" | "attempt_reset" | "state" => {
            Some(Family::Plain)
        }
        "started" | "answer_start" | "answer_delta" | "answer_end" | "call_start" | "call_args" | "call_end"
        | "completed" | "interrupted" | "cancelled" | "failed" => Some(Family::Sealed),
        _ => None,
    }
}

fn internal(_: serde_json::Error) -> Error {
    ErrorKind::Internal.into()
}

#[cfg(test)]
mod tests;
