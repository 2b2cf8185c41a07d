//! A claim: how a run comes to start, or is refused before anything of it is there.
//!
//! It takes its keys in order, each repeatable: the index (run → thread, fingerprint), the run's place in
//! the scope's list, by the time that the index holds, the thread (its active run; free when that run has
//! ended or has no head), and the head, which the run itself takes.
//! Nothing is released at the end: the next claim sees the ended head. All that can refuse a claim is read
//! before the first key is taken, so a refusal changes nothing.
//!
//! Where the thread's last run was interrupted, only an input that answers all its interrupts is admitted;
//! the thread's entry then names that run too. If the claim stops short of the head, the interrupts stand
//! again; once the head is there they are answered for good, whatever becomes of the run.
//!
//! Runs have ordinals, from 1. The thread's entry holds its run's; the next claim keeps that entry under
//! the ordinal and replaces it under compare-and-set, in this order where a store can't do both at once.
//! So whoever keeps it keeps the same bytes, and a claim that is lost between the two has lost or moved
//! nothing. A run that never got a head
//! leaves its ordinal to the next.
//!
//! The entry also counts the instances that have claimed a run whose head is not there. One that took down
//! each of them is not begun once more: it is admitted as lost, and its machine only ends it.

use super::super::index::{ActiveEntry, IndexEntry};
use super::super::interrupts;
use super::super::protocol::{Reply, Request};
use super::super::record::RunRecord;
use super::super::store::{StoreReply, Version};
use super::super::tries::Tries;
use super::looks::Looks;
use super::{Claimed, Thread, ThreadAction};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::input::RunInput;
use standing::Standing;
use std::rc::Rc;

mod ask;
mod standing;

/// The attempt at a run's claim that only ends the run: so many instances less one were lost over it.
pub(super) const LAST_ATTEMPT: u32 = 3;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stage {
    /// Which run has the thread?
    LoadActive,
    /// Has that run ended, and does it wait for answers?
    OtherHead,
    SaveIndex,
    LoadIndex,
    OwnHead,
    SaveListed,
    /// Nobody knows whether it is listed.
    LoadListed,
    /// Where the store can't save two values at once: the entry that is replaced, under its ordinal.
    SavePast,
    SaveActive,
    /// Where the store can't compare: is the entry there?
    LookActive,
    Admitted,
    Recovering,
}

impl Stage {
    /// True if it writes: between two writes of a key a store may want some time.
    fn saves(self) -> bool {
        matches!(self, Stage::SaveIndex | Stage::SaveListed | Stage::SavePast | Stage::SaveActive)
    }
}

/// A claim under way.
pub(super) struct Claiming {
    pub request: Request,
    pub input: Rc<RunInput>,
    pub(super) stage: Stage,
    tries: Tries,
    active: Option<Version>,
    /// The run whose head is asked for.
    other: Option<String>,
    /// The run whose interrupts stand again if `other` has no head.
    before: Option<String>,
    /// The interrupted run that this one answers.
    of: Option<String>,
    /// The thread is this run's already.
    own: bool,
    /// The thread's entry, to be kept under its ordinal if its run has a head.
    pub past: Option<Vec<u8>>,
    /// That entry's ordinal, which is the run's own unless the entry is kept.
    ordinal: u32,
    standing: Standing,
    /// The attempts at this run that the entry counts, and how many it counted when it was saved here.
    attempts: u32,
    saved: Option<u32>,
    /// Until when the run that the entry names may begin elsewhere.
    until: Option<Millis>,
    /// The run that was sealed to make room.
    sealed: Option<String>,
    pub looks: Looks,
    /// Why the thread takes no new run. One that has its head is joined all the same.
    closed: Option<Error>,
}

impl Claiming {
    fn new(request: Request, input: Rc<RunInput>, now: Millis) -> Self {
        Claiming {
            request,
            input,
            stage: Stage::LoadActive,
            tries: Tries::default(),
            active: None,
            other: None,
            before: None,
            of: None,
            own: false,
            past: None,
            ordinal: 1,
            standing: Standing::new(now),
            attempts: 0,
            saved: None,
            until: None,
            sealed: None,
            looks: Looks::default(),
            closed: None,
        }
    }
}

impl Thread {
    pub(super) fn next_claim(&mut self) {
        while self.claiming.is_none() && self.check.is_none() && !self.upkeep.is_sweeping() {
            let Some((request, input)) = self.queue.pop_front() else { return };
            let Some((request, input)) = self.known(request, input) else { continue };
            self.claiming = Some(Claiming::new(request, input, self.now));
            self.ask();
        }
    }

    pub(super) fn stored(&mut self, now: Millis, reply: StoreReply) {
        if let Some(check) = self.check.take() {
            return self.last_loaded(now, check, reply);
        }
        if self.upkeep.is_sweeping() {
            return self.swept(now, reply);
        }
        let (weak, exclusive) = (self.traits.is_weak(), self.is_exclusive());
        let Some(claim) = &mut self.claiming else { return };
        match (claim.stage, reply) {
            (stage, StoreReply::Unavailable) if stage != Stage::LookActive => self.away(now, stage),
            (Stage::LoadActive, StoreReply::Found(bytes, version)) => self.active(&bytes, version),
            (Stage::LoadActive, StoreReply::Missing) => {
                (claim.active, claim.past, claim.ordinal, claim.attempts, claim.own) = (None, None, 1, 0, false);
                claim.until = None;
                claim.standing.nothing();
                self.judged(now, None);
            }
            (Stage::OtherHead, StoreReply::Found(bytes, _)) => self.other(now, &bytes),
            (Stage::OtherHead, StoreReply::Missing) => self.without_head(now),
            (Stage::SaveIndex, StoreReply::Saved(_)) => self.indexed(),
            (Stage::SaveIndex, _) if weak => self.again(now, None),
            (Stage::SaveIndex, _) => self.go(Stage::LoadIndex),
            (Stage::LoadIndex, StoreReply::Found(bytes, _)) => self.index(&bytes),
            (Stage::LoadIndex, StoreReply::Missing) => match claim.closed.take() {
                Some(error) => self.refuse(error),
                None if weak => self.go(Stage::SaveIndex),
                None => self.again(now, Some(Stage::SaveIndex)),
            },
            (Stage::OwnHead, StoreReply::Found(bytes, _)) if !exclusive => self.join(&bytes),
            // It has ended, or its worker is gone.
            (Stage::OwnHead, StoreReply::Found(..)) => self.admit(false),
            (Stage::OwnHead, StoreReply::Missing) => match claim.closed.take() {
                Some(error) => self.refuse(error),
                None => self.unbegun(),
            },
            (stage @ (Stage::SaveListed | Stage::LoadListed), reply) => self.listing(now, stage, &reply),
            (Stage::SavePast, StoreReply::Saved(_)) => self.go(Stage::SaveActive),
            (Stage::SaveActive, StoreReply::Saved(_)) => {
                self.entry_saved = Some(now);
                if weak { self.go(Stage::LookActive) } else { self.saved() }
            }
            (Stage::SaveActive, _) if weak => self.again(now, None),
            (Stage::LookActive, StoreReply::Found(bytes, _)) => self.entry_seen(&bytes),
            (Stage::LookActive, _) => self.entry_unseen(),
            (Stage::SaveActive, _) => self.again(now, Some(Stage::LoadActive)),
            _ => self.again(now, None),
        }
    }

    fn active(&mut self, bytes: &[u8], version: Version) {
        let entry = match ActiveEntry::decode(bytes) {
            Ok(entry) => entry,
            Err(error) => return self.refuse(error),
        };
        self.upkeep.seen(&entry);
        let Some(claim) = &mut self.claiming else { return };
        (claim.active, claim.until) = (Some(version), entry.until);
        (claim.ordinal, claim.attempts) = (entry.ordinal(), entry.attempts());
        if claim.standing.of(&entry) {
            claim.past = Some(bytes.to_vec()).filter(|_| !claim.standing.taken);
            (claim.own, claim.attempts) = (false, 0);
            return self.judged(self.now, None);
        }
        claim.own = entry.run == claim.input.run;
        if claim.own {
            (claim.past, claim.of, claim.other) = (None, entry.answers, None);
            return self.go(Stage::LoadIndex);
        }
        (claim.past, claim.attempts) = (Some(bytes.to_vec()), 0);
        claim.other = Some(entry.run);
        claim.before = entry.answers;
        self.go(Stage::OtherHead);
    }

    /// The other run has no head. Its machine may be about to write it; else the thread stands as before it.
    fn without_head(&mut self, now: Millis) {
        let Some(claim) = &mut self.claiming else { return };
        claim.past = None;
        let (other, before) = (claim.other.take().unwrap_or_default(), claim.before.take());
        let until = claim.until.take();
        if self.claimed(&other).is_some() || self.may_begin(until) {
            return self.close(ErrorKind::ThreadBusy.into());
        }
        match (&mut self.claiming, before) {
            (Some(claim), Some(before)) => {
                claim.other = Some(before);
                self.go(Stage::OtherHead);
            }
            _ => self.judged(now, None),
        }
    }

    /// Another run holds the thread: it is busy, unless that run has ended or its worker is gone.
    fn other(&mut self, now: Millis, bytes: &[u8]) {
        let other = self.claiming.as_ref().and_then(|claim| claim.other.as_deref()).unwrap_or_default();
        let keys = self.keys.run(other);
        let record = match RunRecord::decode_under(bytes, &keys) {
            Ok(record) => record,
            Err(error) => return self.refuse(error),
        };
        if record.is_ended() {
            return self.judged(now, Some(&record));
        }
        if self.is_live(&record.run) || !(self.is_exclusive() || self.traits.is_over(record.lease, now)) {
            return self.close(ErrorKind::ThreadBusy.into());
        }
        if let Some(claim) = &mut self.claiming {
            if self.traits.staleness > 0 && claim.sealed.as_ref() == Some(&record.run) {
                return self.sealed_unseen();
            }
            claim.stage = Stage::Recovering;
            claim.sealed = Some(record.run.clone());
        }
        self.recover(record.run);
    }

    /// The thread's last run has ended so, or there is none: what is open there must be answered, and
    /// nothing else.
    fn judged(&mut self, now: Millis, last: Option<&RunRecord>) {
        let Some(claim) = &mut self.claiming else { return };
        if let Some(error) = claim.standing.too_late(last, !claim.input.resume.is_empty()) {
            return self.close(error);
        }
        let waiting = claim.standing.waiting(last).and_then(|record| record.interrupted.as_ref());
        let open = waiting.map_or(&[][..], |interrupted| &interrupted.open);
        if let Err(error) = interrupts::check(open, &claim.input.resume, now) {
            return self.close(error);
        }
        claim.of = waiting.and(last).map(|record| record.run.clone());
        claim.closed = None;
        let stage = match (claim.own, self.traits.is_weak()) {
            (true, _) => Stage::SaveActive,
            (false, true) => Stage::LoadIndex,
            (false, false) => Stage::SaveIndex,
        };
        self.go(stage);
    }

    /// The run has an index entry and no head. Where the thread is its own already and another instance
    /// has claimed it, that one was lost: what it answers is judged anew, and the attempt counted.
    fn unbegun(&mut self) {
        let exclusive = self.is_exclusive();
        let Some(claim) = &mut self.claiming else { return };
        if !claim.own {
            return self.go(Stage::SaveListed);
        }
        let is_spent = claim.of.as_deref().is_some_and(|run| claim.standing.is_spent(run));
        let counted = self.counted.as_ref() == Some(&claim.input.run) && exclusive;
        let fresh = claim.until.is_some_and(|until| until >= self.now + self.lease / 4 * 3);
        if (claim.saved == Some(claim.attempts) || counted || fresh) && !is_spent {
            return self.saved();
        }
        claim.other = claim.of.clone();
        let stage = if claim.other.is_some() { Stage::OtherHead } else { Stage::SaveActive };
        self.go(stage);
    }

    /// The thread is the run's.
    pub(super) fn saved(&mut self) {
        let Some(claim) = &mut self.claiming else { return };
        claim.attempts = claim.saved.unwrap_or(claim.attempts);
        self.counted = Some(claim.input.run.clone());
        self.admit(true);
    }

    /// The thread takes no new run. Whether this is one, its index says.
    fn close(&mut self, error: Error) {
        if let Some(claim) = &mut self.claiming {
            claim.closed = Some(error);
        }
        self.go(Stage::LoadIndex);
    }

    fn index(&mut self, bytes: &[u8]) {
        let Some(claim) = &mut self.claiming else { return };
        match IndexEntry::of_run(bytes) {
            Err(error) => self.refuse(error),
            Ok(entry) if entry.thread != self.keys.thread() || entry.fingerprint != claim.input.fingerprint => {
                self.refuse(ErrorKind::RunConflict.into());
            }
            Ok(entry) => {
                claim.standing.at = entry.at.unwrap_or(claim.standing.at);
                self.go(Stage::OwnHead);
            }
        }
    }

    fn indexed(&mut self) {
        match &self.claiming {
            Some(claim) if claim.own => self.go(Stage::OwnHead),
            _ => self.go(Stage::SaveListed),
        }
    }

    fn admit(&mut self, begins: bool) {
        let Some(claim) = &mut self.claiming else { return };
        claim.stage = Stage::Admitted;
        let (request, input, answers) = (claim.request, claim.input.clone(), claim.of.take());
        let lost = claim.attempts >= LAST_ATTEMPT;
        let claimed = Claimed { fingerprint: input.fingerprint.clone(), answers: answers.clone(), lost, begins };
        if let Some(live) = self.lives(&input.run) {
            live.claimed = Some(claimed);
        }
        self.out.push(ThreadAction::Admit { request, input, answers, lost });
    }

    /// A recovery is waited for with the machine's own pauses.
    pub(super) fn settled(&mut self, now: Millis, run: &str) {
        let live = self.is_live(run);
        let Some(claim) = &mut self.claiming else { return };
        match claim.stage {
            Stage::Admitted if claim.input.run == run => self.claiming = None,
            Stage::Recovering if claim.other.as_deref() == Some(run) && !live => match claim.tries.again(now) {
                Some(_) => self.go(Stage::LoadActive),
                None => self.refuse(ErrorKind::StoreUnavailable.into()),
            },
            _ => {}
        }
    }

    pub(super) fn go(&mut self, stage: Stage) {
        if let Some(claim) = &mut self.claiming {
            claim.stage = stage;
        }
        match self.entry_waits().filter(|_| stage == Stage::SaveActive) {
            Some(at) => self.pause = Some(at),
            None => self.ask(),
        }
    }

    /// The store did not do the step: it is taken again after a pause, from that stage on.
    pub(super) fn again(&mut self, now: Millis, stage: Option<Stage>) {
        let Some(claim) = &mut self.claiming else { return };
        let failed = claim.stage;
        claim.stage = stage.unwrap_or(failed);
        let saves = failed.saves() || claim.stage.saves();
        let least = if saves { now + self.traits.min_interval } else { now };
        self.pause = claim.tries.again(now).map(|at| at.max(least));
        if self.pause.is_none() {
            self.refuse(ErrorKind::StoreUnavailable.into());
        }
    }

    pub(super) fn refuse(&mut self, error: Error) {
        if let Some(claim) = self.claiming.take() {
            self.out.push(ThreadAction::Reply(claim.request, Reply::Refused(error)));
        }
    }
}
