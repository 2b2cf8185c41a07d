//! How a run's machine comes to its run: it loads the head, and then claims, joins or seals it.
//!
//! A run that goes on with an interrupted one's turn loads that turn before it claims its head: so a turn
//! that can't be read leaves the interrupts as they were.

use super::emitter::{Claim, Emitter};
use super::machine::{Phase, Run};
use super::protocol::{Action, Reply};
use super::record::RunRecord;
use super::store::{StoreOp, StoreReply, Version};
use super::tries::Tries;
use super::work::Work;
use crate::Millis;
use crate::error::ErrorKind;
use crate::input::RunInput;

impl Run {
    pub(super) fn load(&mut self) {
        self.phase = Phase::Loading;
        self.ask_for(self.setup.keys().head());
    }

    fn ask_for(&mut self, key: String) {
        self.loading = (key, Tries::default());
        self.ask();
    }

    /// Asks for what is loaded now, once more.
    pub(super) fn ask(&mut self) {
        self.act(Action::Store(StoreOp::Load(self.loading.0.clone())));
    }

    /// The store is away: the same load again after a pause. False once it was tried often enough.
    fn again(&mut self, now: Millis) -> bool {
        self.retry = self.loading.1.again(now);
        self.retry.is_some()
    }

    pub(super) fn loaded(&mut self, now: Millis, reply: StoreReply) {
        match reply {
            StoreReply::Missing => self.claim(now),
            StoreReply::Found(bytes, version) => match RunRecord::decode_under(&bytes, &self.setup.keys()) {
                Ok(record) => self.found(now, record, version),
                Err(error) => self.refuse(error),
            },
            _ if self.again(now) => {}
            _ => self.gave_up(now),
        }
    }

    /// There is no head: a run that is asked for is claimed, any other is unknown.
    fn claim(&mut self, now: Millis) {
        if let Some(input) = self.lost.take() {
            return self.end_unbegun(now, &input);
        }
        let Some(work) = &self.work else { return self.finish(self.not_there()) };
        match &self.resuming {
            Some(resuming) => {
                let head = resuming.head();
                self.phase = Phase::Resuming;
                self.ask_for(head);
            }
            None if work.input().resume.is_empty() => self.start(now),
            None => self.refuse(ErrorKind::InterruptNotOpen.into()),
        }
    }

    /// The head of the interrupted run, and then its turn, piece by piece.
    pub(super) fn resumes(&mut self, now: Millis, reply: StoreReply) {
        let bytes = match reply {
            StoreReply::Found(bytes, _) => bytes,
            StoreReply::Missing if self.setup.traits.staleness == 0 => {
                return self.refuse(ErrorKind::RecordUnreadable.into());
            }
            _ if self.again(now) => return,
            StoreReply::Missing => return self.finish(self.not_there()),
            _ => return self.refuse(ErrorKind::StoreUnavailable.into()),
        };
        let (Some(work), Some(resuming)) = (&self.work, &mut self.resuming) else { return };
        let input = work.input().clone();
        match resuming.loaded(bytes, &input.resume, now) {
            Err(error) => self.refuse(error),
            Ok(Some(key)) => self.ask_for(key),
            Ok(None) => match resuming.turn() {
                Err(error) => self.refuse(error),
                Ok(paused) => {
                    self.resuming = None;
                    self.work = Some(Work::resumed(&self.setup, input, paused, now));
                    self.start(now);
                }
            },
        }
    }

    fn start(&mut self, now: Millis) {
        if self.is_late(now) {
            return self.refuse(ErrorKind::StoreUnavailable.into());
        }
        let Some(work) = &self.work else { return };
        self.claims(
            now,
            Emitter::start(self.emitter_claim(), work.input(), self.setup.profile.clone(), now)
                .keeping_deltas(self.setup.deltas_apart),
        );
    }

    /// The alarm is set before there is anything to look after, so no head can stand without one.
    fn claims(&mut self, now: Millis, emitter: Emitter) {
        self.emitter = Some(emitter);
        self.phase = Phase::Claiming;
        self.act(Action::SetAlarm(Some(now + self.setup.lease)));
    }

    /// Each instance that was to begin the run was lost over it: its head is written as failed, and nothing
    /// of the input is looked at that the head does not need.
    fn end_unbegun(&mut self, now: Millis, input: &RunInput) {
        let mut emitter = Emitter::start(self.emitter_claim(), input, self.setup.profile.clone(), now);
        let _ = emitter.fail(self.failure(ErrorKind::WorkerLost), Default::default());
        self.log(ErrorKind::WorkerLost);
        self.claims(now, emitter);
    }

    /// There is a head. Where its writer can't be alive any more, the run is sealed, and whoever waits
    /// is answered once that stands; it is never executed again.
    pub(super) fn found(&mut self, now: Millis, record: RunRecord, version: Version) {
        let mine = self.setup.is_of_instance(&record.writer);
        // What is read of a run of our own may be older than its end.
        let mine = mine && self.setup.traits.staleness == 0;
        let dead = mine || !self.is_shared() || self.setup.traits.is_over(record.lease, now);
        self.work = None;
        if record.is_ended() || !dead {
            self.answer_waiting(&record.fingerprint);
            return self.leave(now, &record);
        }
        let conflicts = |asked: &Option<String>| asked.as_ref().is_some_and(|asked| *asked != record.fingerprint);
        let (conflicting, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(_, a)| conflicts(a));
        self.waiting = conflicting;
        self.answer_waiting(&record.fingerprint);
        self.waiting = waiting;
        let mut emitter = Emitter::adopt(self.emitter_claim(), record, version);
        let _ = emitter.fail(self.failure(ErrorKind::WorkerLost), Default::default());
        self.log(ErrorKind::WorkerLost);
        self.emitter = Some(emitter);
        // Somebody here may have sealed it this moment, and the store not show it.
        self.pace.saved(now);
        self.phase = Phase::Active;
        self.act(Action::SetAlarm(Some(now + self.setup.lease)));
    }

    /// The run is claimed: whoever waits is told, the first who posted that it began it.
    pub(super) fn answer_claim(&mut self) {
        if !self.waiting.is_empty() {
            let poster = self.waiting.iter().position(|(_, asked)| asked.is_some());
            let (first, _) = self.waiting.remove(poster.unwrap_or(0));
            self.act(Action::Reply(first, Reply::Started));
        }
        let fingerprint = self.fingerprint();
        self.answer_waiting(&fingerprint);
    }

    pub(super) fn claimed(&mut self, now: Millis) {
        self.phase = Phase::Active;
        if !self.cancels.is_empty() {
            return self.cancel(now);
        }
        if !self.end_with_host(now)
            && let (Some(work), Some(emitter)) = (&mut self.work, &mut self.emitter)
        {
            let step = work.begin(now, emitter);
            self.go_on(now, step);
        }
    }

    fn emitter_claim(&self) -> Claim {
        Claim {
            keys: self.setup.keys(),
            scope: self.setup.scope.clone(),
            writer: self.writer.clone(),
            traits: self.setup.traits,
            lease: self.setup.lease,
        }
    }
}
