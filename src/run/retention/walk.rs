//! A walk over a thread's runs in the order of their ordinals: those that it has gone on from, then its last.

use super::super::index::ActiveEntry;
use super::super::keys;
use super::super::record::RunRecord;
use super::super::removal::{BATCH, Removal, Remove};
use super::super::store::{StoreOp, StoreReply};
use super::{Stage, Sweep, Swept};
use crate::Millis;
use crate::error::ErrorKind;
use std::collections::VecDeque;

/// What a walk does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Walks {
    /// Removes the runs that the thread's entry counts no more.
    Finish,
    /// Finds the runs that have been kept long enough.
    Runs,
    /// Removes what is private and has been kept long enough.
    Private,
}

enum Step {
    /// The keys of past entries.
    Page,
    /// A past entry.
    Past,
    Removing(Removal),
    /// The head of a past run.
    Head(String),
    /// The keys of what is private of it, and their removal.
    Private,
    Delete,
    /// What was said of the removed ones.
    Drop,
    /// The head of the thread's last run.
    Last,
}

pub(super) struct Walk {
    walks: Walks,
    step: Step,
    page: VecDeque<String>,
    /// The last key that was listed, if there may be more.
    more: Option<String>,
    /// The key at hand; empty for the thread's last run.
    key: String,
    /// The run at hand.
    run: String,
    /// The ordinal behind the last run that needs nothing more.
    reached: u32,
    /// Keys of entries whose runs are gone.
    done: Vec<String>,
}

impl Walk {
    /// True if the thread's last run is at hand: it has no past entry.
    fn is_last(&self) -> bool {
        self.key.is_empty()
    }
}

/// What a head says of a run's time.
enum Age {
    /// It is over since its end.
    Over { interrupted: bool },
    /// It will be.
    At(Millis),
    /// It has not ended, or a newer version has written it.
    Unknown,
    /// It can't be read: it goes with the next one that goes, which has ended later.
    Damaged,
}

impl Sweep {
    pub(super) fn walk(&mut self, walks: Walks) -> Swept {
        let first = self.entry.first();
        let reached = match walks {
            Walks::Private => first.max(self.entry.kept().cleared.unwrap_or(1)),
            _ => first,
        };
        let (page, done) = Default::default();
        let (key, run) = Default::default();
        let mut walk = Walk { walks, step: Step::Page, page, more: None, key, run, reached, done };
        // Behind the key of the ordinal before.
        walk.more = (walks != Walks::Finish).then(|| self.keys.past(reached.saturating_sub(1)));
        self.page(walk)
    }

    pub(super) fn walked(&mut self, mut walk: Walk, reply: StoreReply) -> Swept {
        match (std::mem::replace(&mut walk.step, Step::Page), reply) {
            (Step::Page, StoreReply::Listed(keys)) => {
                walk.more = keys.last().filter(|_| keys.len() >= BATCH).cloned();
                walk.page = keys.into();
                self.next_past(walk)
            }
            (Step::Past, StoreReply::Found(bytes, _)) => match ActiveEntry::decode(&bytes) {
                Ok(entry) => self.past(walk, entry),
                Err(_) => self.next_past(walk),
            },
            (Step::Past, StoreReply::Missing) => self.next_past(walk),
            (Step::Removing(removal), reply) => self.removing(walk, removal, reply),
            (Step::Head(run), StoreReply::Missing) => {
                walk.run = run;
                self.passed(walk)
            }
            (Step::Head(run), StoreReply::Found(head, _)) => {
                walk.run = run;
                match self.age(walk.walks, &walk.run, &head) {
                    Age::Over { interrupted: true } if walk.walks == Walks::Private => self.clear(walk),
                    Age::Over { .. } => self.passed(walk),
                    Age::At(at) => {
                        self.wants(at);
                        self.stop(walk)
                    }
                    Age::Damaged => self.next_past(walk),
                    Age::Unknown => self.stop(walk),
                }
            }
            (Step::Private, StoreReply::Listed(keys)) if keys.is_empty() => self.passed(walk),
            (Step::Private, StoreReply::Listed(keys)) => self.go_on(walk, Step::Delete, StoreOp::Delete(keys)),
            (Step::Delete, StoreReply::Deleted) => self.clear(walk),
            (Step::Drop, StoreReply::Deleted) => self.page_done(walk),
            (Step::Last, StoreReply::Missing) => self.finish(walk),
            (Step::Last, StoreReply::Found(head, _)) => self.last(walk, &head),
            _ => Swept::Failed(ErrorKind::StoreUnavailable),
        }
    }

    fn go_on(&mut self, mut walk: Walk, step: Step, op: StoreOp) -> Swept {
        walk.step = step;
        self.ask(Stage::Walking(walk), op)
    }

    fn page(&mut self, mut walk: Walk) -> Swept {
        let op = StoreOp::List { prefix: self.keys.pasts(), after: walk.more.take(), limit: BATCH };
        self.go_on(walk, Step::Page, op)
    }

    fn next_past(&mut self, mut walk: Walk) -> Swept {
        let Some(key) = walk.page.pop_front() else { return self.page_done(walk) };
        if walk.walks == Walks::Finish && keys::ordinal(&key).is_none_or(|ordinal| ordinal >= self.entry.first()) {
            (walk.page, walk.more) = (VecDeque::new(), None);
            return self.page_done(walk);
        }
        walk.key.clone_from(&key);
        self.go_on(walk, Step::Past, StoreOp::Load(key))
    }

    fn past(&mut self, mut walk: Walk, entry: ActiveEntry) -> Swept {
        if entry.is_gone() {
            return self.passed(walk);
        }
        if walk.walks == Walks::Finish {
            walk.run.clone_from(&entry.run);
            let (removal, first) = self.removal(&entry.run);
            return self.go_on(walk, Step::Removing(removal), first);
        }
        let head = StoreOp::Load(self.keys.run(&entry.run).head());
        self.go_on(walk, Step::Head(entry.run), head)
    }

    fn removing(&mut self, walk: Walk, mut removal: Removal, reply: StoreReply) -> Swept {
        match removal.replied(reply) {
            Remove::Ask(op) => self.go_on(walk, Step::Removing(removal), op),
            Remove::Done => {
                self.gone.push(walk.run.clone());
                self.passed(walk)
            }
            Remove::Failed(kind) => Swept::Failed(kind),
        }
    }

    /// The run at hand needs nothing more.
    fn passed(&mut self, mut walk: Walk) -> Swept {
        if walk.is_last() {
            let cleared = self.entry.ordinal().saturating_add(1);
            return self.save(|_, kept| kept.cleared = Some(cleared));
        }
        if let Some(ordinal) = keys::ordinal(&walk.key) {
            walk.reached = walk.reached.max(ordinal.saturating_add(1));
        }
        if walk.walks == Walks::Finish {
            let key = std::mem::take(&mut walk.key);
            walk.done.push(key);
        }
        self.next_past(walk)
    }

    fn page_done(&mut self, mut walk: Walk) -> Swept {
        match walk.walks {
            Walks::Finish if walk.done.is_empty() && walk.more.is_none() => {
                self.save(|_, kept| kept.unfinished = false)
            }
            Walks::Finish if !walk.done.is_empty() => {
                let done = std::mem::take(&mut walk.done);
                self.go_on(walk, Step::Drop, StoreOp::Delete(done))
            }
            Walks::Runs if walk.reached > self.entry.first() => self.stop(walk),
            _ if walk.more.is_some() => self.page(walk),
            Walks::Runs if self.entry.is_gone() && self.entry.first() <= self.entry.ordinal() => {
                let first = self.entry.ordinal().saturating_add(1);
                self.save(|_, kept| (kept.first, kept.unfinished) = (Some(first), true))
            }
            _ if self.entry.is_gone() => self.finish(walk),
            _ => {
                walk.key.clear();
                let head = StoreOp::Load(self.keys.run(&self.entry.run).head());
                self.go_on(walk, Step::Last, head)
            }
        }
    }

    fn last(&mut self, mut walk: Walk, head: &[u8]) -> Swept {
        let cleared = self.entry.kept().cleared.unwrap_or(1) > self.entry.ordinal();
        match self.age(walk.walks, &self.entry.run, head) {
            Age::At(at) => self.wants(at),
            Age::Over { .. } if walk.walks == Walks::Runs => return self.last_goes(),
            Age::Over { interrupted: true } if !cleared => {
                walk.run.clone_from(&self.entry.run);
                return self.clear(walk);
            }
            _ => {}
        }
        self.finish(walk)
    }

    /// A run's turn goes. Whoever might answer it is to know first.
    fn clear(&mut self, walk: Walk) -> Swept {
        let may_be_answered = walk.is_last() || self.entry.answers.as_ref() == Some(&walk.run);
        if may_be_answered && self.entry.kept().spent.as_ref() != Some(&walk.run) {
            return self.save(|_, kept| kept.spent = Some(walk.run));
        }
        let op = StoreOp::List { prefix: self.keys.run(&walk.run).private(), after: None, limit: BATCH };
        self.go_on(walk, Step::Private, op)
    }

    /// The run at hand stays, and so do all after it.
    fn stop(&mut self, walk: Walk) -> Swept {
        match walk.walks {
            Walks::Runs if walk.reached > self.entry.first() => self.save(|_, kept| {
                kept.first = Some(walk.reached);
                kept.unfinished = true;
            }),
            _ => self.finish(walk),
        }
    }

    fn finish(&mut self, walk: Walk) -> Swept {
        match walk.walks {
            Walks::Runs if self.keep.private.is_some() => self.walk(Walks::Private),
            Walks::Private if walk.reached > self.entry.first().max(self.entry.kept().cleared.unwrap_or(1)) => {
                self.save(|_, kept| kept.cleared = Some(walk.reached))
            }
            _ => self.over(),
        }
    }

    fn age(&self, walks: Walks, run: &str, head: &[u8]) -> Age {
        let record = match RunRecord::decode_under(head, &self.keys.run(run)) {
            Ok(record) => record,
            Err(error) if error.kind() == ErrorKind::RecordTooNew => return Age::Unknown,
            Err(_) => return Age::Damaged,
        };
        if !record.is_ended() {
            return Age::Unknown;
        }
        let span = if walks == Walks::Private { self.keep.private } else { self.keep.runs };
        let ended = record.times.ended_at.unwrap_or(record.times.started_at);
        match span.map(|span| ended.saturating_add(span)) {
            Some(at) if at <= self.now => Age::Over { interrupted: record.interrupted.is_some() },
            Some(at) => Age::At(at),
            None => Age::At(Millis::MAX),
        }
    }

    /// Something is to go at that time.
    fn wants(&mut self, at: Millis) {
        let at = Some(at).filter(|at| *at < Millis::MAX);
        self.next = self.next.into_iter().chain(at).min();
    }
}
