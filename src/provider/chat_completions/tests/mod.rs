//! Each row of the table in [`super::decode`], and what holds for every stream.

mod bodies;
mod calls;
mod chunking;
mod ends;
mod recorded;
mod request;
mod text;

use crate::provider::Format;
use crate::provider::quirks::{self, lines};
use crate::signal::Signal;

/// Decodes a whole stream, given in these chunks.
fn decode_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    quirks::decode_chunks(Format::ChatCompletions, chunks)
}

/// Decodes a whole stream.
pub(crate) fn decode(bytes: impl AsRef<[u8]>) -> Vec<Signal> {
    decode_chunks([bytes.as_ref()])
}

/// A stream of these payloads.
fn stream(payloads: &[&str]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

/// A chunk whose first choice has that delta.
fn delta(delta: &str) -> String {
    format!(r#"{{"model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

/// A stream of chunks with these deltas, with its end.
fn deltas(list: &[&str]) -> String {
    let chunks: String = list.iter().map(|one| format!("data: {}\n\n", delta(one))).collect();
    chunks + "data: [DONE]\n\n"
}

/// What a stream says, a line a signal, without its start and its end.
fn said(bytes: impl AsRef<[u8]>) -> String {
    let signals = decode(bytes);
    let (first, rest) = signals.split_first().unwrap();
    assert!(matches!(first, Signal::ResponseStart { .. }), "{first:?}");
    let (last, rest) = rest.split_last().unwrap();
    assert!(matches!(last, Signal::ResponseEnd(_)), "{last:?}");
    lines(rest)
}

/// The end of a stream.
fn end(bytes: impl AsRef<[u8]>) -> Signal {
    decode(bytes).pop().unwrap()
}
