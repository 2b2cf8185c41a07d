//! When a thread is swept: after its alarm, after a run's end where what is to go next is not known yet, and
//! where a client deletes. One sweep at a time, and none beside a claim: so no claim reads what is half gone.
//!
//! The one alarm is set before a sweep begins, so that a crash in the middle is gone on with, and is set anew
//! at its end: for what is to go next, or, where nothing is left to do, not at all.

use super::{Thread, ThreadAction};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::run::index::ActiveEntry;
use crate::run::protocol::{Reply, Request};
use crate::run::retention::{Goal, Keep, Sweep, Swept};
use crate::run::store::{StoreOp, StoreReply};
use crate::run::tries::Tries;
use std::collections::VecDeque;

/// How long after a sweep that has found what can't be read the next one is: only another version may read it.
const UNREADABLE: Millis = 24 * 3_600_000;

/// What goes of a thread, and when.
#[derive(Default)]
pub(super) struct Upkeep {
    pub(super) keep: Keep,
    /// When something is to go next: unknown until it was looked for.
    due: Option<Option<Millis>>,
    wanted: bool,
    sweep: Option<Sweep>,
    /// Its operation under way, and how often that was tried.
    op: Option<(StoreOp, Tries)>,
    /// Whose deletion the sweep is.
    serves: Option<Deletion>,
    asked: VecDeque<Deletion>,
    /// Somebody was to be looked after while the sweep was under way.
    pub(super) late: bool,
}

struct Deletion {
    request: Request,
    run: Option<String>,
    /// A run that was in its way has been looked after.
    recovered: bool,
}

impl Upkeep {
    pub(super) fn asked(&mut self, request: Request, run: Option<String>) {
        self.asked.push_back(Deletion { request, run, recovered: false });
    }

    /// The alarm is gone, and what it was set for is to be looked for again.
    pub(super) fn fired(&mut self) {
        self.due = None;
        self.wanted |= self.keeps();
    }

    /// The thread's entry was read: something may have been begun that is not over.
    pub(super) fn seen(&mut self, entry: &ActiveEntry) {
        self.wanted |= entry.kept.as_ref().is_some_and(|kept| kept.is_unfinished());
    }

    pub(super) fn due(&self) -> Option<Millis> {
        self.due.flatten()
    }

    /// True if anything goes by itself.
    pub(super) fn keeps(&self) -> bool {
        self.keep.least().is_some()
    }

    /// True if a sweep is to come, or may be.
    pub(super) fn may_go_on(&self) -> bool {
        self.wanted || self.keeps()
    }

    pub(super) fn is_sweeping(&self) -> bool {
        self.sweep.is_some()
    }
}

impl Thread {
    /// A run that was at work here is over.
    pub(super) fn ended_here(&mut self, now: Millis) {
        if !self.upkeep.asked.is_empty() {
            // Its head may have been saved this moment: it can't be deleted in the next.
            self.entry_saved = Some(now);
        }
        let Some(span) = self.upkeep.keep.least() else { return };
        match self.upkeep.due {
            None => self.upkeep.wanted = true,
            Some(next) => {
                self.upkeep.due = Some(next.into_iter().chain(now.checked_add(span)).min());
                self.out.push(ThreadAction::SetAlarm(self.least_alarm()));
            }
        }
    }

    /// Takes the next deletion, unless a run is in its way.
    pub(super) fn next_deletion(&mut self, now: Millis) {
        while self.is_free() {
            let Some(next) = self.upkeep.asked.front() else { return };
            let concerns = |run: &str| next.run.as_ref().is_none_or(|wanted| wanted == run);
            let mut live = self.live.iter().filter(|live| {
                let answers = live.claimed.as_ref().and_then(|claimed| claimed.answers.as_deref());
                concerns(&live.run) || answers.is_some_and(concerns)
            });
            let works = live.clone().any(|live| live.claimed.as_ref().is_some_and(|claimed| claimed.begins));
            // Who is only looked after, or joined, is soon done.
            if !works && live.next().is_some() {
                return;
            }
            let Some(deletion) = self.upkeep.asked.pop_front() else { return };
            if works {
                self.refuse_deletion(deletion.request, ErrorKind::RunActive.into());
                continue;
            }
            let goal = deletion.run.clone().map_or(Goal::Thread, Goal::Run);
            self.upkeep.serves = Some(deletion);
            self.sweep(now, goal);
        }
    }

    pub(super) fn next_upkeep(&mut self, now: Millis) {
        if self.upkeep.wanted && self.live.is_empty() && self.queue.is_empty() && self.is_free() {
            self.upkeep.wanted = false;
            self.sweep(now, Goal::Upkeep);
        }
    }

    fn is_free(&self) -> bool {
        self.claiming.is_none() && self.check.is_none() && !self.upkeep.is_sweeping()
    }

    fn sweep(&mut self, now: Millis, goal: Goal) {
        // What can't be seen may be there all the same, where reads may be old.
        let looks = self.live.is_empty() && self.is_exclusive();
        let mut sweep = Sweep::new(self.keys.clone(), self.traits, self.upkeep.keep, goal, looks, now);
        let first = sweep.begin();
        self.upkeep.sweep = Some(sweep);
        let at = self.least_alarm().into_iter().chain(now.checked_add(self.lease)).min();
        self.out.push(ThreadAction::SetAlarm(at));
        self.sweep_goes_on(now, first);
    }

    /// The store has answered the sweep. One that nobody waits for makes way for a claim.
    pub(super) fn swept(&mut self, now: Millis, reply: StoreReply) {
        if self.sweeps_again(now, &reply) {
            return;
        }
        let Some(mut sweep) = self.upkeep.sweep.take() else { return };
        let step = sweep.replied(reply);
        self.out.extend(sweep.gone().into_iter().map(|run| ThreadAction::Gone { run }));
        if matches!(step, Swept::Ask(_)) {
            if self.upkeep.serves.is_none() && !self.queue.is_empty() {
                self.upkeep.wanted = true;
                return self.look_after_late(now);
            }
            self.upkeep.sweep = Some(sweep);
        }
        self.sweep_goes_on(now, step);
    }

    /// Asks the store for what the sweep wants, once that may be.
    pub(super) fn sweep_asks(&mut self) {
        let Some((op, _)) = &self.upkeep.op else { return };
        match self.entry_waits().filter(|_| self.saves_entry(op)) {
            Some(at) => self.pause = Some(at),
            None => self.out.push(ThreadAction::Store(op.clone())),
        }
    }

    fn saves_entry(&self, op: &StoreOp) -> bool {
        matches!(op, StoreOp::Save { .. }) && op.key().is_some_and(|key| key == self.keys.active())
    }

    /// Where no alarm would go on with it, what the store has not done is asked for again. Every step can be.
    fn sweeps_again(&mut self, now: Millis, reply: &StoreReply) -> bool {
        let saves = self.upkeep.op.as_ref().is_some_and(|(op, _)| self.saves_entry(op));
        if saves && *reply != StoreReply::Unavailable {
            self.entry_saved = Some(now);
        }
        if self.is_exclusive() || !matches!(reply, StoreReply::Unavailable | StoreReply::Uncertain) {
            return false;
        }
        let soonest = now + self.traits.min_interval;
        let Some((_, tries)) = &mut self.upkeep.op else { return false };
        self.pause = tries.again(now).map(|at| at.max(soonest));
        self.pause.is_some()
    }

    fn sweep_goes_on(&mut self, now: Millis, step: Swept) {
        let (reply, due) = match step {
            Swept::Ask(op) => {
                self.upkeep.op = Some((op, Tries::default()));
                return self.sweep_asks();
            }
            Swept::Active(run) => return self.in_the_way(run),
            Swept::Unknown => (Reply::Refused(ErrorKind::UnknownRun.into()), None),
            Swept::Failed(kind) => {
                let away = kind == ErrorKind::StoreUnavailable;
                let retry = now.checked_add(if away { self.lease } else { UNREADABLE });
                (Reply::Refused(kind.into()), Some(retry))
            }
            Swept::Done { next, empty } => {
                if empty && self.live.is_empty() && self.queue.is_empty() {
                    self.out.push(ThreadAction::Cleared);
                }
                (Reply::Deleted, Some(next).filter(|_| self.live.is_empty()))
            }
        };
        if let Some(deletion) = self.upkeep.serves.take() {
            self.out.push(ThreadAction::Reply(deletion.request, reply));
        }
        self.upkeep.wanted |= due.is_none() && self.is_exclusive();
        self.upkeep.due = due;
        self.out.push(ThreadAction::SetAlarm(self.least_alarm()));
        self.look_after_late(now);
    }

    /// A run has not ended: its worker may be lost, which is looked after once.
    fn in_the_way(&mut self, run: String) {
        let Some(deletion) = self.upkeep.serves.take() else { return };
        self.upkeep.wanted = true;
        if deletion.recovered || self.is_live(&run) {
            return self.refuse_deletion(deletion.request, ErrorKind::RunActive.into());
        }
        self.upkeep.asked.push_front(Deletion { recovered: true, ..deletion });
        self.recover(run);
    }

    fn refuse_deletion(&mut self, request: Request, error: Error) {
        self.out.push(ThreadAction::Reply(request, Reply::Refused(error)));
    }

    fn look_after_late(&mut self, now: Millis) {
        if std::mem::take(&mut self.upkeep.late) {
            self.alarm_fired(now);
        }
    }
}
