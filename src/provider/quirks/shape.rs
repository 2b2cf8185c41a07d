//! How bytes may be cut, and the order that signals have.

use crate::signal::Signal;
use std::fmt::Write;

/// The same lines, each with that end.
pub(crate) fn with_line_ends(bytes: &[u8], end: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        if byte == b'\r' && rest.peek() == Some(&&b'\n') {
            continue;
        }
        match byte {
            b'\r' | b'\n' => out.extend_from_slice(end.as_bytes()),
            other => out.push(other),
        }
    }
    out
}

/// Cuts bytes into chunks of these lengths, over and over. Not all of them are 0.
pub(crate) fn cut<'a>(mut bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    for length in lengths.iter().cycle() {
        let Some((chunk, rest)) = bytes.split_at_checked(*length) else { break };
        chunks.push(chunk);
        bytes = rest;
    }
    chunks.push(bytes);
    chunks
}

/// A line a signal.
pub(crate) fn lines(signals: &[Signal]) -> String {
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
            Signal::State(state) => writeln!(out, "state {state}"),
            Signal::Kept(kept) => writeln!(out, "kept {kept}"),
            other => writeln!(out, "{other:?}"),
        }
        .unwrap();
    }
    out
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

fn is_end(signal: &Signal) -> bool {
    matches!(signal, Signal::ResponseEnd(_) | Signal::Error(_))
}

/// The same from each start on: what came before it is void.
pub(crate) fn assert_order_from_each_start(signals: &[Signal]) {
    let starts = signals.iter().enumerate().filter(|(_, signal)| matches!(signal, Signal::ResponseStart { .. }));
    let starts: Vec<usize> = starts.map(|(at, _)| at).chain([signals.len()]).collect();
    assert_eq!(starts[0], 0, "{signals:?}");
    for void in starts.windows(2).rev().skip(1) {
        assert!(!signals[void[0]..void[1]].iter().any(is_end), "{signals:?}");
    }
    assert_order(&signals[starts[starts.len() - 2]..]);
}

/// A start first, one end last; calls dense, begun before anything else is said of them and nothing behind
/// their end, and all ended by the response's own; at most one time something is kept.
pub(crate) fn assert_order(signals: &[Signal]) {
    assert!(matches!(signals.first(), Some(Signal::ResponseStart { .. })), "{signals:?}");
    assert!(signals.last().is_some_and(is_end), "{signals:?}");
    assert_eq!(signals.iter().filter(|signal| is_end(signal)).count(), 1, "{signals:?}");
    assert!(signals.iter().filter(|signal| matches!(signal, Signal::Kept(_))).count() <= 1, "{signals:?}");
    let mut open: Vec<bool> = Vec::new();
    for signal in &signals[1..] {
        match signal {
            Signal::ResponseStart { .. } => panic!("a second start: {signals:?}"),
            Signal::CallStart { index, .. } => {
                assert_eq!(*index as usize, open.len(), "{signals:?}");
                open.push(true);
            }
            Signal::CallName { index, .. } | Signal::CallArgs { index, .. } => {
                assert_eq!(open.get(*index as usize), Some(&true), "{signals:?}");
            }
            Signal::CallEnd { index } => {
                assert_eq!(open.get(*index as usize), Some(&true), "{signals:?}");
                open[*index as usize] = false;
            }
            Signal::ResponseEnd(_) => assert!(!open.contains(&true), "{signals:?}"),
            _ => {}
        }
    }
}
