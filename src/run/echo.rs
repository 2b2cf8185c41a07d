//! The run's input as it came, kept beside the journal for readers that join.

use super::keys::RunKeys;
use super::store::Part;
use crate::error::Error;
use crate::input::{Echo, RunInput};
use crate::json;
use crate::stored::{decode_versioned, readable};
use serde_json::Value;

const VERSION: u32 = 1;

struct Stored {
    messages: Vec<Value>,
    state: Option<Value>,
    request: Option<Value>,
}
readable!(Stored { messages, state, request });

/// The writer's parts that hold the echo, each at most `max_value` bytes, and how many they are.
pub(super) fn parts(keys: &RunKeys, writer: &str, max_value: usize, input: &RunInput) -> (Vec<Part>, u32) {
    let Echo { messages, state, request } = &input.echo;
    let stored = json::object(|object| {
        object.fields(&[("v", &VERSION), ("messages", messages), ("state", state), ("request", request)]);
    });
    pieces(stored.as_bytes(), max_value, |number| keys.echo(writer, number))
}

/// A value as parts of at most `max_value` bytes each, and how many they are.
pub(super) fn pieces(value: &[u8], max_value: usize, key: impl Fn(u32) -> String) -> (Vec<Part>, u32) {
    let pieces = value.chunks(max_value.max(1)).zip(0..);
    let parts: Vec<Part> = pieces.map(|(piece, number)| Part { key: key(number), value: piece.to_vec() }).collect();
    let count = parts.len() as u32;
    (parts, count)
}

/// Reads the joined pieces of a run's stored input.
///
/// # Errors
/// [`ErrorKind::RecordUnreadable`](crate::ErrorKind::RecordUnreadable), or [`ErrorKind::RecordTooNew`](crate::ErrorKind::RecordTooNew).
pub fn decode(bytes: &[u8]) -> Result<Echo, Error> {
    let stored: Stored = decode_versioned(bytes, VERSION)?;
    Ok(Echo { messages: stored.messages, state: stored.state, request: stored.request })
}
