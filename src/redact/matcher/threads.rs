//! Candidates: what is underway at a place of a text, and one step of all of them.

use super::engine::{Engine, LAST};
use super::machine::{Machine, NONE};
use super::spans::Found;
use crate::redact::rules::Lookback;
use crate::redact::settings::Overflow;

/// Above so many candidates, those in the same state are found by a table.
const FEW: usize = 8;

/// A candidate: where it began and how far its automaton is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) start: u64,
    /// Where its automaton began, behind what stands in front of the pattern.
    pub(super) origin: u64,
    /// What it holds back counts from here: its start, or the end of its last match.
    since: u64,
    pub(super) state: u16,
    pub(super) machine: u16,
    /// It has held back too much, and counts as a match as long as it lives.
    over: bool,
}

impl Thread {
    pub(super) fn new(machine: u16, state: u16, start: u64) -> Thread {
        Thread { start, origin: start, since: start, state, machine, over: false }
    }
}

/// The text around a byte: what is kept of it, and where that begins in the whole.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) engine: &'a Engine,
    pub(super) bytes: &'a [u8],
    pub(super) base: u64,
}

impl Place<'_> {
    fn byte(&self, at: u64) -> Option<u8> {
        self.bytes.get(usize::try_from(at.checked_sub(self.base)?).ok()?).copied()
    }

    /// What stands before a place: a byte, or [`NONE`].
    pub(super) fn before(&self, at: u64) -> usize {
        at.checked_sub(1).and_then(|at| self.byte(at)).map_or(NONE, usize::from)
    }

    /// True if what is kept from one place to another is a match of the rule that counts.
    fn passes(&self, rule: u16, start: u64, end: u64) -> bool {
        self.engine.passes(rule, self.text(start, end), end - start)
    }

    fn text(&self, start: u64, end: u64) -> Option<&[u8]> {
        let from = usize::try_from(start.checked_sub(self.base)?).ok()?;
        let to = usize::try_from(end.checked_sub(self.base)?).ok()?;
        self.bytes.get(from..to)
    }

    /// True if a match may start here, of a pattern that has this in front.
    fn may_start(&self, back: &Lookback, at: u64) -> bool {
        let free = match at.checked_sub(1) {
            Some(before) => self.byte(before).is_none_or(|byte| !back.not_after.contains(byte)),
            None => true,
        };
        free && self.byte(at).is_some_and(|byte| byte & 0xC0 != 0x80)
    }

    /// The first place, from `least` on, from which what may stand in front of a pattern reaches to `to`.
    pub(super) fn reach(&self, back: &Lookback, least: u64, to: u64) -> Option<u64> {
        let least = least.max(to.saturating_sub(u64::from(back.most)));
        let (mut at, mut first) = (to, None);
        while at > least && self.byte(at - 1).is_some_and(|byte| back.class.contains(byte)) {
            at -= 1;
            if self.may_start(back, at) {
                first = Some(at);
            }
        }
        first
    }
}

/// All candidates, by machine those that began earlier first.
#[derive(Debug, Default)]
pub(super) struct Threads {
    pub(super) list: Vec<Thread>,
    /// By state, the last step at which a candidate was seen in it.
    seen: Vec<u32>,
    stamp: u32,
    pub(super) steps: u64,
}

impl Threads {
    /// Takes the byte at `at`: steps every candidate and opens new ones. Gives what ends before the byte.
    pub(super) fn step(&mut self, place: Place<'_>, at: u64, byte: u8) -> Found {
        let engine = place.engine;
        let mut found = Found::NONE;
        let mut kept = 0;
        self.mark(engine);
        for index in 0..self.list.len() {
            let Some(slot) = self.list.get_mut(index) else { break };
            let Some(machine) = engine.machines.get(usize::from(slot.machine)) else { continue };
            self.steps += 1;
            let next = machine.step(slot.state, byte);
            let plain = machine.is_plain(next) && !machine.careful;
            if plain && index == kept && (machine.keeps_apart(next) || index == 0 && self.seen.is_empty()) {
                // Nothing but its state changes, and no other can have come to the same.
                slot.state = next;
                kept += 1;
                continue;
            }
            if next == 0 && !machine.careful {
                continue;
            }
            let mut thread = *slot;
            if plain || self.look(place, machine, &mut thread, next, at, Some(byte), &mut found) {
                thread.state = next;
                kept = self.keep(engine, machine, thread, kept, at);
            }
        }
        self.list.truncate(kept);
        self.open(place, at, byte);
        found
    }

    /// Takes the end of the text. Gives what ends there.
    pub(super) fn end(&mut self, place: Place<'_>, at: u64) -> Found {
        let mut found = Found::NONE;
        for mut thread in std::mem::take(&mut self.list) {
            let Some(machine) = place.engine.machines.get(usize::from(thread.machine)) else { continue };
            self.steps += 1;
            let next = machine.end(thread.state);
            self.look(place, machine, &mut thread, next, at, None, &mut found);
        }
        found
    }

    /// The smallest start of a candidate.
    pub(super) fn first(&self) -> Option<u64> {
        self.list.iter().map(|thread| thread.start).min()
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// All of a step that its table does not say: what matches, what it holds back, how long it is. False if
    /// the candidate is no more.
    #[expect(clippy::too_many_arguments, reason = "a step's whole surroundings")]
    fn look(
        &mut self,
        place: Place<'_>,
        machine: &Machine,
        thread: &mut Thread,
        next: u16,
        at: u64,
        byte: Option<u8>,
        found: &mut Found,
    ) -> bool {
        let mut matched = false;
        for &rule in machine.hits(next) {
            let mut start = Some(thread.start);
            while let Some(from) = start {
                self.steps += 1;
                if place.passes(rule, from, at) {
                    found.add(from, rule);
                    matched = true;
                    break;
                }
                start = self.later(place, machine, thread, from + 1);
            }
        }
        if let Some(bound) = machine.bound {
            let border = byte.is_none_or(|byte| byte & 0xC0 != 0x80);
            let too_much = byte.is_some() && at > thread.start && at - thread.since.min(at) > bound.hold;
            if border && !thread.over && !matched && too_much {
                match bound.overflow {
                    Overflow::Redact => thread.over = true,
                    Overflow::Release => return false,
                    Overflow::Abort => {
                        found.cut = found.cut.min(thread.start);
                        return false;
                    }
                }
            }
            if border && thread.over {
                found.add(thread.start, bound.rule);
            }
        }
        if matched {
            thread.since = at;
        }
        if !machine.is_live(next) {
            return false;
        }
        let least = (at + 1).saturating_sub(machine.most(next));
        if least > thread.start {
            let Some(start) = self.later(place, machine, thread, least) else { return false };
            thread.start = start;
        }
        true
    }

    /// Where a candidate that has something in front of its pattern may start as well, from `least` on.
    fn later(&self, place: Place<'_>, machine: &Machine, thread: &Thread, least: u64) -> Option<u64> {
        let back = machine.lookback.as_ref()?;
        (least.max(thread.start)..thread.origin).find(|&at| place.may_start(back, at))
    }

    /// The first place, from `least` on, at which a candidate may have begun.
    pub(super) fn from(&self, place: Place<'_>, thread: &Thread, least: u64) -> Option<u64> {
        let machine = place.engine.machines.get(usize::from(thread.machine))?;
        if least <= thread.start { Some(thread.start) } else { self.later(place, machine, thread, least) }
    }

    /// Opens what begins with the byte.
    #[inline]
    fn open(&mut self, place: Place<'_>, at: u64, byte: u8) {
        let engine = place.engine;
        let before = place.before(at);
        let kind = u8::try_from(before).map_or(engine.opens.none(), |before| engine.opens.kind(before));
        if engine.opens.any.of(byte) & kind == 0 {
            return;
        }
        let mut machines = engine.opens.machines.of(byte);
        while machines != 0 {
            let number = machines.trailing_zeros() as usize;
            machines &= machines - 1;
            let numbers = if number < LAST { number..number + 1 } else { LAST..engine.machines.len() };
            for number in numbers {
                self.open_one(place, number, before, at, byte);
            }
        }
    }

    /// Opens what begins with the byte, of one machine.
    fn open_one(&mut self, place: Place<'_>, number: usize, before: usize, at: u64, byte: u8) {
        let engine = place.engine;
        let Some(machine) = engine.machines.get(number) else { return };
        let state = machine.opened(before, byte);
        if !machine.is_live(state) {
            return;
        }
        let mut thread = Thread::new(number as u16, state, at);
        let least = (at + 1).saturating_sub(machine.most(state));
        if let Some(back) = &machine.lookback {
            let Some(start) = place.reach(back, least, at) else { return };
            thread.start = start;
            thread.since = start;
        } else if least > at {
            return;
        }
        self.keep(engine, machine, thread, self.list.len(), at);
    }

    /// Keeps a candidate at that index, unless an earlier one has come to the same state and says all that
    /// this one could. Gives the index behind.
    fn keep(&mut self, engine: &Engine, machine: &Machine, thread: Thread, index: usize, at: u64) -> usize {
        if !machine.keeps_apart(thread.state) && self.is_seen(machine, thread.state, index) {
            let earlier = self
                .list
                .iter_mut()
                .take(index)
                .find(|other| other.state == thread.state && other.machine == thread.machine);
            if let Some(earlier) = earlier
                && (at + 1).saturating_sub(thread.start) > engine.apart
                && (earlier.since == thread.since
                    || machine.bound.is_none_or(|bound| bound.overflow == Overflow::Redact))
            {
                earlier.since = earlier.since.min(thread.since);
                earlier.over |= thread.over;
                return index;
            }
        }
        match self.list.get_mut(index) {
            Some(place) => *place = thread,
            None => self.list.push(thread),
        }
        index + 1
    }

    /// True if one of the candidates before the index may be in the state.
    fn is_seen(&mut self, machine: &Machine, state: u16, index: usize) -> bool {
        if self.list.len().max(index) <= FEW && self.seen.is_empty() {
            return index > 0;
        }
        let Some(seen) = self.seen.get_mut(machine.offset + usize::from(state)) else { return true };
        std::mem::replace(seen, self.stamp) == self.stamp
    }

    /// Begins a step, for [`Threads::is_seen`].
    fn mark(&mut self, engine: &Engine) {
        if self.seen.is_empty() && self.list.len() > FEW {
            self.seen = vec![0; engine.states];
        }
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.seen.fill(0);
            self.stamp = 1;
        }
    }
}
