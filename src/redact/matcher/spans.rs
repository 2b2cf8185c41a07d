//! The spans that are found and not yet done with.

use super::engine::Engine;
use std::ops::Range;

/// What ends at one place, together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The earliest start.
    pub(super) start: u64,
    /// The first rule of those.
    pub(super) rule: u16,
    /// The text ends before a candidate that began here.
    pub(super) cut: u64,
}

impl Found {
    /// Nothing yet.
    pub(super) const NONE: Found = Found { start: u64::MAX, rule: u16::MAX, cut: u64::MAX };

    /// Adds a match that ends at the same place.
    pub(super) fn add(&mut self, start: u64, rule: u16) {
        self.start = self.start.min(start);
        self.rule = self.rule.min(rule);
    }
}

/// A span: matches that share bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The rule that matched first.
    pub(super) rule: u16,
    /// What stands in its place has left.
    pub(super) shown: bool,
    /// It was open for longer than its rule holds back, so its value is not looked at any more.
    pub(super) plain: bool,
}

impl Piece {
    /// True if it still waits for its value.
    pub(super) fn waits(&self, engine: &Engine) -> bool {
        !self.shown && !self.plain && engine.waits(self.rule)
    }
}

/// The spans, in the order of the text; the last grow, the first leave.
#[derive(Debug, Default)]
pub(super) struct Spans {
    pub(super) list: Vec<Piece>,
}

impl Spans {
    /// Takes what ends at `end`, which is behind all that has ended before.
    pub(super) fn add(&mut self, found: Found, end: u64) -> Piece {
        let mut piece = Piece { start: found.start, end, rule: found.rule, shown: false, plain: false };
        // Of those that it overlaps the first one has matched first, and stays what it is.
        while let Some(last) = self.list.last()
            && last.end > piece.start
        {
            piece = Piece { start: last.start.min(piece.start), end, ..*last };
            self.list.pop();
        }
        self.list.push(piece);
        piece
    }

    /// The index of the first that ends behind a place, if the text ends at `cut`.
    pub(super) fn behind(&self, place: u64, cut: u64) -> usize {
        self.list.partition_point(|piece| piece.end.min(cut) <= place)
    }

    /// At `at` candidates are alive that began in that range; `first` gives the first of those starts from a place on.
    /// The spans in which one did and that wait for longer than they may will be plain.
    pub(super) fn began(
        &mut self,
        engine: &Engine,
        at: u64,
        cut: u64,
        starts: Range<u64>,
        first: &dyn Fn(u64) -> Option<u64>,
    ) {
        let index = self.behind(starts.start, cut);
        for piece in self.list.iter_mut().skip(index).take_while(|piece| piece.start < starts.end) {
            let overdue = piece.waits(engine) && at > piece.start + engine.hold(piece.rule);
            let from = piece.start.max(starts.start);
            piece.plain |= overdue && first(from).is_some_and(|start| start < piece.end.min(cut));
        }
    }

    /// Drops the first so many.
    pub(super) fn done(&mut self, count: usize) {
        self.list.drain(..count.min(self.list.len()));
    }
}
