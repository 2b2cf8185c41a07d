//! The stream of a Chat Completions response: bytes → [`Signal`].
//!
//! The format is `data: {chat.completion.chunk}` and, last, `data: [DONE]`. No two services send
//! quite the same. What is known of them, and what becomes of it here (each row has a recording in
//! `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | `content` null, `""`, a string, an array of typed parts, one typed part | text; a part of type `thinking` is reasoning, `refusal` a refusal |
//! | `reasoning_content`, `reasoning`, `reasoning_details`, or several of them | reasoning, of the first that has any |
//! | thinking tags and harmony marks inside text | text, unchanged; [`crate::provider::tags`] reads the tags where it is asked to |
//! | harmony marks behind a tool's name | cut off |
//! | `refusal` | a refusal |
//! | `tool_calls` without `index`, or all with index 0 | told apart by id, by name and by whether the arguments are whole |
//! | `id` null, or repeated, or changing in mid-call; `name` later, repeated, or in pieces | one call |
//! | `arguments` null, or an object | nothing; its JSON text |
//! | entries of `tool_calls` that are all null | nothing |
//! | the old `function_call` | a call; beside `tool_calls`, nothing |
//! | `choices` empty or absent | nothing, but for `usage` |
//! | choices other than 0 | nothing |
//! | a whole `message` where `delta` should be | read, if nothing was streamed |
//! | `usage` on its own, on the finish chunk, in the choice, in `x_groq` | usage |
//! | `finish_reason` beside content, or at top level | the stop reason, once the end comes |
//! | `finish_reason` null or `""` | no end |
//! | `finish_reason` `error` and its kin | [`Fault::Reported`] |
//! | an unknown `finish_reason` | [`crate::signal::Stop::Complete`] |
//! | any `finish_reason` beside calls | the calls count, whatever it says |
//! | `{"error":…}` after HTTP 200, `"object":"error"`, an event named `error` | [`Fault::Reported`] |
//! | comments, empty data, `""`, `null` | nothing |
//! | no space after `data:` | the same as with one |
//! | `[DONE]` missing after a `finish_reason` | an end |
//! | `[DONE]` without a `finish_reason` | an end |
//! | neither | [`Fault::Cut`] |
//! | content or calls behind a `finish_reason` | the same as in front of it |
//! | a second `finish_reason` | the graver of the two: a filter, then a length, then the rest |
//! | anything behind `[DONE]` | nothing |
//! | half a surrogate pair, `"\ud83d"` | the character, if the next piece of that text begins with the other half; else U+FFFD |
//! | bytes that are no UTF-8 | U+FFFD |
//! | data that is no JSON object | [`Fault::Malformed`] |
//! | one JSON body instead of events | the error or the whole answer in it |
//! | a page, a JSON array, compressed bytes | [`Fault::Malformed`], with the first of them |
//!
//! The end is told at `[DONE]` or when the stream is over, so that usage behind the
//! `finish_reason` is not lost. Whether there are calls is never asked of `finish_reason`.
//!
//! Bounds: one event is at most [`MAX_EVENT`] bytes, a body [`MAX_BODY`], a response has at most
//! 128 calls, an id or a name 1 KiB. Past a bound: [`Fault::Malformed`].

use super::response::Response;
use crate::json::read::read_marked;
use crate::provider::halves::Halves;
use crate::signal::{Fault, Signal};
use crate::sse;
use serde_json::Value;

/// The most bytes of one event: 1 MiB.
pub const MAX_EVENT: usize = 1 << 20;

/// The most bytes of a response that is one JSON body: 4 MiB.
pub const MAX_BODY: usize = 4 << 20;

/// Decodes one response.
#[derive(Debug)]
pub struct Decoder {
    shape: Shape,
    events: sse::Decoder,
    body: Vec<u8>,
    response: Response,
    halves: Halves,
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

impl Decoder {
    /// A decoder for a response of which nothing has come yet.
    pub fn new() -> Self {
        Decoder {
            shape: Shape::Unknown { spaced: false },
            events: sse::Decoder::new(MAX_EVENT),
            body: Vec::new(),
            response: Response::default(),
            halves: Halves::default(),
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
                b'{' => {
                    self.shape = Shape::Body;
                    return bytes.get(at..).unwrap_or_default();
                }
                b'<' | b'[' | b'"' | ..b' ' => {
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
        let (response, halves) = (&mut self.response, &mut self.halves);
        let fed = self.events.feed(bytes, |message| {
            let from = out.len();
            let marked = read_message(response, &message, out);
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
            Ok((Value::Object(whole), marked)) => {
                self.response.read_whole(&whole, out);
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
fn read_message(response: &mut Response, message: &sse::Message, out: &mut Vec<Signal>) -> bool {
    if response.is_over() {
        return false;
    }
    if message.event == "error" {
        response.fail(Fault::Reported, out);
        return false;
    }
    match message.data.trim() {
        "" => {}
        "[DONE]" => response.end(out),
        data => match read_marked(data) {
            Ok((Value::Object(chunk), marked)) => {
                response.read(&chunk, out);
                return marked;
            }
            Ok((Value::Null, _)) => {}
            Ok((Value::String(ping), _)) if ping.is_empty() => {}
            _ => response.fail(Fault::Malformed, out),
        },
    }
    false
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl crate::provider::Decoder for Decoder {
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
