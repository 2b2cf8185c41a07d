//! One response of a recording, cut into chunks.

use crate::Millis;
use crate::stored::{Stored, stored_names};
use serde_json::Value;

/// A piece of a response, as it comes off the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// How long after the chunk before it (or after the call) it comes, in milliseconds.
    pub after_ms: Millis,
    /// Raw bytes; never none.
    pub bytes: &'static [u8],
}

/// How a response ends, behind its last chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The body ends.
    Close,
    /// The connection dies.
    Abort,
}

/// Where a response is cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Behind each blank line.
    Frames,
    /// Every so many bytes.
    Every(usize),
    /// At these positions, rising.
    At(Vec<usize>),
}

stored_names!(End { Close = "close", Abort = "abort" });

impl Stored for Cut {
    fn read(value: &Value) -> Option<Self> {
        if value.as_str() == Some("frames") {
            return Some(Cut::Frames);
        }
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        match value.get("every") {
            Some(every) => number(every).map(Cut::Every),
            None => {
                let mut positions = Vec::new();
                for position in value.get("at")?.as_array()? {
                    positions.push(number(position)?);
                }
                Some(Cut::At(positions))
            }
        }
    }
}

/// Gives the chunks of a response; together they are its bytes. Then see [`Playback::end`].
#[derive(Clone, Debug)]
pub struct Playback {
    rest: &'static [u8],
    /// How many bytes were given.
    given: usize,
    after_ms: Millis,
    cut: &'static Cut,
    end: End,
}

impl Playback {
    pub(super) fn new(bytes: &'static [u8], after_ms: Millis, cut: &'static Cut, end: End) -> Self {
        Playback { rest: bytes, given: 0, after_ms, cut, end }
    }

    /// How the response ends once its chunks are given.
    pub fn end(&self) -> End {
        self.end
    }

    /// The length of the next chunk: at least 1, and past the end for the last.
    fn next_length(&self) -> usize {
        match self.cut {
            Cut::Frames => frame(self.rest),
            Cut::Every(length) => *length,
            Cut::At(positions) => {
                let next = positions.partition_point(|position| *position <= self.given);
                positions.get(next).map_or(usize::MAX, |position| position - self.given)
            }
        }
        .max(1)
    }
}

impl Iterator for Playback {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.rest.is_empty() {
            return None;
        }
        let (bytes, rest) = self.rest.split_at_checked(self.next_length()).unwrap_or((self.rest, &[]));
        self.rest = rest;
        self.given += bytes.len();
        Some(Chunk { after_ms: self.after_ms, bytes })
    }
}

/// The length of the first frame with its blank line; of all there is, if none ends.
fn frame(bytes: &[u8]) -> usize {
    let line_ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let blank = line_ends.into_iter().find_map(|at| match bytes.get(at..)? {
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    });
    blank.unwrap_or(bytes.len())
}
