//! The model's reasoning, where the provider keeps it apart from text. It is never an answer.

use super::limits::MAX_REASONING;
use crate::event::{PIECE, Plain, pieces};
use crate::redact::Filter;

/// One stretch of thinking after another, each a scope of its own.
pub(super) struct Thinking {
    /// Sent to the customer too.
    pub(super) public: bool,
    tag: String,
    filter: Box<dyn Filter>,
    count: u32,
    open: Option<String>,
    /// The filter was given something of this stretch.
    filtered: bool,
    /// How much of this response is reasoning, in bytes.
    bytes: usize,
}

impl Thinking {
    pub(super) fn new(tag: &str, filter: Box<dyn Filter>) -> Self {
        Thinking { public: false, tag: tag.to_owned(), filter, count: 0, open: None, filtered: false, bytes: 0 }
    }

    /// Counts a piece; false once the response has had more than [`MAX_REASONING`].
    pub(super) fn has_room(&mut self, piece: &str) -> bool {
        self.bytes = self.bytes.saturating_add(piece.len());
        self.bytes <= MAX_REASONING
    }

    /// How many bytes more the response may think.
    pub(super) fn room(&self) -> usize {
        MAX_REASONING.saturating_sub(self.bytes)
    }

    /// Takes a piece; writes what the filter releases.
    pub(super) fn push(&mut self, text: &str, out: &mut Vec<Plain>) {
        self.filtered = true;
        let slice = self.filter.push(text);
        self.write(&slice, out);
    }

    /// Ends the stretch, with the filter's tail.
    pub(super) fn ended(&mut self, out: &mut Vec<Plain>) {
        if std::mem::take(&mut self.filtered) {
            let tail = self.filter.flush();
            self.write(&tail, out);
            self.filter.reset();
        }
        if let Some(message) = self.open.take() {
            out.push(Plain::ThinkingEnd { message, public: self.public });
        }
    }

    /// Ends the stretch of an attempt that failed; the filter's tail is dropped unseen.
    pub(super) fn reset(&mut self, out: &mut Vec<Plain>) {
        self.filter.reset();
        self.ended(out);
        self.bytes = 0;
    }

    /// Writes what has gone through a filter.
    pub(super) fn write(&mut self, slice: &str, out: &mut Vec<Plain>) {
        if slice.is_empty() {
            return;
        }
        let public = self.public;
        let message = match &self.open {
            Some(message) => message.clone(),
            None => {
                self.count += 1;
                let message = format!("{}-t{}", self.tag, self.count);
                out.push(Plain::ThinkingStart { message: message.clone(), public });
                self.open = Some(message.clone());
                message
            }
        };
        for delta in pieces(slice, PIECE) {
            out.push(Plain::ThinkingDelta { message: message.clone(), public, delta: delta.to_owned() });
        }
    }
}
