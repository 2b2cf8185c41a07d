//! What the formats share that are event streams of JSON objects, or one JSON body in their place.
//!
//! | seen | becomes |
//! |---|---|
//! | comments, empty data, `""`, `null` | nothing |
//! | no space after `data:` | the same as with one |
//! | an event named `error` | [`Fault::Reported`] |
//! | `[DONE]` | an end, where the format has it |
//! | half a surrogate pair, `"\ud83d"` | the character, if the next piece of that text begins with the other half; else U+FFFD |
//! | bytes that are no UTF-8 | U+FFFD |
//! | data that is no JSON object | [`Fault::Malformed`] |
//! | one JSON body instead of events | what the format makes of it |
//! | a page, compressed bytes | [`Fault::Malformed`], with the first of them |
//! | a stream that is over without its end | [`Fault::Cut`] |
//!
//! Bounds: one event is at most [`MAX_EVENT`] bytes, a body [`MAX_BODY`]. Past a bound: [`Fault::Malformed`].

use super::halves::Halves;
use crate::json::read::read_marked;
use crate::signal::{Fault, Signal};
use crate::sse;
use again::Again;
pub use again::Step;
use serde_json::{Map, Value};
use std::borrow::Cow;

mod again;

/// The most bytes of one event: 1 MiB.
pub const MAX_EVENT: usize = 1 << 20;

/// The most bytes of a response that is one JSON body: 4 MiB.
pub const MAX_BODY: usize = 4 << 20;

/// What is known of one response so far: what each format has of its own. Nothing is read once it is over.
pub trait Response: Default {
    /// A body may be a JSON array.
    const LISTS: bool = false;

    /// True once the end or an error has been told.
    fn is_over(&self) -> bool;

    /// True once the stream has said how the response ended, so that it may be over.
    fn has_finish(&self) -> bool;

    /// Takes the object of an event of that name, `message` where it has none.
    fn event(&mut self, name: &str, object: &Map<String, Value>, out: &mut Vec<Signal>);

    /// What an object tells of which only the text at that path is another each time, whatever has come or comes: that
    /// text, as this signal, unless it is empty. None if it may tell anything else, or change what is known.
    fn tells(&self, _object: &Map<String, Value>, _path: &[Step<'_>]) -> Option<fn(String) -> Signal> {
        None
    }

    /// False if nobody ever looks at an event's member of that name.
    fn reads(_name: &str) -> bool {
        true
    }

    /// Takes `[DONE]`.
    fn done(&mut self, out: &mut Vec<Signal>);

    /// Takes a body that is the whole response, and ends it: an object, or an array where the format has such.
    fn whole(&mut self, body: &Value, out: &mut Vec<Signal>);

    /// The stream is over behind its finish.
    fn end(&mut self, out: &mut Vec<Signal>);

    /// The response died.
    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>);
}

/// Decodes one response of a format.
#[derive(Debug)]
pub struct Framed<R> {
    shape: Shape,
    events: sse::Decoder,
    body: Vec<u8>,
    response: R,
    halves: Halves,
    again: Again,
}

/// What the bytes are, by the first that is no white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// None came yet. True if the last one was a space, which would change the field behind it.
    Unknown { spaced: bool },
    /// An event stream.
    Events,
    /// One JSON body.
    Body,
}

impl<R: Response> Framed<R> {
    /// A decoder for a response of which nothing has come yet.
    pub fn new() -> Self {
        Framed {
            shape: Shape::Unknown { spaced: false },
            events: sse::Decoder::new(MAX_EVENT),
            body: Vec::new(),
            response: R::default(),
            halves: Halves::default(),
            again: Again::default(),
        }
    }

    /// Passes leading white space and returns the rest, whose shape is then known unless it is empty.
    /// A run of spaces counts as one, so that a server that waits with spaces fills no buffer.
    fn sniff<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<Signal>) -> &'a [u8] {
        for (at, &byte) in bytes.iter().enumerate() {
            let Shape::Unknown { spaced } = self.shape else {
                return bytes.get(at..).unwrap_or_default();
            };
            match byte {
                b' ' | b'\t' if spaced => {}
                b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF => {
                    self.shape = Shape::Unknown { spaced: matches!(byte, b' ' | b'\t') };
                    self.read_events(&[byte], out);
                }
                b'[' if !R::LISTS => {
                    self.fail(Fault::Malformed, out);
                    return &[];
                }
                b'{' | b'[' => {
                    self.shape = Shape::Body;
                    return bytes.get(at..).unwrap_or_default();
                }
                b'<' | b'"' | ..b' ' => {
                    self.fail(Fault::Malformed, out);
                    return &[];
                }
                _ => {
                    self.shape = Shape::Events;
                    return bytes.get(at..).unwrap_or_default();
                }
            }
        }
        &[]
    }

    fn read_events(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        if self.response.is_over() {
            return;
        }
        let (response, halves, again) = (&mut self.response, &mut self.halves, &mut self.again);
        let fed = self.events.read(bytes, |event| {
            let from = out.len();
            let marked = read_event(response, again, &event, out);
            halves.settle(marked, from, out);
        });
        if fed.is_err() {
            self.fail(Fault::Malformed, out);
        }
    }

    fn read_body(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        if self.response.is_over() {
            return;
        }
        if self.body.len().saturating_add(bytes.len()) > MAX_BODY {
            self.body = Vec::new();
            return self.fail(Fault::Malformed, out);
        }
        self.body.extend_from_slice(bytes);
    }

    fn finish_body(&mut self, out: &mut Vec<Signal>) {
        let from = out.len();
        let body = std::mem::take(&mut self.body);
        let marked = match read_marked(&String::from_utf8_lossy(&body)) {
            Ok((whole @ (Value::Object(_) | Value::Array(_)), marked)) => {
                self.response.whole(&whole, out);
                marked
            }
            Err(error) if error.is_eof() => return self.fail(Fault::Cut, out),
            _ => return self.fail(Fault::Malformed, out),
        };
        self.halves.settle(marked, from, out);
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<Signal>) {
        let from = out.len();
        self.response.fail(fault, out);
        self.halves.settle(false, from, out);
    }
}

/// True if what was said holds marked halves.
fn read_event<R: Response>(response: &mut R, again: &mut Again, event: &sse::Seen, out: &mut Vec<Signal>) -> bool {
    if response.is_over() || again.read(&event.event, &event.data, response, out) {
        return false;
    }
    if event.event == "error" {
        response.fail(Fault::Reported, out);
        return false;
    }
    if matches!(&*event.data, b"" | b"null" | b"\"\"") {
        return false;
    }
    let text = String::from_utf8_lossy(&event.data);
    match text.trim() {
        "" => {}
        "[DONE]" => response.done(out),
        data => match read_marked(data) {
            Ok((Value::Object(chunk), marked)) => {
                response.event(&event.event, &chunk, out);
                if let (Cow::Borrowed(_), false) = (&text, marked) {
                    again.parsed(&event.event, &event.data, chunk, response);
                }
                return marked;
            }
            Ok((Value::Null, _)) => {}
            Ok((Value::String(ping), _)) if ping.is_empty() => {}
            _ => response.fail(Fault::Malformed, out),
        },
    }
    false
}

impl<R: Response> Default for Framed<R> {
    fn default() -> Self {
        Framed::new()
    }
}

impl<R: Response> super::Decoder for Framed<R> {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>) {
        let rest = self.sniff(bytes, out);
        match self.shape {
            Shape::Unknown { .. } => {}
            Shape::Events => self.read_events(rest, out),
            Shape::Body => self.read_body(rest, out),
        }
    }

    fn finish(&mut self, out: &mut Vec<Signal>) {
        if self.response.is_over() {
            return;
        }
        match self.shape {
            Shape::Body => self.finish_body(out),
            _ if self.has_finished() => {
                let from = out.len();
                self.response.end(out);
                self.halves.settle(false, from, out);
            }
            _ => self.fail(Fault::Cut, out),
        }
    }

    fn has_finished(&self) -> bool {
        self.response.has_finish()
    }
}
