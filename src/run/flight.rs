//! One commit on its way: parts first, the head last, and what each answer of the store means.
//!
//! `Check → Part → Head → (Conflict | Uncertain → Reread → committed | same bytes again | lost)`

use super::record::RunRecord;
use super::store::{Expect, Guarantee, Head, Part, StoreOp, StoreReply, Traits, Version};
use super::tries::Tries;
use crate::Millis;
use std::collections::VecDeque;

/// What an answer of the store came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// The commit goes on.
    None,
    /// It is durable, under this version.
    Committed(Version),
    /// Another record stands, or one that can't be read.
    Lost(Option<Box<RunRecord>>),
    /// Nothing until then; [`super::Emitter::retry`] lets it go on.
    RetryAt(Millis),
    /// It was tried often enough. Whether it is durable is not known.
    GaveUp,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    Check,
    Part,
    Head,
    Reread,
}

pub(super) struct Flight {
    parts: VecDeque<Part>,
    head: RunRecord,
    batch: bool,
    stage: Stage,
    tries: Tries,
    asked: bool,
}

impl Flight {
    pub(super) fn new(parts: Vec<Part>, head: RunRecord, traits: Traits) -> Self {
        let stage = match traits.outcome {
            Guarantee::Atomic => Stage::Part,
            Guarantee::BestEffort => Stage::Check,
        };
        Flight { parts: parts.into(), head, batch: traits.batch, stage, tries: Tries::default(), asked: false }
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

    pub(super) fn poll(&mut self, key: &str, version: Option<&Version>) -> Option<StoreOp> {
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        if self.stage == Stage::Part && (self.batch || self.parts.is_empty()) {
            self.stage = Stage::Head;
        }
        Some(match (self.stage, self.parts.front()) {
            (Stage::Check | Stage::Reread, _) => StoreOp::Load(key.to_owned()),
            (Stage::Part, Some(part)) => StoreOp::Save { parts: vec![part.clone()], head: None },
            (Stage::Part | Stage::Head, _) => {
                let expect = version.map_or(Expect::Absent, |version| Expect::Version(version.clone()));
                let head = Head { key: key.to_owned(), value: self.head.encode(), expect };
                StoreOp::Save { parts: self.parts.iter().cloned().collect(), head: Some(head) }
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
            (Stage::Check | Stage::Reread, StoreReply::Found(bytes, found)) => {
                self.reread(now, &bytes, found, record, version)
            }
            (Stage::Check, StoreReply::Missing) if version.is_none() => self.step(Stage::Part),
            (Stage::Reread, StoreReply::Missing) if version.is_none() => self.again(now, Stage::Head),
            (Stage::Check | Stage::Reread, StoreReply::Missing) => Progress::Lost(None),
            (Stage::Part, StoreReply::Saved(_)) => {
                self.parts.pop_front();
                self.tries = Tries::default();
                self.step(Stage::Part)
            }
            (Stage::Head, StoreReply::Saved(version)) => Progress::Committed(version),
            (Stage::Head, StoreReply::Unavailable) => self.again(now, Stage::Head),
            (Stage::Head, _) => self.step(Stage::Reread),
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
        let Ok(stored) = RunRecord::decode(bytes) else { return Progress::Lost(None) };
        if stored.revision == self.head.revision && stored.writer == self.head.writer {
            return Progress::Committed(found);
        }
        if version.is_some() && stored.revision == record.revision && stored.writer == record.writer {
            return match self.stage {
                Stage::Check => self.step(Stage::Part),
                _ => self.again(now, Stage::Head),
            };
        }
        Progress::Lost(Some(Box::new(stored)))
    }

    fn step(&mut self, stage: Stage) -> Progress {
        self.stage = stage;
        Progress::None
    }

    fn again(&mut self, now: Millis, stage: Stage) -> Progress {
        self.stage = stage;
        let Some(at) = self.tries.again(now) else { return Progress::GaveUp };
        self.asked = true;
        Progress::RetryAt(at)
    }
}
