//! Puts together the halves of a character that a provider sent in two pieces of a text.
//!
//! A provider that cuts text by UTF-16 units may cut between the two halves of a pair. The first then
//! waits for the next text of the same kind. A half whose other half does not come is U+FFFD.

use crate::json::read::{Unit, is_high, pair, replaced, units};
use crate::signal::Signal;

const REPLACEMENT: char = '\u{fffd}';

/// The halves that wait, each with where it belongs: at most one a kind of text, and one a call.
#[derive(Debug, Default)]
pub(super) struct Halves {
    waiting: Vec<(Channel, u16)>,
}

/// Which text a piece goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    Text,
    Reasoning,
    Refusal,
    Arguments(u32),
}

impl Halves {
    /// Settles what was said from that position on. `marked` is true if it came from marked text.
    pub(super) fn settle(&mut self, marked: bool, from: usize, out: &mut Vec<Signal>) {
        if !marked && self.waiting.is_empty() {
            return;
        }
        for signal in out.split_off(from) {
            match signal {
                Signal::Text(text) => self.piece(Channel::Text, text, marked, out),
                Signal::Reasoning(text) => self.piece(Channel::Reasoning, text, marked, out),
                Signal::Refusal(text) => self.piece(Channel::Refusal, text, marked, out),
                Signal::CallArgs { index, delta } => self.piece(Channel::Arguments(index), delta, marked, out),
                // What waits belongs to what is void.
                Signal::ResponseStart { .. } => {
                    self.waiting.clear();
                    out.push(if marked { without_halves(signal) } else { signal });
                }
                Signal::ItemStart { .. }
                | Signal::ItemEnd { .. }
                | Signal::WasReasoning
                | Signal::ProviderTool { .. }
                | Signal::CallEnd { .. }
                | Signal::ResponseEnd(_)
                | Signal::Error(_) => {
                    self.flush(out);
                    out.push(if marked { without_halves(signal) } else { signal });
                }
                name if marked => out.push(without_halves(name)),
                other => out.push(other),
            }
        }
    }

    fn piece(&mut self, channel: Channel, piece: String, marked: bool, out: &mut Vec<Signal>) {
        let waiting = self.waiting.iter().position(|(waits, _)| *waits == channel);
        let mut high = waiting.map(|at| self.waiting.swap_remove(at).1);
        if !marked && high.is_none() {
            return out.push(channel.signal(piece));
        }
        let mut text = String::with_capacity(piece.len());
        let mut unit = |unit: Unit| match (high.take(), unit) {
            (Some(first), Unit::Half(second)) if !is_high(second) => {
                text.push(pair(first, second).unwrap_or(REPLACEMENT));
            }
            (lone, unit) => {
                text.extend(lone.map(|_| REPLACEMENT));
                match unit {
                    Unit::Text(more) => text.push_str(more),
                    Unit::Half(half) if is_high(half) => high = Some(half),
                    Unit::Half(_) => text.push(REPLACEMENT),
                }
            }
        };
        match marked {
            true => units(&piece).for_each(unit),
            false => unit(Unit::Text(&piece)),
        }
        self.waiting.extend(high.map(|half| (channel, half)));
        if !text.is_empty() {
            out.push(channel.signal(text));
        }
    }

    fn flush(&mut self, out: &mut Vec<Signal>) {
        out.extend(self.waiting.drain(..).map(|(channel, _)| channel.signal(REPLACEMENT.to_string())));
    }
}

impl Channel {
    fn signal(self, text: String) -> Signal {
        match self {
            Channel::Text => Signal::Text(text),
            Channel::Reasoning => Signal::Reasoning(text),
            Channel::Refusal => Signal::Refusal(text),
            Channel::Arguments(index) => Signal::CallArgs { index, delta: text },
        }
    }
}

/// A name comes whole, so no half of it waits.
fn without_halves(signal: Signal) -> Signal {
    let replaced = |name: String| replaced(&name).into_owned();
    match signal {
        Signal::ResponseStart { model } => Signal::ResponseStart { model: model.map(replaced) },
        Signal::CallStart { index, id, name } => Signal::CallStart { index, id: replaced(id), name: replaced(name) },
        Signal::ProviderTool { name } => Signal::ProviderTool { name: replaced(name) },
        Signal::ItemEnd { text } => Signal::ItemEnd { text: text.map(replaced) },
        Signal::CallName { index, name } => Signal::CallName { index, name: replaced(name) },
        other => other,
    }
}
