//! Searches the first bytes of a response for what tells its format.

use super::detect;
use crate::json::read::read_marked;
use crate::provider::Format;
use crate::provider::framed::{MAX_BODY, MAX_EVENT};
use crate::signal::Fault;
use crate::sse;
use serde_json::Value;

/// The most bytes that are kept while the format is not known: those of the largest body, 4 MiB.
pub const MAX_SEARCHED: usize = MAX_BODY;

/// What the bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// More are needed.
    NotYet,
    /// This format.
    Format(Format),
    /// They are of none.
    Nothing,
}

/// The bytes so far, and what they are by the first that is no white space.
#[derive(Default)]
pub(super) struct Search {
    kept: Vec<u8>,
    shape: Shape,
    /// An event was read that told nothing.
    heard: bool,
}

#[derive(Default)]
enum Shape {
    #[default]
    Unknown,
    Events(Box<sse::Decoder>),
    Json(Json),
}

impl Search {
    /// Takes bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Found {
        let rest = self.lead(bytes);
        if self.kept.len().saturating_add(rest.len()) > MAX_SEARCHED {
            return Found::Nothing;
        }
        let from = self.kept.len();
        self.kept.extend_from_slice(rest);
        match &mut self.shape {
            _ if rest.is_empty() => Found::NotYet,
            Shape::Unknown => Found::Nothing,
            Shape::Events(events) => in_events(events, rest, &mut self.heard),
            Shape::Json(json) => json.read(&self.kept, from),
        }
    }

    /// The bytes that were kept.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept)
    }

    /// What it is that the response is over here.
    pub(super) fn fault(&self) -> Fault {
        let ended = match self.shape {
            Shape::Json(_) => read_marked(&String::from_utf8_lossy(&self.kept)).is_err_and(|error| error.is_eof()),
            _ => !self.heard,
        };
        if ended { Fault::Cut } else { Fault::Malformed }
    }

    /// Passes leading white space and returns the rest. Of what stands in front of a line end nothing is kept, and of
    /// a run of spaces one, so that a server that waits so fills no buffer.
    fn lead<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        for (at, &byte) in bytes.iter().enumerate() {
            if !matches!(self.shape, Shape::Unknown) {
                return bytes.get(at..).unwrap_or_default();
            }
            match byte {
                b'\r' | b'\n' => self.kept.clear(),
                b' ' | b'\t' if self.kept.ends_with(b" ") => {}
                b' ' | b'\t' => self.kept.push(b' '),
                0xEF | 0xBB | 0xBF => self.kept.push(byte),
                b'{' | b'[' => {
                    self.kept.clear();
                    self.shape = Shape::Json(Json::default());
                    return bytes.get(at..).unwrap_or_default();
                }
                b'<' | b'"' | ..b' ' => return bytes.get(at..).unwrap_or_default(),
                _ => {
                    let mut events = sse::Decoder::new(MAX_EVENT);
                    // What leads changes the first line.
                    let _ = events.feed(&self.kept, |_| {});
                    self.shape = Shape::Events(Box::new(events));
                    return bytes.get(at..).unwrap_or_default();
                }
            }
        }
        &[]
    }
}

fn in_events(events: &mut sse::Decoder, bytes: &[u8], heard: &mut bool) -> Found {
    let mut found = Found::NotYet;
    let fed = events.feed(bytes, |message| {
        if found == Found::NotYet {
            found = of_message(&message, heard);
        }
    });
    match (fed, found) {
        (Err(_), Found::NotYet) => Found::Nothing,
        (_, found) => found,
    }
}

fn of_message(message: &sse::Message, heard: &mut bool) -> Found {
    let told = match message.data.trim() {
        "" => return Found::NotYet,
        "[DONE]" => return Found::Format(Format::ChatCompletions),
        data => read_marked(data).map(|(value, _)| value),
    };
    match told {
        Ok(Value::Null) => Found::NotYet,
        Ok(Value::String(ping)) if ping.is_empty() => Found::NotYet,
        Ok(Value::Object(object)) => match detect::of_event(&message.event, &object) {
            Some(format) => Found::Format(format),
            None => {
                *heard = true;
                Found::NotYet
            }
        },
        _ if message.event == "error" => Found::Format(Format::ChatCompletions),
        _ => Found::Nothing,
    }
}

/// Where the first object ends: one that stands alone, or is the first of an array.
#[derive(Default)]
struct Json {
    /// Where it begins.
    first: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// It stands in an array.
    listed: bool,
}

impl Json {
    fn read(&mut self, kept: &[u8], from: usize) -> Found {
        for (at, byte) in kept.iter().enumerate().skip(from) {
            match byte {
                b'\r' | b'\n' if self.in_string => return Found::Nothing,
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => {
                    if self.depth == usize::from(self.listed) {
                        self.first = at;
                    }
                    self.listed |= self.depth == 0 && *byte == b'[';
                    self.depth += 1;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    match self.ended(kept, at) {
                        Found::NotYet => {}
                        found => return found,
                    }
                }
                _ => {}
            }
        }
        Found::NotYet
    }

    /// What a closing bracket at that place comes to.
    fn ended(&self, kept: &[u8], at: usize) -> Found {
        if self.depth < usize::from(self.listed) {
            return Found::Nothing;
        }
        if self.depth > usize::from(self.listed) {
            return Found::NotYet;
        }
        let object = kept.get(self.first..=at).map(|object| read_marked(&String::from_utf8_lossy(object)));
        let Some(Ok((Value::Object(object), _))) = object else { return Found::Nothing };
        match detect::of_body(&object, self.listed) {
            Some(format) => Found::Format(format),
            // Another object may follow, on a line of its own.
            None => Found::NotYet,
        }
    }
}
