//! The loops over the bytes: where nothing is alive, where one candidate is, and where more is.

use super::Matcher;
use super::threads::{Place, Thread};
use crate::redact::literals::Cursor;
use std::rc::Rc;

impl Matcher {
    /// Reads the last so many bytes that are kept.
    pub(super) fn read(&mut self, count: usize) {
        let engine = Rc::clone(&self.engine);
        let raw = std::mem::take(&mut self.raw);
        let (bytes, base) = raw.bytes();
        let place = Place { engine: &engine, bytes, base };
        let mut at = bytes.len().saturating_sub(count);
        self.steps += count as u64;
        while at < bytes.len() {
            at = self.until(place, at, bytes.len());
            self.at = base + at as u64;
            if self.at >= self.alarm {
                self.ring(place);
            }
        }
        self.raw = raw;
    }

    /// Reads from one place that is kept to another, or to the alarm.
    fn until(&mut self, place: Place<'_>, mut at: usize, end: usize) -> usize {
        loop {
            let alarm = usize::try_from(self.alarm.saturating_sub(place.base)).unwrap_or(usize::MAX);
            let end = end.min(alarm);
            if at >= end {
                return at;
            }
            let idle = self.cursors.iter().all(Cursor::is_idle);
            if idle && self.threads.list.is_empty() {
                at = self.skip(place, at, end);
            }
            if idle && at < end {
                at = self.alone(place, at, end);
            }
            if let Some(&byte) = place.bytes.get(at).filter(|_| at < end) {
                self.every(place, at, byte);
                at += 1;
            }
        }
    }

    /// Nothing is alive: goes on to a byte that may begin something.
    fn skip(&mut self, place: Place<'_>, from: usize, end: usize) -> usize {
        let opens = &place.engine.opens;
        let mut kind = self.kind(place, from);
        let rest = place.bytes.get(from..end).unwrap_or_default();
        let mut skipped = rest.len();
        for (index, &byte) in rest.iter().enumerate() {
            if opens.any.of(byte) & kind != 0 {
                skipped = index;
                break;
            }
            kind = opens.kind(byte);
        }
        self.leave_out(place, from, from + skipped);
        from + skipped
    }

    /// No literal is possible, nor begins in this piece; it is what stands before the next.
    fn leave_out(&mut self, place: Place<'_>, from: usize, to: usize) {
        let piece = place.bytes.get(from..to).unwrap_or_default();
        for (cursor, set) in self.cursors.iter_mut().zip(&place.engine.literals) {
            if !set.is_empty() {
                cursor.skip(set, piece, place.base + to as u64);
            }
        }
    }

    /// No more than one candidate is alive: goes on to a byte at which more is to be done than a step of it.
    fn alone(&mut self, place: Place<'_>, from: usize, end: usize) -> usize {
        let machines = &place.engine.machines;
        let opens = &place.engine.opens;
        let Some(first) = machines.first() else { return from };
        let (mut machine, mut number, mut state, mut start) = match *self.threads.list.as_slice() {
            [] => (first, 0, 0, 0),
            [Thread { machine: number, state, start, .. }] => match machines.get(usize::from(number)) {
                Some(machine) if !machine.careful => (machine, number, state, start),
                _ => return from,
            },
            _ => return from,
        };
        let mut kind = self.kind(place, from);
        let mut at = from;
        let mut steps = 0;
        for &byte in place.bytes.get(from..end).unwrap_or_default() {
            if opens.any.of(byte) & kind != 0 {
                if state != 0 || opens.other.of(byte) & kind != 0 {
                    break;
                }
                (machine, number) = (first, 0);
                state = machine.opened(place.before(place.base + at as u64), byte);
                start = place.base + at as u64;
            } else if state != 0 {
                let next = machine.step(state, byte);
                if !machine.is_plain(next) && next != 0 {
                    break;
                }
                steps += 1;
                state = next;
            }
            kind = opens.kind(byte);
            at += 1;
        }
        self.leave_out(place, from, at);
        self.threads.steps += steps;
        self.threads.list.clear();
        if state != 0 {
            self.threads.list.push(Thread::new(number, state, start));
        }
        at
    }

    /// Anything may be alive: takes one byte.
    fn every(&mut self, place: Place<'_>, index: usize, byte: u8) {
        let at = place.base + index as u64;
        let mut found = self.threads.step(place, at, byte);
        for (cursor, set) in self.cursors.iter_mut().zip(&place.engine.literals) {
            if set.is_empty() {
                continue;
            }
            if let Some(hit) = cursor.step(set, byte, at) {
                found.add(hit.start, hit.rule);
            }
        }
        self.cut = self.cut.min(found.cut);
        if found.start < self.cut {
            let piece = self.spans.add(found, at);
            if piece.waits(place.engine) {
                self.alarm = self.alarm.min(piece.start + place.engine.hold(piece.rule) + 1).max(at + 1);
            }
        }
    }

    /// Asks of spans that wait for their value whether they have waited too long: whether a candidate that is alive
    /// began in one. Of literals the earliest is asked alone.
    fn ring(&mut self, place: Place<'_>) {
        self.alarm = u64::MAX;
        // Those that end before the frontier have their value. The next ones to wait are mostly few.
        let first = self.spans.behind(self.frontier_in(place), self.cut);
        let behind = self.spans.list.get(first..).unwrap_or_default();
        let Some(index) = behind.iter().position(|piece| piece.waits(place.engine)) else { return };
        self.steps += index as u64 + 1;
        let due = behind.get(index).map_or(self.at, |piece| piece.start + place.engine.patience + 1);
        self.alarm = due.max(self.at + 1);
        if self.at < due {
            return;
        }
        let literals = self.cursors.iter().zip(&place.engine.literals);
        for start in literals.filter_map(|(cursor, set)| cursor.frontier(set)) {
            self.spans.began(place.engine, self.at, self.cut, start..start + 1, &|from| Some(from));
        }
        for thread in &self.threads.list {
            let starts = thread.start..thread.origin.max(thread.start + 1);
            let later = |from| self.threads.from(place, thread, from);
            self.spans.began(place.engine, self.at, self.cut, starts, &later);
        }
        if let Some(start) = self.leading(place, 0) {
            let (engine, at, cut) = (place.engine, self.at, self.cut);
            let mut spans = std::mem::take(&mut self.spans);
            spans.began(engine, at, cut, start..at, &|from| self.leading(place, from));
            self.spans = spans;
        }
    }

    /// The smallest start of a candidate that is alive, or where the text that was read ends.
    pub(super) fn frontier(&self) -> u64 {
        let (bytes, base) = self.raw.bytes();
        self.frontier_in(Place { engine: &self.engine, bytes, base })
    }

    fn frontier_in(&self, place: Place<'_>) -> u64 {
        let mut first = self.threads.first().unwrap_or(self.at).min(self.at);
        for (cursor, set) in self.cursors.iter().zip(&place.engine.literals) {
            first = cursor.frontier(set).map_or(first, |start| start.min(first));
        }
        self.leading(place, 0).map_or(first, |start| start.min(first))
    }

    /// The first place, from `least` on, from which what was read last may stand in front of a pattern.
    fn leading(&self, place: Place<'_>, least: u64) -> Option<u64> {
        let before = place.before(self.at);
        let machines = place.engine.backs.iter().filter_map(|&at| place.engine.machines.get(at));
        let starts = machines.filter_map(|machine| {
            let back = machine.lookback.as_ref()?;
            let state = Some(machine.start(before)).filter(|&state| state != 0)?;
            place.reach(back, least.max(self.at.saturating_sub(machine.most(state))), self.at)
        });
        starts.min()
    }

    fn kind(&self, place: Place<'_>, at: usize) -> u32 {
        let before = at.checked_sub(1).and_then(|at| place.bytes.get(at));
        before.map_or(place.engine.opens.none(), |&byte| place.engine.opens.kind(byte))
    }
}
