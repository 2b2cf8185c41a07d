//! A segment as bytes: written into one text, event by event, and read so.
//!
//! Most of its events are pieces of one text, each like the one before but for its delta. What stands in front of that is
//! written and read once. What is not of the form that is written here is left to the parser.

use super::{Committed, VERSION, codec, load, pointer};
use crate::event::{Audience, Event};
use crate::json::body::{body, number, object_end};
use crate::json::{self, Json, Object};
use crate::{Millis, bytes};
use std::ops::Range;

const START: &str = r#"{"v":1,"first":"#;
const AT: &str = r#","at":"#;
const EVENTS: &str = r#","events":["#;
const END: &str = "]}";
const _: () = assert!(VERSION == 1, "what a segment starts with says so");

/// What stands in front of a piece's delta, which is the last of its fields, and behind it. In front of it it can't stand
/// anywhere else: no quote is inside of a string.
const DELTA: &str = r#""delta":""#;
const CLOSE: &str = r#""}}"#;

/// A segment that is being written.
pub(super) struct Writing<'e> {
    first: u64,
    text: String,
    /// Where its events begin.
    events: usize,
    /// The last event, if it is a piece, and what stands in front of its delta.
    piece: Option<(&'e Event, Range<usize>)>,
    large: Vec<(u64, String)>,
}

impl<'e> Writing<'e> {
    pub(super) fn new(first: u64, at: Millis) -> Self {
        let mut text = START.to_owned();
        first.write(&mut text);
        text.push_str(AT);
        at.write(&mut text);
        text.push_str(EVENTS);
        Writing { first, events: text.len(), text, piece: None, large: Vec::new() }
    }

    /// How many bytes its events are.
    pub(super) fn len(&self) -> usize {
        self.text.len() - self.events
    }

    /// Adds an event's stored form. One that is longer than `inline` stands beside the segment, in pieces of `max` bytes.
    /// Gives how many bytes were added.
    pub(super) fn add(&mut self, event: &'e Event, seq: u64, inline: usize, max: usize) -> usize {
        if self.len() > 0 {
            self.text.push(',');
        }
        let from = self.text.len();
        match (&self.piece, event.delta()) {
            (Some((last, before)), Some(delta)) if last.goes_on_with(event) => {
                self.text.extend_from_within(before.clone());
                json::write_body(delta, &mut self.text);
                self.text.push_str(CLOSE);
            }
            (_, delta) => {
                store(event, &mut self.text);
                let before = delta.and_then(|_| before_delta(self.text.get(from..)?));
                self.piece = before.map(|length| (event, from..from + length));
            }
        }
        if self.text.len() - from > inline {
            let whole = self.text.split_off(from);
            self.text.push_str(&pointer(event, whole.len().div_ceil(max.max(1))));
            self.piece = None;
            self.large.push((seq, whole));
        }
        self.text.len() - from
    }

    /// Begins another segment with the last event, which is of so many bytes.
    pub(super) fn cut(&mut self, seq: u64, at: Millis, size: usize) -> Self {
        let last = self.text.split_off(self.text.len() - size);
        self.text.pop();
        let mut next = Writing::new(seq, at);
        next.text.push_str(&last);
        next.large.extend(self.large.pop_if(|(large, _)| *large == seq));
        next
    }

    /// The segment, as it is saved.
    pub(super) fn end(mut self) -> super::Sealing {
        self.text.push_str(END);
        super::Sealing { first: self.first, bytes: self.text.into_bytes(), large: self.large }
    }
}

/// Writes an event's stored form.
fn store(event: &Event, out: &mut String) {
    let mut stored = Object::begin(out);
    stored.fields(&[("v", &VERSION), ("audience", &event.audience())]);
    codec::encode(event, &mut stored);
    stored.end();
}

/// How much of a piece's stored form stands in front of its delta.
fn before_delta(stored: &str) -> Option<usize> {
    Some(stored.find(DELTA)? + DELTA.len())
}

/// Reads a segment of the form that is written here; none if it is not quite of it.
pub(super) fn read(segment: &[u8]) -> Option<Vec<Committed>> {
    let (first, rest) = number(segment.strip_prefix(START.as_bytes())?)?;
    let (at, rest) = number(rest.strip_prefix(AT.as_bytes())?)?;
    let mut rest = rest.strip_prefix(EVENTS.as_bytes())?;
    let (mut committed, mut piece, mut seq) = (Vec::new(), None, first);
    loop {
        let again = piece.as_ref().and_then(|piece: &Piece| piece.read(rest, seq, at));
        let (event, behind) = match again {
            Some(again) => again,
            None => {
                let (stored, behind) = rest.split_at_checked(object_end(rest)?)?;
                let event = load(&serde_json::from_slice(stored).ok()?, seq, at).ok()?;
                piece = Piece::of(stored, &event);
                (event, behind)
            }
        };
        committed.push(event);
        seq = seq.checked_add(1)?;
        match behind.strip_prefix(b",") {
            Some(behind) => rest = behind,
            None => return (behind == END.as_bytes()).then_some(committed),
        }
    }
}

/// A piece of a text, without its delta.
struct Piece<'a> {
    /// What stands in front of the delta.
    before: &'a [u8],
    audience: Audience,
    event: Event,
}

impl<'a> Piece<'a> {
    /// That of an event that was read, if it stands as it is written here.
    fn of(stored: &'a [u8], committed: &Committed) -> Option<Self> {
        let mut event = committed.event.as_ref().filter(|event| event.delta().is_some())?.clone();
        let mut written = String::new();
        store(&event, &mut written);
        let before = stored.get(..before_delta(&written)?).filter(|_| written.as_bytes() == stored)?;
        event.delta_mut()?.clear();
        Some(Piece { before, audience: committed.audience, event })
    }

    /// The next one, if it is of the same text, and what stands behind it.
    fn read<'r>(&self, rest: &'r [u8], seq: u64, at: Millis) -> Option<(Committed, &'r [u8])> {
        let (delta, rest) = body(bytes::behind(rest, self.before)?)?;
        let rest = rest.strip_prefix(CLOSE.as_bytes())?;
        let mut event = self.event.clone();
        *event.delta_mut()? = delta.text()?;
        Some((Committed { seq, at, audience: self.audience, event: Some(event), large: None }, rest))
    }
}
