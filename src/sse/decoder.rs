//! What a provider sends: bytes to messages, one chunk at a time.

use crate::{Error, ErrorKind, Millis};
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
    /// The event's `data` values, each with an LF behind it. Empty means that there was none.
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
        if self.dead {
            return Err(too_large());
        }
        for piece in bytes.split_inclusive(is_line_end) {
            let swallow = std::mem::take(&mut self.after_cr) && piece == b"\n";
            if !swallow {
                self.piece(piece, &mut on_message)?;
            }
        }
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

    /// A line with its end, or the beginning of one without.
    fn piece(&mut self, piece: &[u8], on_message: &mut impl FnMut(Message)) -> Result<(), Error> {
        match piece {
            [text @ .., end @ (b'\n' | b'\r')] => {
                self.admit(text)?;
                self.after_cr = *end == b'\r';
                self.line_ended(text, on_message);
            }
            text => {
                self.admit(text)?;
                copy(text, &mut self.line);
            }
        }
        Ok(())
    }

    /// Refuses what would make the event larger than the limit. The sum is over bytes held, and no
    /// line holds more once it has ended than before, so where it fails does not depend on chunks.
    fn admit(&mut self, text: &[u8]) -> Result<(), Error> {
        let id = self.id.as_ref().map_or(0, Vec::len);
        let held = [self.line.len(), self.data.len(), self.event.len(), id, text.len()];
        if held.into_iter().fold(0, usize::saturating_add) <= self.max_event_bytes {
            return Ok(());
        }
        self.finish();
        self.dead = true;
        Err(too_large())
    }

    fn line_ended(&mut self, text: &[u8], on_message: &mut impl FnMut(Message)) {
        if self.line.is_empty() {
            return self.whole_line(text, on_message);
        }
        let mut line = std::mem::take(&mut self.line);
        copy(text, &mut line);
        self.whole_line(&line, on_message);
        line.clear();
        line.shrink_to(KEPT_BYTES);
        self.line = line;
    }

    fn whole_line(&mut self, line: &[u8], on_message: &mut impl FnMut(Message)) {
        let marked = if std::mem::take(&mut self.at_start) { line.strip_prefix(BYTE_ORDER_MARK) } else { None };
        match marked.unwrap_or(line) {
            [] => self.block_ended(on_message),
            line => self.field(line),
        }
    }

    /// A line without a colon is a name with an empty value. A comment is a field without a name.
    fn field(&mut self, line: &[u8]) {
        let mut halves = line.splitn(2, is_colon);
        let name = halves.next().unwrap_or_default();
        let value = halves.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                copy(value, &mut self.data);
                self.data.push(b'\n');
            }
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
    }

    /// An id counts even if the block has no data; without data there is no message.
    fn block_ended(&mut self, on_message: &mut impl FnMut(Message)) {
        if let Some(id) = self.id.take() {
            self.last_id = Arc::from(text(id));
        }
        let event = std::mem::take(&mut self.event);
        let mut data = std::mem::take(&mut self.data);
        if data.pop().is_none() {
            return;
        }
        let event = if event.is_empty() { "message".to_owned() } else { text(event) };
        on_message(Message { event, data: text(data), id: Arc::clone(&self.last_id) });
    }
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

fn is_line_end(byte: &u8) -> bool {
    touch(1);
    matches!(byte, b'\n' | b'\r')
}

fn is_colon(byte: &u8) -> bool {
    touch(1);
    *byte == b':'
}

/// Counts bytes looked at or copied, so that a test can show linear time. Only tests count.
#[inline(always)]
fn touch(_bytes: usize) {
    #[cfg(all(test, not(target_arch = "wasm32")))]
    tests::TOUCHED.with(|touched| touched.set(touched.get() + _bytes));
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
