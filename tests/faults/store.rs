//! The store under the faults: it keeps what was, and notes a head that moves as none may.

use crate::common::{SCOPE, THREAD};
use lastword::run::{MemoryStore, RunRecord, StoreOp, StoreReply, ThreadKeys, Version};
use std::collections::BTreeMap;

pub fn head_of(run: &str) -> String {
    ThreadKeys::new(SCOPE, THREAD).run(run).head()
}

pub fn record_of(store: &MemoryStore, run: &str) -> Option<RunRecord> {
    store.value(&head_of(run)).map(|head| RunRecord::decode(head).unwrap())
}

/// A store with its past.
pub struct Kept {
    pub store: MemoryStore,
    /// What is done once so many operations have been asked for.
    pub late: Vec<(usize, StoreOp)>,
    /// Each head and each entry as it was, oldest first.
    past: BTreeMap<String, Vec<(Vec<u8>, Version)>>,
    heads: BTreeMap<String, RunRecord>,
    /// How often a head or an entry was written.
    pub moves: usize,
    /// What no head may do.
    pub broken: Vec<String>,
}

impl Kept {
    pub fn new(store: MemoryStore) -> Self {
        let mut kept =
            Kept { store, late: vec![], past: BTreeMap::new(), heads: BTreeMap::new(), moves: 0, broken: vec![] };
        kept.noted();
        kept
    }

    pub fn perform(&mut self, op: StoreOp) -> StoreReply {
        let key = match &op {
            StoreOp::Save { head: Some(head), .. } => Some(head.key.clone()),
            _ => None,
        };
        let reply = self.store.perform(op);
        if let Some(key) = key {
            self.note(&key);
        }
        reply
    }

    /// What has waited until this operation.
    pub fn due(&mut self, number: usize) -> Vec<StoreOp> {
        let (due, late) = std::mem::take(&mut self.late).into_iter().partition(|(at, _)| *at <= number);
        self.late = late;
        due.into_iter().map(|(_, op): (usize, StoreOp)| op).collect()
    }

    /// The value as it was so many saves ago.
    pub fn stale(&mut self, op: StoreOp, back: usize) -> StoreReply {
        let StoreOp::Load(key) = &op else { return self.perform(op) };
        let Some(past) = self.past.get(key) else { return self.perform(op) };
        match past.len().checked_sub(back + 1).and_then(|at| past.get(at)) {
            Some((value, version)) => StoreReply::Found(value.clone(), version.clone()),
            None => StoreReply::Missing,
        }
    }

    /// Takes note of what somebody else has written.
    pub fn noted(&mut self) {
        let keys: Vec<String> = self.store.keys().filter(|key| is_kept(key)).map(str::to_owned).collect();
        keys.iter().for_each(|key| self.note(key));
    }

    fn note(&mut self, key: &str) {
        let StoreReply::Found(value, version) = self.store.perform(StoreOp::Load(key.into())) else { return };
        let past = self.past.entry(key.into()).or_default();
        if past.last().is_some_and(|(_, known)| *known == version) {
            return;
        }
        self.moves += 1;
        let after = key.ends_with("/head").then(|| RunRecord::decode(&value).unwrap());
        if let Some(after) = after
            && let Some(before) = self.heads.insert(key.into(), after.clone())
        {
            let grows = after.sequence >= before.sequence && after.revision > before.revision;
            if before.is_ended() || !grows || before.fingerprint != after.fingerprint {
                let told = |record: &RunRecord| (record.status, record.revision, record.sequence);
                self.broken.push(format!("{:?} is followed by {:?}", told(&before), told(&after)));
            }
        }
        past.push((value, version));
    }
}

/// Heads and entries, which change; parts never do.
fn is_kept(key: &str) -> bool {
    key.ends_with("/head") || key.ends_with("/!active") || key.contains("/!index/")
}
