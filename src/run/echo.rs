//! The run's input as it came, kept beside the journal for readers that join.

use super::emitter::Claim;
use super::store::Part;
use crate::error::{Error, ErrorKind};
use crate::input::{Echo, RunInput};
use crate::stored::{decode as read, stored};
use serde::Serialize;
use serde_json::Value;

const VERSION: u32 = 1;

#[derive(Serialize)]
struct StoredOut<'a> {
    v: u32,
    messages: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a Value>,
}

struct StoredIn {
    v: u32,
    messages: Vec<Value>,
    state: Option<Value>,
}
stored!(StoredIn { v, messages, state });

/// The parts that hold the echo, cut to the store's largest value, and how many they are.
pub(super) fn parts(claim: &Claim, input: &RunInput) -> Result<(Vec<Part>, u32), Error> {
    let stored = StoredOut { v: VERSION, messages: &input.echo.messages, state: input.echo.state.as_ref() };
    let bytes = serde_json::to_vec(&stored).map_err(|_| Error::new(ErrorKind::Internal))?;
    let parts: Vec<Part> = bytes
        .chunks(claim.traits.max_value.max(1))
        .zip(0..)
        .map(|(piece, number)| Part { key: claim.keys.echo(&claim.writer, number), value: piece.to_vec() })
        .collect();
    let count = parts.len() as u32;
    Ok((parts, count))
}

/// Reads the joined pieces.
pub(super) fn decode(bytes: &[u8]) -> Result<Echo, Error> {
    let stored: StoredIn = read(bytes).ok_or_else(|| Error::new(ErrorKind::RecordUnreadable))?;
    if stored.v > VERSION {
        return Err(ErrorKind::RecordTooNew.into());
    }
    Ok(Echo { messages: stored.messages, state: stored.state })
}
