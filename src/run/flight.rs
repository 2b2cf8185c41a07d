//! One commit on its way: parts first, the head last, and what each answer of the store means.
//!
//! `Part → Head → (Conflict | Uncertain → Reread → committed | same bytes again | lost)`
//!
//! Where the store can't compare (`super::besteffort`), the head is looked at right before each time that
//! it is written, and a claim is committed only once it has been read back twice, so long after one another
//! that whoever had looked before it was there has written too: `Part → Check → Head`, and for a claim
//! `→ Look → Look → Ends`. The end has a key of its own too, which no claim can hide: it is looked for and
//! written before the head that ends the run, `Part → Check → Ends → End → Head`. An end of somebody else's
//! that is found is put back in the head.

use super::besteffort::{Sight, judge};
use super::keys::RunKeys;
use super::record::RunRecord;
use super::store::{Expect, Guarantee, Head, Part, StoreOp, StoreReply, Traits, Version};
use super::tries::Tries;
use crate::Millis;
use crate::error::Error;
use std::collections::VecDeque;

/// How much longer than the store's reads may be old a claim is looked for, in milliseconds.
const MARGIN: Millis = 10_000;
/// How often a claim is written over a rival's before the looks at it become rarer, and before it is given up.
const QUICK_WRITES: u32 = 3;
const WRITES: u32 = 8;

/// What an answer of the store came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// The commit goes on.
    None,
    /// It is durable, under this version.
    Committed(Version),
    /// Another record stands, or none.
    Lost(Option<Box<RunRecord>>),
    /// A record stands that can't be read, or a newer version than ours has written. It stays as it is.
    Unreadable(Error),
    /// Nothing until then; [`super::Emitter::retry`] lets it go on.
    RetryAt(Millis),
    /// It was tried often enough. Whether it is durable is not known.
    GaveUp,
    /// It is saved, but the claim that it is could not be read back.
    Unseen,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    Part,
    Check,
    Ends,
    End,
    Head,
    Reread,
    Look,
    PutBack,
}

pub(super) struct Flight {
    parts: VecDeque<Part>,
    head: RunRecord,
    /// Its stored form, until it is saved for the first time or changes.
    stored: Option<Vec<u8>>,
    traits: Traits,
    lease: Millis,
    /// The store can't hold this head against a writer that has seen an older one.
    weak: bool,
    stage: Stage,
    tries: Tries,
    asked: bool,
    claim: ClaimLook,
    /// The end that somebody else has written.
    other: Option<Box<RunRecord>>,
}

/// How far a claim has been read back.
#[derive(Default)]
struct ClaimLook {
    /// When it was saved last.
    since: Millis,
    /// It may be there.
    written: bool,
    /// How often it was found since it was written last.
    seen: u32,
    /// How often in a row it was not.
    missed: u32,
    /// How often it was written over another's.
    again: u32,
}

impl Flight {
    /// `stored` is the head's stored form, `lease` how long the writer is taken to live after its save.
    pub(super) fn new(parts: Vec<Part>, head: RunRecord, stored: Vec<u8>, traits: Traits, lease: Millis) -> Self {
        let (stage, tries) = (Stage::Part, Tries::of_save());
        let claims = head.revision <= 1;
        let weak = Guarantee::BestEffort == if claims { traits.claim } else { traits.outcome };
        let claim = ClaimLook { written: !claims, ..ClaimLook::default() };
        let (parts, stored) = (parts.into(), Some(stored));
        Flight { parts, head, stored, traits, lease, weak, stage, tries, asked: false, claim, other: None }
    }

    pub(super) fn head(&self) -> &RunRecord {
        &self.head
    }

    pub(super) fn into_head(self) -> RunRecord {
        self.head
    }

    pub(super) fn retry(&mut self) {
        self.asked = false;
    }

    pub(super) fn poll(&mut self, keys: &RunKeys, version: Option<&Version>) -> Option<StoreOp> {
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let weak = self.weak;
        if self.stage == Stage::Part && (self.traits.batch || self.parts.is_empty()) {
            self.stage = if weak { Stage::Check } else { Stage::Head };
        }
        let head = |value: Vec<u8>, expect| Some(Head { key: keys.head(), value, expect });
        Some(match (self.stage, self.parts.front()) {
            (Stage::Check | Stage::Reread | Stage::Look, _) => StoreOp::Load(keys.head()),
            (Stage::Ends, _) => StoreOp::Load(keys.end()),
            (Stage::End, _) => {
                StoreOp::Save { parts: vec![Part { key: keys.end(), value: self.head.encode() }], head: None }
            }
            (Stage::Part, Some(part)) => StoreOp::Save { parts: vec![part.clone()], head: None },
            (Stage::PutBack, _) => {
                let value = self.other.as_ref().map(|other| other.encode()).unwrap_or_default();
                StoreOp::Save { parts: Vec::new(), head: head(value, Expect::Any) }
            }
            (Stage::Part | Stage::Head, _) => {
                let expect = match (weak, version) {
                    (true, _) => Expect::Any,
                    (false, None) => Expect::Absent,
                    (false, Some(version)) => Expect::Version(version.clone()),
                };
                let stored = self.stored.take().unwrap_or_else(|| self.head.encode());
                StoreOp::Save { parts: self.parts.iter().cloned().collect(), head: head(stored, expect) }
            }
        })
    }

    /// `record` and `version` are what the store acknowledged last.
    pub(super) fn replied(
        &mut self,
        now: Millis,
        reply: StoreReply,
        record: &RunRecord,
        version: Option<&Version>,
    ) -> Progress {
        self.asked = false;
        match (self.stage, reply) {
            (Stage::Check | Stage::Reread | Stage::Look, StoreReply::Found(bytes, found)) => {
                self.reread(now, &bytes, found, record, version)
            }
            (Stage::Check | Stage::Reread | Stage::Look, StoreReply::Missing) if self.weak => {
                self.sees(now, Sight::Old, Version::default(), None)
            }
            (Stage::Ends, StoreReply::Found(bytes, _)) => self.ended(&bytes),
            (Stage::Ends, StoreReply::Missing) if self.head.is_ended() => self.step(Stage::End),
            (Stage::Ends, StoreReply::Missing) => Progress::Committed(Version::default()),
            (Stage::End, StoreReply::Saved(_)) => self.step(Stage::Head),
            (Stage::Reread, StoreReply::Missing) if version.is_none() => self.again(now, Stage::Head),
            (Stage::Reread, StoreReply::Missing) => Progress::Lost(None),
            (Stage::Look, _) => self.look_again(now),
            (Stage::Part, StoreReply::Saved(_)) => {
                self.parts.pop_front();
                self.tries = Tries::of_save();
                self.step(Stage::Part)
            }
            (Stage::Head, StoreReply::Saved(version)) => self.saved(now, version),
            (Stage::Head, StoreReply::Unavailable) => self.write_again(now),
            (Stage::Head, _) => {
                self.claim.written = true;
                self.step(Stage::Reread)
            }
            (Stage::PutBack, StoreReply::Saved(_)) => Progress::Lost(self.other.take()),
            (Stage::PutBack, _) => match self.again(now, Stage::PutBack) {
                Progress::GaveUp => Progress::Lost(self.other.take()),
                wait => wait,
            },
            (stage, _) => self.again(now, stage),
        }
    }

    /// Our revision and writer: it was saved. The previous revision: the same bytes again, under
    /// the same expectation. Anything else: that one stands.
    fn reread(
        &mut self,
        now: Millis,
        bytes: &[u8],
        found: Version,
        record: &RunRecord,
        version: Option<&Version>,
    ) -> Progress {
        let stored = match RunRecord::decode_under(bytes, &self.head.keys()) {
            Ok(stored) => stored,
            Err(error) => return Progress::Unreadable(error),
        };
        if self.weak {
            let sight = judge(&stored, &self.head, self.claim.written, self.traits, now);
            return self.sees(now, sight, found, Some(stored));
        }
        if stored.revision == self.head.revision && stored.writer == self.head.writer {
            return Progress::Committed(found);
        }
        if version.is_some() && stored.revision == record.revision && stored.writer == record.writer {
            return self.again(now, Stage::Head);
        }
        Progress::Lost(Some(Box::new(stored)))
    }

    /// What follows from a look at the head of a store that can't compare.
    fn sees(&mut self, now: Millis, sight: Sight, found: Version, seen: Option<RunRecord>) -> Progress {
        match (self.stage, sight) {
            // The head was written this moment, or was not: what is to stand in it waits.
            (Stage::Reread, Sight::Stands) => match self.yields(seen) {
                Progress::None => self.wait(now + self.traits.min_interval),
                lost => lost,
            },
            (_, Sight::Stands) => self.yields(seen),
            (Stage::Look, Sight::Own) => {
                (self.claim.seen, self.claim.missed) = (self.claim.seen + 1, 0);
                match self.claim.seen {
                    1 => self.wait(now + self.traits.settle()),
                    _ => self.step(Stage::Ends),
                }
            }
            (Stage::Look, Sight::Old) => self.look_again(now),
            // It was looked at this moment, and the last write is a look's time ago.
            (Stage::Look, Sight::Rival) => {
                self.claim.again += 1;
                if self.claim.again > WRITES { Progress::Unseen } else { self.write(now) }
            }
            (_, Sight::Own) => self.saved(now, found),
            (Stage::Reread, _) => self.write_again(now),
            (_, _) if self.head.is_ended() => self.step(Stage::Ends),
            (_, _) => self.write(now),
        }
    }

    /// The head is written next. What it says of the writer's life counts from now on.
    fn write(&mut self, now: Millis) -> Progress {
        self.head.lease = now + self.lease;
        self.stored = None;
        self.step(Stage::Head)
    }

    /// The head is written. A claim is looked at, where others may not have seen it.
    fn saved(&mut self, now: Millis, version: Version) -> Progress {
        if !self.weak || self.head.revision > 1 {
            return Progress::Committed(version);
        }
        self.stage = Stage::Look;
        self.claim = ClaimLook { since: now, written: true, again: self.claim.again, ..ClaimLook::default() };
        let pause = self.traits.settle() << self.claim.again.saturating_sub(QUICK_WRITES);
        self.look_at(now, pause)
    }

    /// The claim is not to be seen (any more): it is looked at again, after a pause that doubles.
    fn look_again(&mut self, now: Millis) -> Progress {
        let pause = self.traits.settle() << self.claim.missed.min(8);
        self.claim.missed += 1;
        self.look_at(now, pause)
    }

    /// The last look is when no read can be as old as the claim any more, well before anybody may take its writer
    /// for gone.
    fn look_at(&mut self, now: Millis, pause: Millis) -> Progress {
        let last = self.claim.since + self.traits.staleness + MARGIN.min(self.lease / 3);
        if now >= last { Progress::Unseen } else { self.wait((now + pause).min(last)) }
    }

    /// The run's end is there: ours, of which the head is not to be seen, or somebody else's.
    fn ended(&mut self, bytes: &[u8]) -> Progress {
        let stored = match RunRecord::decode_under(bytes, &self.head.keys()) {
            Ok(stored) => stored,
            Err(error) => return Progress::Unreadable(error),
        };
        if stored.writer == self.head.writer {
            return self.step(Stage::Head);
        }
        self.put_back(stored)
    }

    fn put_back(&mut self, ended: RunRecord) -> Progress {
        self.other = Some(Box::new(ended));
        self.tries = Tries::of_save();
        self.step(Stage::PutBack)
    }

    /// Another record stands. One that has ended may be hidden by what we have written since.
    fn yields(&mut self, seen: Option<RunRecord>) -> Progress {
        let hides = self.claim.written && self.head.claim().1 == self.head.writer;
        match seen {
            Some(ended) if ended.is_ended() && hides => self.put_back(ended),
            seen => Progress::Lost(seen.map(Box::new)),
        }
    }

    /// The head was not written, or may not have been.
    fn write_again(&mut self, now: Millis) -> Progress {
        self.again(now, if self.weak { Stage::Check } else { Stage::Head })
    }

    fn step(&mut self, stage: Stage) -> Progress {
        self.stage = stage;
        Progress::None
    }

    /// The stage once more after a pause, which keeps the store's least interval between two writes.
    fn again(&mut self, now: Millis, stage: Stage) -> Progress {
        self.stage = stage;
        let Some(at) = self.tries.again(now) else { return Progress::GaveUp };
        self.wait(at.max(now + self.traits.min_interval))
    }

    fn wait(&mut self, at: Millis) -> Progress {
        self.asked = true;
        Progress::RetryAt(at)
    }
}
