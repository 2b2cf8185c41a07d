//! What goes of a thread: runs that have been kept long enough, and what a client deletes.
//!
//! A pure machine over the store, one operation at a time. The thread's entry says first what is to go
//! ([`Kept`]), and so whoever comes after a crash goes on with it: a run is removed only once the entry no
//! longer counts it, or names it as the one that is being removed. Runs of a thread end in the order of
//! their ordinals, so the oldest is looked at first and the first that is to stay ends the walk: the work is
//! linear in what goes, however much stays. A record that can't be read goes
//! with the next one behind it.
//!
//! No run goes that has not ended. An interrupted one goes when its time is over, answered or not; the
//! thread is then as if it had asked nothing. Where only its turn is kept no longer, the entry names it as
//! spent, and the thread takes any run but an answer to it.
//!
//! Where the store can't compare, what is saved here may hide a claim that could not be seen yet: a thread that
//! is deleted within that time of a new run forgets that it has it.

use super::index::{ActiveEntry, Kept, VERSION, save};
use super::keys::ThreadKeys;
use super::record::RunRecord;
use super::removal::{Removal, Remove};
use super::store::{StoreOp, StoreReply, Traits, Version};
use crate::Millis;
use crate::error::ErrorKind;
use walk::{Walk, Walks};

mod walk;

/// How often the thread's entry is read again where others change it.
const TRIES: u32 = 5;

/// How long runs are kept after their end, in milliseconds; absent: until they are deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// All of a run.
    pub runs: Option<Millis>,
    /// What is private of it: the turn that an interrupted run has left. Absent: as long as the run.
    pub private: Option<Millis>,
}

impl Keep {
    /// The time after a run's end when the first of it goes, if anything goes by itself.
    pub fn least(&self) -> Option<Millis> {
        self.runs.into_iter().chain(self.private).min()
    }
}

/// What a sweep is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// What has been kept long enough.
    Upkeep,
    /// That run.
    Run(String),
    /// All of the thread's runs.
    Thread,
}

/// What a sweep wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Swept {
    /// Perform it and feed back the answer.
    Ask(StoreOp),
    /// This run is to go and has not ended. Nothing was touched.
    Active(String),
    /// There is no such run.
    Unknown,
    /// The store is away, or holds what can't be read. What is left is gone on with by the next sweep.
    Failed(ErrorKind),
    /// It is over.
    Done {
        /// When something is to go next.
        next: Option<Millis>,
        /// True if no run of the thread is left.
        empty: bool,
    },
}

enum Stage {
    /// The thread's entry is loaded, or saved so.
    Entry,
    Saving(Box<ActiveEntry>),
    /// The head of the run that is to go, or of the thread's last one before all go.
    Wanted,
    Removing(Removal),
    Walking(Walk),
}

/// One sweep of a thread.
pub struct Sweep {
    keys: ThreadKeys,
    traits: Traits,
    keep: Keep,
    now: Millis,
    goal: Option<Goal>,
    /// Looks also for what has been kept long enough.
    looks: bool,
    stage: Stage,
    entry: ActiveEntry,
    version: Version,
    next: Option<Millis>,
    gone: Vec<String>,
    tries: u32,
}

impl Sweep {
    /// A sweep of the thread of these keys. Where another run of the thread is at work it must not look for what
    /// has been kept long enough (`looks`): that run may be going on with the turn of one that is to go.
    pub fn new(keys: ThreadKeys, traits: Traits, keep: Keep, goal: Goal, looks: bool, now: Millis) -> Self {
        let entry = ActiveEntry { v: VERSION, thread: keys.thread().to_owned(), ..ActiveEntry::default() };
        Sweep {
            keys,
            traits,
            keep,
            now,
            goal: Some(goal),
            looks,
            stage: Stage::Entry,
            entry,
            version: Version::default(),
            next: None,
            gone: Vec::new(),
            tries: 0,
        }
    }

    /// The first operation.
    pub fn begin(&mut self) -> Swept {
        self.stage = Stage::Entry;
        Swept::Ask(StoreOp::Load(self.keys.active()))
    }

    /// Takes the store's answer.
    pub fn replied(&mut self, reply: StoreReply) -> Swept {
        match (std::mem::replace(&mut self.stage, Stage::Entry), reply) {
            (Stage::Entry, StoreReply::Missing) => match self.goal {
                // Where reads may be old, nobody knows that there is nothing.
                Some(Goal::Run(_)) => Swept::Unknown,
                Some(Goal::Thread) if self.traits.staleness > 0 => Swept::Unknown,
                _ => Swept::Done { next: None, empty: true },
            },
            (Stage::Entry, StoreReply::Found(bytes, version)) => match ActiveEntry::decode(&bytes) {
                Err(error) => Swept::Failed(error.kind()),
                Ok(entry) => {
                    (self.entry, self.version) = (entry, version);
                    self.proceed()
                }
            },
            (Stage::Saving(entry), StoreReply::Saved(version)) => {
                (self.entry, self.version) = (*entry, version);
                self.proceed()
            }
            (Stage::Saving(_), StoreReply::Conflict | StoreReply::Uncertain) if self.tries < TRIES => {
                self.tries += 1;
                self.begin()
            }
            (Stage::Wanted, StoreReply::Found(head, _)) => self.found(&head),
            (Stage::Wanted, StoreReply::Missing) => self.wanted(false),
            (Stage::Removing(mut removal), reply) => match removal.replied(reply) {
                Remove::Ask(op) => self.ask(Stage::Removing(removal), op),
                Remove::Failed(kind) => Swept::Failed(kind),
                Remove::Done => {
                    let run = self.entry.kept().removing.unwrap_or_default();
                    // Only now is the goal reached: the save that has marked the run may not have been done.
                    self.goal = self.goal.take().filter(|goal| *goal != Goal::Run(run.clone()));
                    self.gone.push(run);
                    self.save(|entry, kept| {
                        kept.removing = None;
                        if kept.gone {
                            entry.thread = String::new();
                        }
                    })
                }
            },
            (Stage::Walking(walk), reply) => self.walked(walk, reply),
            _ => Swept::Failed(ErrorKind::StoreUnavailable),
        }
    }

    /// The runs that have gone since this was asked last: whoever reads them is to look again.
    pub fn gone(&mut self) -> Vec<String> {
        std::mem::take(&mut self.gone)
    }

    /// What was begun comes first, then what is asked for, then what has been kept long enough.
    fn proceed(&mut self) -> Swept {
        let kept = self.entry.kept();
        if let Some(run) = kept.removing {
            return self.remove(&run);
        }
        if kept.unfinished {
            return self.walk(Walks::Finish);
        }
        match self.goal.clone() {
            Some(Goal::Run(run)) => self.head(Stage::Wanted, &run),
            Some(Goal::Thread) if !self.entry.is_gone() => {
                let last = self.entry.run.clone();
                self.head(Stage::Wanted, &last)
            }
            Some(Goal::Thread) if self.entry.first() <= self.entry.ordinal() => self.all_go(),
            _ if self.looks => {
                self.next = None;
                self.walk(Walks::Runs)
            }
            _ => Swept::Done { next: None, empty: false },
        }
    }

    fn found(&mut self, head: &[u8]) -> Swept {
        let run = match &self.goal {
            Some(Goal::Run(run)) => run,
            _ => &self.entry.run,
        };
        match RunRecord::decode_under(head, &self.keys.run(run)) {
            Err(error) if error.kind() == ErrorKind::RecordTooNew => Swept::Failed(error.kind()),
            Ok(record) if !record.is_ended() => Swept::Active(record.run),
            // What can't be read nobody can go on with.
            _ => self.wanted(true),
        }
    }

    fn wanted(&mut self, has_head: bool) -> Swept {
        match self.goal.clone() {
            Some(Goal::Run(_)) if !has_head => Swept::Unknown,
            // Another instance may have begun it, or may yet.
            Some(Goal::Thread) if !has_head && self.may_begin() => Swept::Active(self.entry.run.clone()),
            Some(Goal::Run(run)) if self.entry.run != run => self.save(move |_, kept| kept.removing = Some(run)),
            Some(Goal::Run(_)) => self.last_goes(),
            _ => self.all_go(),
        }
    }

    fn may_begin(&self) -> bool {
        self.entry.until.is_some_and(|until| !self.traits.is_over(until, self.now))
    }

    /// The thread's last run goes; its ordinal stays taken.
    fn last_goes(&mut self) -> Swept {
        self.save(go)
    }

    fn all_go(&mut self) -> Swept {
        self.save(|entry, kept| {
            kept.first = Some(entry.ordinal().saturating_add(1));
            kept.unfinished = true;
            go(entry, kept);
        })
    }

    fn remove(&mut self, run: &str) -> Swept {
        let (removal, first) = self.removal(run);
        self.ask(Stage::Removing(removal), first)
    }

    fn removal(&self, run: &str) -> (Removal, StoreOp) {
        Removal::begin(self.keys.run(run), self.traits, self.now)
    }

    fn head(&mut self, stage: Stage, run: &str) -> Swept {
        let key = self.keys.run(run).head();
        self.ask(stage, StoreOp::Load(key))
    }

    /// Saves the thread's entry, changed.
    fn save(&mut self, change: impl FnOnce(&mut ActiveEntry, &mut Kept)) -> Swept {
        let (mut entry, mut kept) = (self.entry.clone(), self.entry.kept());
        change(&mut entry, &mut kept);
        entry.kept = Some(kept);
        let expect = self.traits.expects(Some(self.version.clone()));
        let op = save(Vec::new(), self.keys.active(), &entry, expect);
        self.ask(Stage::Saving(Box::new(entry)), op)
    }

    fn ask(&mut self, stage: Stage, op: StoreOp) -> Swept {
        self.stage = stage;
        Swept::Ask(op)
    }

    fn over(&mut self) -> Swept {
        let empty = self.entry.is_gone() && self.entry.first() > self.entry.ordinal();
        Swept::Done { next: self.next, empty }
    }
}

/// The entry's run is gone but for what `removing` names; nothing else of it stays.
fn go(entry: &mut ActiveEntry, kept: &mut Kept) {
    let run = std::mem::take(&mut entry.run);
    if !kept.gone {
        kept.removing = Some(run);
    }
    (kept.gone, kept.spent, entry.answers) = (true, None, None);
    (entry.attempts, entry.until) = (None, None);
}
