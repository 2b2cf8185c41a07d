//! What a provider sends: bytes to messages, one chunk at a time.

use crate::{Error, ErrorKind, Millis, bytes};
use std::borrow::Cow;
use std::sync::Arc;

/// The most bytes of one unfinished event by default: 16 MiB.
pub const MAX_EVENT_BYTES: usize = 16 << 20;

/// The room for an unfinished line that is kept from one line to the next: 64 KiB.
const KEPT_BYTES: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One event of a stream, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The event's name; `message` where the stream gave none.
    pub event: String,
    /// The payload: its `data` lines joined with LF.
    pub data: String,
    /// The last id that the stream gave, in this event or in one before; empty if there is none.
    pub id: Arc<str>,
}

/// One event of a stream, whole, where it stands.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// The event's name; `message` where the stream gave none.
    pub event: Cow<'a, str>,
    /// The payload, which may be no UTF-8. A single line that came in one chunk is not copied.
    pub data: Cow<'a, [u8]>,
    /// As of [`Message`].
    pub id: &'a Arc<str>,
}

/// An incremental decoder of `text/event-stream`, by the interpretation rules of the WHATWG HTML
/// standard ("Server-sent events").
///
/// The same bytes give the same messages however they are cut. An event is given out with the
/// byte that ends its blank line: a lone CR ends a line at once, and an LF that follows it, in
/// this chunk or a later one, is swallowed. Bytes that are no UTF-8 become U+FFFD. Comments,
/// unknown fields and ids with a NUL are ignored.
///
/// Time is linear in the bytes fed. At most `max_event_bytes` bytes of one unfinished event are
/// held, beside the last id; a byte more is an error, and the decoder is dead from then on.
#[derive(Clone, Debug)]
pub struct Decoder {
    max_event_bytes: usize,
    /// The unfinished line. All four buffers hold raw bytes: every border in the format is ASCII,
    /// so text decoded field by field is what decoding the whole stream would give.
    line: Vec<u8>,
    /// The event's `data` values, each with an LF behind it. Empty means that there was none, or that the only one
    /// stands in the chunk.
    data: Vec<u8>,
    event: Vec<u8>,
    /// The event's `id`; takes effect when its block ends.
    id: Option<Vec<u8>>,
    /// Shared, so that a long id is not copied for each message that inherits it.
    last_id: Arc<str>,
    retry: Option<Millis>,
    /// No line has ended yet: a byte order mark may lead the first.
    at_start: bool,
    /// The last byte was a CR that ended a line.
    after_cr: bool,
    dead: bool,
}

impl Decoder {
    /// A decoder for one stream that holds at most so many bytes of an unfinished event.
    pub fn new(max_event_bytes: usize) -> Self {
        Decoder {
            max_event_bytes,
            line: Vec::new(),
            data: Vec::new(),
            event: Vec::new(),
            id: None,
            last_id: Arc::from(""),
            retry: None,
            at_start: true,
            after_cr: false,
            dead: false,
        }
    }

    /// Takes the stream's next bytes and hands over each message that they end, in order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UpstreamMalformed`] if an event is larger than the limit. The messages before
    /// it have been handed over; every later call gives the same error and no message.
    pub fn feed(&mut self, bytes: &[u8], mut on_message: impl FnMut(Message)) -> Result<(), Error> {
        self.read(bytes, |seen| {
            let (event, data) = (seen.event.into_owned(), text(seen.data.into_owned()));
            on_message(Message { event, data, id: Arc::clone(seen.id) });
        })
    }

    /// The same without copies, where it can be.
    ///
    /// # Errors
    ///
    /// As [`Decoder::feed`].
    pub fn read(&mut self, bytes: &[u8], mut on_event: impl FnMut(Seen<'_>)) -> Result<(), Error> {
        if self.dead {
            return Err(too_large());
        }
        let (mut rest, mut only) = (bytes, None);
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest.starts_with(b"\n") {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = looked(bytes::line_end(rest), rest);
            let (text, end) = rest.split_at(end);
            self.admit(text, only)?;
            let Some((end, behind)) = end.split_first() else {
                copy(text, &mut self.line);
                break;
            };
            rest = behind;
            self.after_cr = *end == b'\r';
            self.line_ended(text, &mut only, &mut on_event);
        }
        self.keep(only);
        Ok(())
    }

    /// The stream is over. The block that no blank line ended is discarded, with its id.
    ///
    /// The decoder is then as new, for the stream of a reconnect, except that it keeps the last
    /// id and the retry time, and that a dead one stays dead.
    pub fn finish(&mut self) {
        *self = Decoder {
            last_id: Arc::clone(&self.last_id),
            retry: self.retry,
            dead: self.dead,
            ..Decoder::new(self.max_event_bytes)
        };
    }

    /// The last id that a block ended with; empty if there is none. An `id` without any data is
    /// in no message, but it is here.
    pub fn last_id(&self) -> &str {
        &self.last_id
    }

    /// The reconnection time that the stream asked for last, in milliseconds. A value that is not
    /// all ASCII digits, or past 64 bits, is ignored.
    pub fn retry(&self) -> Option<Millis> {
        self.retry
    }

    /// Refuses what would make the event larger than the limit. The sum is over bytes held, as if all were, and no
    /// line holds more once it has ended than before, so where it fails does not depend on chunks.
    fn admit(&mut self, text: &[u8], only: Option<&[u8]>) -> Result<(), Error> {
        let id = self.id.as_ref().map_or(0, Vec::len);
        let only = only.map_or(0, |value| value.len() + 1);
        let held = [self.line.len(), self.data.len(), only, self.event.len(), id, text.len()];
        if held.into_iter().fold(0, usize::saturating_add) <= self.max_event_bytes {
            return Ok(());
        }
        self.finish();
        self.dead = true;
        Err(too_large())
    }

    /// `only` is the event's one `data` value, while it stands in the chunk.
    fn line_ended<'c>(&mut self, text: &'c [u8], only: &mut Option<&'c [u8]>, on_event: &mut impl FnMut(Seen<'_>)) {
        if self.line.is_empty() {
            return match self.whole_line(text, *only, on_event) {
                Line::Data(value) if self.data.is_empty() && only.is_none() => *only = Some(value),
                Line::Data(value) => {
                    self.keep(only.take());
                    self.keep(Some(value));
                }
                Line::Block => *only = None,
                Line::Other => {}
            };
        }
        let mut line = std::mem::take(&mut self.line);
        copy(text, &mut line);
        match self.whole_line(&line, *only, on_event) {
            Line::Data(value) => {
                self.keep(only.take());
                self.keep(Some(value));
            }
            Line::Block => *only = None,
            Line::Other => {}
        }
        line.clear();
        line.shrink_to(KEPT_BYTES);
        self.line = line;
    }

    fn keep(&mut self, value: Option<&[u8]>) {
        if let Some(value) = value {
            copy(value, &mut self.data);
            self.data.push(b'\n');
        }
    }

    fn whole_line<'l>(&mut self, line: &'l [u8], only: Option<&[u8]>, on_event: &mut impl FnMut(Seen<'_>)) -> Line<'l> {
        let marked = if std::mem::take(&mut self.at_start) { line.strip_prefix(BYTE_ORDER_MARK) } else { None };
        match marked.unwrap_or(line) {
            [] => {
                self.block_ended(only, on_event);
                Line::Block
            }
            line => self.field(line),
        }
    }

    /// A line without a colon is a name with an empty value. A comment is a field without a name.
    fn field<'l>(&mut self, line: &'l [u8]) -> Line<'l> {
        if let Some(value) = line.strip_prefix(b"data:") {
            return Line::Data(value.strip_prefix(b" ").unwrap_or(value));
        }
        let (name, value) = line.split_at(looked(bytes::find(line, b':'), line));
        let value = value.get(1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => return Line::Data(value),
            b"event" => {
                self.event.clear();
                copy(value, &mut self.event);
            }
            b"id" if !value.contains(&b'\0') => {
                let id = self.id.get_or_insert_default();
                id.clear();
                copy(value, id);
            }
            b"retry" => self.retry = milliseconds(value).or(self.retry),
            _ => {}
        }
        Line::Other
    }

    /// An id counts even if the block has no data; without data there is no message.
    fn block_ended(&mut self, only: Option<&[u8]>, on_event: &mut impl FnMut(Seen<'_>)) {
        if let Some(id) = self.id.take() {
            self.last_id = Arc::from(text(id));
        }
        let data = match only {
            Some(value) => Cow::Borrowed(value),
            None => {
                let mut data = std::mem::take(&mut self.data);
                if data.pop().is_none() {
                    return self.event.clear();
                }
                Cow::Owned(data)
            }
        };
        let event = if self.event.is_empty() { "message".into() } else { String::from_utf8_lossy(&self.event) };
        on_event(Seen { event, data, id: &self.last_id });
        self.event.clear();
        self.event.shrink_to(KEPT_BYTES);
    }
}

/// What a line was.
enum Line<'l> {
    /// A `data` field.
    Data(&'l [u8]),
    /// The end of a block.
    Block,
    /// Anything else.
    Other,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(MAX_EVENT_BYTES)
    }
}

fn too_large() -> Error {
    Error::new(ErrorKind::UpstreamMalformed)
}

/// The value of a `retry` field, if it is one.
fn milliseconds(value: &[u8]) -> Option<Millis> {
    let digits = value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()
}

/// Decodes UTF-8, with U+FFFD for what is none, one for each maximal broken part as the WHATWG
/// Encoding standard has it.
fn text(bytes: Vec<u8>) -> String {
    touch(bytes.len());
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn copy(bytes: &[u8], to: &mut Vec<u8>) {
    touch(bytes.len());
    to.extend_from_slice(bytes);
}

/// Where something was found, or the length of where it was looked for.
fn looked(found: Option<usize>, bytes: &[u8]) -> usize {
    touch(found.map_or(bytes.len(), |at| at + 1));
    found.unwrap_or(bytes.len())
}

/// Counts bytes looked at or copied, so that a test can show linear time. Only tests count.
#[inline(always)]
fn touch(_bytes: usize) {
    #[cfg(all(test, not(target_arch = "wasm32")))]
    tests::TOUCHED.with(|touched| touched.set(touched.get() + _bytes));
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
