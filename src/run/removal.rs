//! The removal of one run, so that it can be taken up again after a crash at any moment.
//!
//! First it is listed no more; then its index entry becomes a tombstone, from which on whoever names it is
//! told that it was deleted; then its head goes, and with or after it all that the head names. So a reader
//! sees the run or its tombstone, and no head names what is gone. Every step can be repeated.

use super::index::{IndexEntry, save};
use super::keys::{self, RunKeys};
use super::store::{StoreOp, StoreReply, Traits, Version};
use crate::Millis;
use crate::error::ErrorKind;

/// The most keys that are listed and deleted at a time.
pub(super) const BATCH: usize = 64;
/// How often an index entry that others change is read again.
const TRIES: u32 = 5;

/// What a removal wants next.
pub(super) enum Remove {
    /// Perform it.
    Ask(StoreOp),
    /// Nothing of the run is left.
    Done,
    /// The store is away. What is left can be taken up from the beginning.
    Failed(ErrorKind),
}

enum Stage {
    Index,
    Unlist(Version),
    Tombstone,
    List,
    Delete,
}

/// One run that goes.
pub(super) struct Removal {
    keys: RunKeys,
    traits: Traits,
    now: Millis,
    stage: Stage,
    tries: u32,
    /// The last key that was listed, where a list may show for long what is deleted, and whether there may be more.
    after: Option<String>,
    more: bool,
}

impl Removal {
    /// The removal of the run of these keys, and its first operation.
    pub(super) fn begin(keys: RunKeys, traits: Traits, now: Millis) -> (Self, StoreOp) {
        let mut removal = Removal { keys, traits, now, stage: Stage::Index, tries: 0, after: None, more: true };
        let first = removal.load();
        (removal, first)
    }

    fn load(&mut self) -> StoreOp {
        self.stage = Stage::Index;
        StoreOp::Load(self.index())
    }

    pub(super) fn replied(&mut self, reply: StoreReply) -> Remove {
        match (&self.stage, reply) {
            (Stage::Index, StoreReply::Found(bytes, version)) => self.indexed(&bytes, version),
            (Stage::Index, StoreReply::Missing) => self.bury(None),
            (Stage::Unlist(version), StoreReply::Deleted) => {
                let version = version.clone();
                self.bury(Some(version))
            }
            (Stage::Tombstone, StoreReply::Saved(_)) => self.list(),
            (Stage::Tombstone, StoreReply::Conflict | StoreReply::Uncertain) if self.tries < TRIES => {
                self.tries += 1;
                Remove::Ask(self.load())
            }
            (Stage::List, StoreReply::Listed(keys)) => self.listed(keys),
            (Stage::Delete, StoreReply::Deleted) if self.more => self.list(),
            (Stage::Delete, StoreReply::Deleted) => Remove::Done,
            _ => Remove::Failed(ErrorKind::StoreUnavailable),
        }
    }

    /// An entry that can't be read names nobody: it is buried as it is. A newer one is left to whoever knows it.
    fn indexed(&mut self, bytes: &[u8], version: Version) -> Remove {
        match IndexEntry::decode(bytes) {
            Err(error) if error.kind() == ErrorKind::RecordTooNew => Remove::Failed(error.kind()),
            Err(_) => self.bury(Some(version)),
            Ok(entry) if entry.deleted_at.is_some() || entry.thread != self.keys.thread() => self.list(),
            Ok(IndexEntry { at: Some(at), .. }) => {
                self.stage = Stage::Unlist(version);
                Remove::Ask(StoreOp::Delete(vec![keys::listed(self.keys.scope(), at, self.keys.name())]))
            }
            Ok(_) => self.bury(Some(version)),
        }
    }

    fn bury(&mut self, known: Option<Version>) -> Remove {
        self.stage = Stage::Tombstone;
        let tombstone = IndexEntry::tombstone(self.now);
        Remove::Ask(save(Vec::new(), self.index(), &tombstone, self.traits.expects(known)))
    }

    /// What is deleted is listed no more, so each list begins anew. Where reads may be old it goes on behind the
    /// last, and what decides goes whether it is listed or not.
    fn list(&mut self) -> Remove {
        self.stage = Stage::List;
        Remove::Ask(StoreOp::List { prefix: self.keys.all(), after: self.after.clone(), limit: BATCH })
    }

    fn listed(&mut self, mut keys: Vec<String>) -> Remove {
        if self.traits.staleness > 0 {
            self.more = keys.len() >= BATCH;
            let first = self.after.is_none();
            self.after = keys.last().cloned();
            if first {
                let decide = [self.keys.head(), self.keys.end()];
                keys.retain(|key| !decide.contains(key));
                keys.splice(0..0, decide);
            }
        }
        if keys.is_empty() {
            return Remove::Done;
        }
        self.stage = Stage::Delete;
        Remove::Ask(StoreOp::Delete(keys))
    }

    fn index(&self) -> String {
        keys::index(self.keys.scope(), self.keys.name())
    }
}
