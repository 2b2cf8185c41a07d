//! A claim where other instances claim in the same thread, and where the store can't compare.
//!
//! A run that another instance holds is left alone until its lease, and all the time that a read may be old,
//! is over; then the next claim has it sealed. A run that was admitted elsewhere and has no head yet may still
//! begin until the time that its entry names; whoever admitted it begins it well before, with a quarter of a lease
//! left for its first save. Only a save that takes longer than that could still meet another run.
//!
//! Where the store can't compare, every key is loaded before it is saved, and the thread's entry is read back
//! before the run is admitted. Two different runs that ask for a thread at the same moment, each before the
//! other's entry can be seen, may then both begin.

use super::super::index::ActiveEntry;
use super::super::protocol::Reply;
use super::super::record::RunRecord;
use super::super::store::Owner;
use super::claiming::Stage;
use super::{Thread, ThreadAction};
use crate::Millis;
use crate::error::{Error, ErrorKind};

/// How much longer than reads may be old the thread's entry is looked for, in milliseconds.
const MARGIN: Millis = 10_000;

impl Thread {
    /// True if no other instance can hold one of its runs.
    pub(super) fn is_exclusive(&self) -> bool {
        self.traits.owner == Owner::Exclusive
    }

    /// Until when a run that is admitted now may begin, where that is for others to know.
    pub(super) fn may_begin_until(&self) -> Option<Millis> {
        (!self.is_exclusive()).then(|| self.now + self.lease)
    }

    /// True if a run whose head is not to be seen may still get one from the instance that admitted it.
    pub(super) fn may_begin(&self, until: Option<Millis>) -> bool {
        until.is_some_and(|until| !self.traits.is_over(until, self.now))
    }

    /// The thread is given to the run. The entry that it replaces is kept first, where the store takes one value at
    /// a time.
    pub(super) fn enter(&mut self) {
        let keeps = !self.traits.batch && self.claiming.as_ref().is_some_and(|claim| claim.past.is_some());
        self.go(if keeps { Stage::SavePast } else { Stage::SaveActive });
    }

    /// A save of the thread's entry that comes too soon after the last for the store: when it may.
    pub(super) fn entry_waits(&self) -> Option<Millis> {
        let may = self.entry_saved? + self.traits.min_interval;
        (may > self.now).then_some(may)
    }

    /// The store has not done the step. Where it can't compare, what others may have saved meanwhile is loaded
    /// before anything is saved.
    pub(super) fn away(&mut self, now: Millis, stage: Stage) {
        let from = match stage {
            Stage::SaveIndex if self.traits.is_weak() => Some(Stage::LoadIndex),
            // Whoever claims the same run writes the same there: once it is there, nothing is to be written.
            Stage::SaveListed if self.traits.is_weak() => Some(Stage::LoadListed),
            Stage::SavePast | Stage::SaveActive if self.traits.is_weak() => Some(Stage::LoadActive),
            _ => None,
        };
        self.again(now, from);
    }

    /// The head of the run that is asked for is there: it is joined, whoever holds it. No machine is made, which
    /// might not see the head again and claim the run. Whoever reads it finds out if its writer is gone.
    pub(super) fn join(&mut self, bytes: &[u8]) {
        let Some(claim) = &self.claiming else { return };
        match RunRecord::decode_under(bytes, &self.keys.run(&claim.input.run)) {
            Err(error) => self.refuse(error),
            Ok(record) if record.fingerprint != claim.input.fingerprint => self.refuse(ErrorKind::RunConflict.into()),
            Ok(_) => {
                self.out.push(ThreadAction::Reply(claim.request, Reply::Join));
                self.claiming = None;
            }
        }
    }

    /// The thread's entry was read back: it must name the run. One that is as before is merely old.
    pub(super) fn entry_seen(&mut self, bytes: &[u8]) {
        let Some(claim) = &self.claiming else { return };
        match ActiveEntry::decode(bytes) {
            Err(error) => return self.refuse(error),
            Ok(entry) if entry.run == claim.input.run => return self.saved(),
            Ok(_) => {}
        }
        if claim.past.as_deref() == Some(bytes) {
            return self.entry_unseen();
        }
        self.again(self.now, Some(Stage::LoadActive));
    }

    /// The thread's entry is not to be seen yet: it is looked for again, after a pause that doubles.
    pub(super) fn entry_unseen(&mut self) {
        let (now, staleness) = (self.now, self.traits.staleness);
        let Some(claim) = &mut self.claiming else { return };
        let last = *claim.looks.since.get_or_insert(now) + staleness + MARGIN;
        if now >= last {
            return self.refuse(Error::new(ErrorKind::MaybeStale).after(staleness));
        }
        let pause = self.traits.settle() << claim.looks.missed.min(8);
        claim.looks.missed += 1;
        self.pause = Some((now + pause).min(last));
    }

    /// The run that holds the thread was to be sealed. Where it is still to be seen as before, nobody knows how
    /// it has ended, and whether it waits for answers.
    pub(super) fn sealed_unseen(&mut self) {
        let staleness = self.traits.staleness;
        self.refuse(Error::new(ErrorKind::MaybeStale).after(staleness));
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::{Thread, ThreadAction, ThreadInput};
    use crate::run::fixture::input;
    use crate::run::memory::MemoryStore;
    use crate::run::store::{Expect, StoreOp, StoreReply, Traits};
    use std::rc::Rc;

    const KV: Traits = Traits::WORKERS_KV;

    /// Performs what the thread asks of the store: the operations, and whether a run was admitted.
    fn step(thread: &mut Thread, store: &mut MemoryStore, now: u64, input: ThreadInput) -> (Vec<StoreOp>, bool) {
        let (mut ops, mut admitted) = (Vec::new(), false);
        let mut actions = thread.step(now, input);
        while let Some(action) = actions.pop() {
            match action {
                ThreadAction::Store(op) => {
                    ops.push(op.clone());
                    let reply = store.perform(op);
                    actions.extend(thread.step(now, ThreadInput::Store(reply)));
                }
                ThreadAction::Admit { .. } => admitted = true,
                other => panic!("{other:?}"),
            }
        }
        (ops, admitted)
    }

    fn post(run: &str) -> ThreadInput {
        ThreadInput::Post { request: 1, input: Rc::new(input(run)) }
    }

    fn saves(ops: &[StoreOp]) -> Vec<&str> {
        let saved = ops.iter().filter(|op| !matches!(op, StoreOp::Load(_)));
        saved.map(|op| op.key().unwrap().rsplit('/').next().unwrap()).collect()
    }

    #[test]
    fn where_nothing_is_compared_all_is_loaded_first_and_the_entry_read_back() {
        let (mut thread, mut store) = (Thread::new("s", "t", 30_000, KV), MemoryStore::new());
        let (ops, admitted) = step(&mut thread, &mut store, 1, post("a"));
        assert!(admitted);
        let kinds: Vec<(bool, &str)> = ops
            .iter()
            .map(|op| (matches!(op, StoreOp::Load(_)), op.key().unwrap().rsplit('/').next().unwrap()))
            .collect();
        // What stands for the run in the list is its own and nobody else's.
        let listed = (false, "fffffffffffffffe-a");
        assert_eq!(
            kinds,
            [(true, "!active"), (true, "a"), (false, "a"), listed, (false, "!active"), (true, "!active")]
        );
        for op in ops {
            assert!(!matches!(op, StoreOp::Save { head: Some(head), .. } if head.expect != Expect::Any));
        }
    }

    #[test]
    fn the_entry_is_saved_no_sooner_than_the_store_takes_it_again() {
        let (mut thread, mut store) = (Thread::new("s", "t", 0, Traits { staleness: 0, ..KV }), MemoryStore::new());
        step(&mut thread, &mut store, 1_000, post("a"));
        step(&mut thread, &mut store, 1_001, ThreadInput::Done { run: "a".into() });
        let (ops, admitted) = step(&mut thread, &mut store, 1_200, post("b"));
        assert_eq!((saves(&ops), admitted, thread.deadline()), (vec!["b", "fffffffffffffb4f-b"], false, Some(2_000)));
        let (ops, admitted) = step(&mut thread, &mut store, 2_000, ThreadInput::Tick);
        assert_eq!((saves(&ops), admitted), (vec!["!active"], true));
    }

    #[test]
    fn an_entry_that_cannot_be_read_back_is_given_up_once_no_read_can_be_so_old() {
        let (mut thread, mut now) = (Thread::new("s", "t", 30_000, KV), 0);
        let mut actions = thread.step(now, post("a"));
        let mut looks = 0;
        loop {
            let reply = match actions.pop() {
                Some(ThreadAction::Store(StoreOp::Load(key))) => {
                    looks += usize::from(key.ends_with("!active"));
                    StoreReply::Missing
                }
                Some(ThreadAction::Store(_)) => StoreReply::Saved(Default::default()),
                None => {
                    now = thread.deadline().unwrap();
                    actions = thread.step(now, ThreadInput::Tick);
                    continue;
                }
                Some(ThreadAction::Reply(1, crate::run::Reply::Refused(error))) => {
                    assert_eq!((error.code(), error.retry_after()), ("maybe_stale", Some(60_000)));
                    break;
                }
                Some(other) => panic!("{other:?}"),
            };
            actions = thread.step(now, ThreadInput::Store(reply));
        }
        assert_eq!((looks, now), (9, 70_000));
    }
}
