//! The engine: candidates in step with the text, the spans that they find, and what may be released.
//!
//! Every rule's automaton is anchored, so at each byte a candidate may begin. A candidate is where it began
//! and the state of its automaton; all that are alive are stepped together. What stands before the first of
//! them, the frontier, can't become part of a match any more, whatever follows: it leaves. So nothing is held
//! back longer than the rules themselves need, and what leaves does not depend on how the text was cut.
//!
//! - `machine`: an automaton made ready for the rules that are switched on; what can't match is dead.
//! - `engine`: what all matchers share, and which bytes can begin anything: the others are skipped.
//! - `threads`: the candidates and a step of theirs.
//! - `read`: the loops over the bytes.
//! - `spans`: what was found and has not left.
//! - `raw`: the text, as far back as it is needed.
//! - `release`: what leaves, and in which form.

mod engine;
mod machine;
mod raw;
mod read;
mod release;
mod spans;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod threads;

use super::audit::Audit;
use super::literals::Cursor;
pub(crate) use engine::{Engine, Rule};
pub(crate) use machine::Machine;
use raw::Raw;
use spans::Spans;
use std::rc::Rc;
use threads::{Place, Threads};

/// So many bytes of a piece are read before what they release leaves.
const BLOCK: usize = 16 * 1024;

/// The engine at work on one text.
#[derive(Debug)]
pub(crate) struct Matcher {
    engine: Rc<Engine>,
    raw: Raw,
    /// So many bytes were read.
    at: u64,
    /// All before has left, or was replaced.
    left: u64,
    threads: Threads,
    cursors: [Cursor; 2],
    spans: Spans,
    /// At this place it is to be asked of spans that wait for their value whether they still may.
    alarm: u64,
    steps: u64,
    /// The text ends before this place, since a candidate that began there held back too much.
    cut: u64,
    /// The text has ended before what was found in it.
    blocked: bool,
    /// Something was replaced since this was last asked.
    altered: bool,
    /// Nothing of the text was read.
    fresh: bool,
    audit: Audit,
}

impl Matcher {
    pub(crate) fn new(engine: Rc<Engine>) -> Matcher {
        let audit = Audit::new(engine.rules.len());
        Matcher {
            engine,
            raw: Raw::default(),
            at: 0,
            left: 0,
            threads: Threads::default(),
            cursors: Default::default(),
            spans: Spans::default(),
            alarm: u64::MAX,
            cut: u64::MAX,
            steps: 0,
            blocked: false,
            altered: false,
            fresh: true,
            audit,
        }
    }

    /// Takes a piece of the text and appends what may leave. False if it differs from what was read.
    pub(crate) fn push(&mut self, text: &str, out: &mut String) -> bool {
        self.altered = false;
        if self.fresh && !text.is_empty() && !self.blocked {
            self.fresh = false;
            self.audit.begin();
        }
        let mut rest = text;
        while !rest.is_empty() && !self.blocked {
            let (block, behind) = rest.split_at(rest.ceil_char_boundary(BLOCK));
            rest = behind;
            self.raw.add(block);
            self.read(block.len());
            self.settle(self.frontier(), out);
        }
        !self.altered && (!self.blocked || text.is_empty())
    }

    /// Ends the text: appends what was held back. The matcher is then as new, but stays blocked.
    pub(crate) fn flush(&mut self, out: &mut String) -> bool {
        self.altered = false;
        if !self.blocked {
            let engine = Rc::clone(&self.engine);
            let (bytes, base) = self.raw.bytes();
            let place = Place { engine: &engine, bytes, base };
            let mut found = self.threads.end(place, self.at);
            for (cursor, set) in self.cursors.iter_mut().zip(&engine.literals) {
                if let Some(hit) = cursor.end(set, self.at) {
                    found.add(hit.start, hit.rule);
                }
            }
            if found.start < self.cut {
                self.spans.add(found, self.at);
            }
            self.settle(self.at, out);
        }
        self.clear();
        !self.altered
    }

    /// Drops what is held back, unseen. The matcher is then as new.
    pub(crate) fn abort(&mut self) {
        self.clear();
        self.blocked = false;
    }

    /// How many bytes were read and have neither left nor been replaced.
    pub(crate) fn held(&self) -> usize {
        usize::try_from(self.at - self.left.min(self.at)).unwrap_or(usize::MAX)
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> u64 {
        self.at
    }

    /// How many of them have left, or were replaced.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// How many steps of automata there were so far: one a byte, one a candidate a byte, one a check, and
    /// those of literals.
    pub(crate) fn steps(&self) -> u64 {
        self.cursors.iter().fold(self.steps + self.threads.steps, |steps, cursor| steps + cursor.steps())
    }

    /// True if the text has ended before what was found in it.
    pub(crate) fn blocked(&self) -> bool {
        self.blocked
    }

    /// What was found.
    pub(crate) fn audit(&self) -> &Audit {
        &self.audit
    }

    /// What is shared.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    fn clear(&mut self) {
        self.raw.clear();
        self.threads.clear();
        self.cursors.iter_mut().for_each(Cursor::reset);
        self.spans.list.clear();
        self.audit.close();
        (self.at, self.left, self.alarm, self.cut) = (0, 0, u64::MAX, u64::MAX);
        self.fresh = true;
    }
}
