//! Each row of the table in [`super::decode`], and what holds for every stream.

mod bodies;
mod calls;
mod chunking;
mod ends;
mod quirks;
mod request;
mod text;

use super::Decoder;
use crate::provider::Decoder as _;
use crate::signal::Signal;
use std::fmt::Write;

/// Decodes a whole stream, given in these chunks.
pub(crate) fn decode_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    chunks.into_iter().for_each(|chunk| decoder.feed(chunk, &mut out));
    decoder.finish(&mut out);
    out
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

/// A line a signal.
fn lines(signals: &[Signal]) -> String {
    let mut out = String::new();
    for signal in signals {
        match signal {
            Signal::Text(text) => writeln!(out, "text {text}"),
            Signal::Reasoning(text) => writeln!(out, "reasoning {text}"),
            Signal::Refusal(text) => writeln!(out, "refusal {text}"),
            Signal::CallStart { index, id, name } => writeln!(out, "call {index} id={id} name={name}"),
            Signal::CallName { index, name } => writeln!(out, "call {index} name={name}"),
            Signal::CallArgs { index, delta } => writeln!(out, "call {index} args {delta}"),
            Signal::CallEnd { index } => writeln!(out, "call {index} end"),
            other => writeln!(out, "{other:?}"),
        }
        .unwrap();
    }
    out
}

/// The end of a stream.
fn end(bytes: impl AsRef<[u8]>) -> Signal {
    decode(bytes).pop().unwrap()
}

/// Neighbouring pieces of the same kind as one.
pub(crate) fn joined(signals: Vec<Signal>) -> Vec<Signal> {
    let mut out: Vec<Signal> = Vec::new();
    for signal in signals {
        match (out.last_mut(), &signal) {
            (Some(Signal::Text(all)), Signal::Text(more))
            | (Some(Signal::Reasoning(all)), Signal::Reasoning(more))
            | (Some(Signal::Refusal(all)), Signal::Refusal(more)) => all.push_str(more),
            (Some(Signal::CallArgs { index, delta }), Signal::CallArgs { index: same, delta: more })
                if index == same =>
            {
                delta.push_str(more);
            }
            _ => out.push(signal),
        }
    }
    out
}
