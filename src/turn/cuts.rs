//! Where the pieces of a held text begin that the provider sent, though they came together and went through the filter as
//! one: there operators are told them apart, where they ask for that.
//!
//! What the filter lets out is the text as it was, a little later, until something is removed. From then on nothing says
//! which piece a byte was of, until the message ends: pieces then go through the filter one by one, and each time it lets
//! something out that is a piece.

use super::TurnOutput;
use crate::event::{PIECE, Plain};
use crate::signal::Signal;
use std::collections::VecDeque;

/// The most pieces that are joined where they stay apart.
const MOST: usize = 512;

#[derive(Default)]
pub(super) struct Cuts {
    /// The lengths of the pieces of each text that was joined and is still to come.
    coming: VecDeque<Vec<usize>>,
    /// Where pieces end that have not left yet, in bytes of the response's text.
    ends: VecDeque<usize>,
    /// How much of that text has left, as it was.
    left: usize,
    lost: bool,
    /// What has left ends within a piece.
    within: bool,
}

/// Where in what leaves another piece begins.
#[derive(Default)]
pub(super) struct Cut {
    pub at: Vec<u32>,
    /// Its beginning belongs to the piece that left last.
    pub goes_on: bool,
}

impl Cuts {
    /// A message begins, with so much of the response's text before it.
    pub(super) fn begin(&mut self, before: usize) {
        self.ends.clear();
        (self.left, self.lost, self.within) = (before, false, false);
    }

    /// True if the text that is being joined may become so long: where pieces stay apart it has a bound, and their number.
    fn takes(&self, length: usize) -> bool {
        length <= PIECE && self.coming.back().is_some_and(|pieces| pieces.len() < MOST)
    }

    /// The pieces of the text that comes next.
    pub(super) fn next(&mut self) -> Option<Vec<usize>> {
        self.coming.pop_front()
    }

    /// A text comes in these pieces, or as one, with so much of the response's before it.
    pub(super) fn come(&mut self, before: usize, text: &str, pieces: Option<Vec<usize>>) {
        if self.lost {
            return;
        }
        let mut end = before;
        for length in pieces.unwrap_or_default() {
            end += length;
            self.ends.push_back(end);
        }
        if end == before {
            self.ends.push_back(before + text.len());
        }
    }

    /// The filter lets something out, of the response's text so far.
    pub(super) fn leave(&mut self, text: &str, slice: &str) -> Cut {
        let mut cut = Cut { at: Vec::new(), goes_on: self.within && !self.lost };
        if self.lost {
            return cut;
        }
        let known = text.get(self.left..).unwrap_or_default();
        let same = known.bytes().zip(slice.bytes()).take_while(|(was, is)| was == is).count();
        let end = self.left + same;
        self.within = true;
        while let Some(at) = self.ends.front().copied().filter(|at| *at <= end) {
            self.ends.pop_front();
            self.within = at < end;
            if self.within {
                cut.at.extend(u32::try_from(at - self.left));
            }
        }
        self.left = end;
        self.lost = same < slice.len();
        if self.lost {
            self.ends.clear();
        }
        cut
    }
}

impl TurnOutput {
    /// Lets events gather before they are taken: pieces of held text are then one, which where each is to stay `apart`
    /// says where.
    pub(crate) fn joining(mut self, apart: bool) -> Self {
        self.joining = Some(apart);
        self
    }

    /// What is to be written, one after the other.
    pub(crate) fn drain_events(&mut self) -> impl Iterator<Item = Plain> {
        self.out.drain(..)
    }

    /// True if something of an early answer is to be written.
    pub(crate) fn has_early(&self) -> bool {
        self.live.has_said()
    }

    /// Joins neighbouring pieces of text, and of reasoning, that have come together: the turn comes to the same. Not where
    /// a bound is near: what operators have seen of a turn that passes it ends with the piece that does.
    pub(crate) fn join(&mut self, signals: &mut Vec<Signal>) {
        self.cuts.coming.clear();
        let apart = self.joining == Some(true);
        let come: usize = signals.iter().filter_map(said).map(str::len).sum();
        if apart && self.cuts.lost || come.saturating_mul(LONGER) > self.room() {
            return;
        }
        let mut joined: Vec<Signal> = Vec::with_capacity(signals.len().min(8));
        for signal in signals.drain(..) {
            match (joined.last_mut(), signal) {
                (_, Signal::Text(nothing)) if nothing.is_empty() => {}
                (Some(Signal::Text(text)), Signal::Text(more))
                    if !apart || self.cuts.takes(text.len() + more.len()) =>
                {
                    text.push_str(&more);
                    if let Some(pieces) = self.cuts.coming.back_mut() {
                        pieces.push(more.len());
                    }
                }
                (Some(Signal::Reasoning(text)), Signal::Reasoning(more)) if !apart => text.push_str(&more),
                (_, Signal::Text(text)) => {
                    if apart {
                        self.cuts.coming.push_back(vec![text.len()]);
                    }
                    joined.push(Signal::Text(text));
                }
                (_, signal) => joined.push(signal),
            }
        }
        *signals = joined;
    }

    /// How many bytes more the response may say, or think.
    fn room(&self) -> usize {
        let held = self.items.iter().map(|held| held.text.len()).max().unwrap_or_default();
        self.max_text.saturating_sub(self.raw.len().max(held)).min(self.thinking.room())
    }
}

/// What stands in the place of something that was removed is taken to be at most so many times longer.
const LONGER: usize = 64;

fn said(signal: &Signal) -> Option<&str> {
    match signal {
        Signal::Text(text) | Signal::Reasoning(text) => Some(text),
        _ => None,
    }
}
