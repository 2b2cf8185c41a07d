//! Finds the segment that holds the next event: by the head's sparse marks, then by bisection.

use super::journal::Committed;
use super::record::RunRecord;

/// The most segments that are loaded in vain in search of one event: bisection of any number needs fewer.
const MOST_VAIN: u32 = 64;

/// Where a reader stands in the journal.
#[derive(Clone, Debug, Default)]
pub(super) struct Locator {
    /// The last sequence number that was handed out.
    position: u64,
    /// The segment to read next, once it is known: the writer's position and the number.
    next: Option<(usize, u32)>,
    /// What bisection has left of a writer's segments.
    range: Option<(usize, u32, u32)>,
    /// How many segments were loaded in vain since the last that was wanted.
    vain: u32,
}

impl Locator {
    /// A reader that wants what comes after a sequence number.
    pub(super) fn at(position: u64) -> Self {
        Locator { position, ..Locator::default() }
    }

    /// The last sequence number that was handed out.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// True if nothing that the head names is left to read.
    pub(super) fn is_past(&self, head: &RunRecord) -> bool {
        self.position >= head.sequence
    }

    /// True if the event that is wanted stands in no segment: the record names what the journal does not hold.
    pub(super) fn is_lost(&self) -> bool {
        self.vain > MOST_VAIN
    }

    /// The writer and the number of the segment to load, if the head names anything newer.
    pub(super) fn wanted<'a>(&self, head: &'a RunRecord) -> Option<(&'a str, u32)> {
        let wanted = self.position + 1;
        if wanted > head.sequence {
            return None;
        }
        let writer = head.writer_of(wanted)?;
        let number = match self.next {
            Some((at, number)) if at == writer => number,
            Some((at, _)) if at < writer => 0,
            _ => {
                let (low, high) = self.range(head, writer, wanted);
                low + (high - low - 1) / 2
            }
        };
        Some((head.writers.get(writer)?.token.as_str(), number))
    }

    /// Takes the segment that was wanted: its events that are new, or none while bisecting.
    pub(super) fn loaded(&mut self, head: &RunRecord, events: Vec<Committed>) -> Vec<Committed> {
        let wanted = self.position + 1;
        let (Some(writer), Some((_, number))) = (head.writer_of(wanted), self.wanted(head)) else { return Vec::new() };
        let (Some(first), Some(last)) = (events.first().map(Committed::seq), events.last().map(Committed::seq)) else {
            self.vain += 1;
            return Vec::new();
        };
        let (low, high) = self.range(head, writer, wanted);
        self.vain += 1;
        if first > wanted && number > low {
            self.range = Some((writer, low, number));
            return Vec::new();
        }
        // None before it holds the wanted one: what is missing is not passed over.
        if first > wanted {
            self.vain = MOST_VAIN + 1;
            return Vec::new();
        }
        if last < wanted {
            match self.next {
                Some((at, number)) if at == writer => self.next = Some((writer, number + 1)),
                _ => self.range = Some((writer, (number + 1).min(high.saturating_sub(1)), high)),
            }
            return Vec::new();
        }
        self.range = None;
        self.vain = 0;
        self.position = last.min(head.sequence);
        self.next = Some((writer, number + 1));
        events.into_iter().filter(|event| event.seq() >= wanted && event.seq() <= head.sequence).collect()
    }

    /// The numbers among which the wanted event's segment is: from `low` up to, not with, `high`.
    fn range(&self, head: &RunRecord, writer: usize, wanted: u64) -> (u32, u32) {
        if let Some((_, low, high)) = self.range.filter(|(at, ..)| *at == writer) {
            return (low, high.max(low + 1));
        }
        let segments = head.writers.get(writer).map_or(1, |writer| writer.segments.max(1));
        let own = head.marks.iter().filter(|mark| mark.writer as usize == writer);
        let low = own.clone().filter(|mark| mark.first <= wanted).map(|mark| mark.segment).max().unwrap_or(0);
        let high = own.filter(|mark| mark.first > wanted).map(|mark| mark.segment).min().unwrap_or(segments);
        (low, high.max(low + 1))
    }
}
