//! The one alarm for all of a thread's runs, and the look after a run that nobody drives.

use super::{Thread, ThreadAction};
use crate::Millis;
use crate::run::index::ActiveEntry;
use crate::run::store::{StoreOp, StoreReply};
use crate::run::tries::Tries;

/// A look after the thread's last run, while it is under way.
pub(super) struct Check {
    pub tries: Tries,
    /// For when the alarm is set meanwhile, if it is the alarm that asks.
    pub alarm: Option<Millis>,
}

impl Thread {
    pub(super) fn least_alarm(&self) -> Option<Millis> {
        self.alarms.iter().map(|(_, at)| *at).chain(self.upkeep.due()).min()
    }

    pub(super) fn alarm_wanted(&mut self, run: String, at: Option<Millis>) {
        let before = self.least_alarm();
        self.alarms.retain(|(known, _)| *known != run);
        self.alarms.extend(at.map(|at| (run, at)));
        let after = self.least_alarm();
        // What is to go at its time is known only once it was looked for: until then the alarm stays.
        if before != after && (after.is_some() || !self.upkeep.may_go_on()) {
            self.out.push(ThreadAction::SetAlarm(after));
        }
    }

    /// A run that lives here has its alarm set anew; one that does not is looked after, and so is the last
    /// one where none is known. Before any of it the alarm is set once more, since the host may be lost over it.
    pub(super) fn alarm_fired(&mut self, now: Millis) {
        let next = now + self.lease;
        self.upkeep.fired();
        for (_, at) in &mut self.alarms {
            *at = (*at).max(next);
        }
        self.out.push(ThreadAction::SetAlarm(Some(self.least_alarm().unwrap_or(next))));
        if self.alarms.is_empty() {
            return self.look_after_last(Some(next));
        }
        let lost = |run: &&(String, Millis)| !self.is_live(&run.0);
        let lost: Vec<String> = self.alarms.iter().filter(lost).map(|(run, _)| run.clone()).collect();
        lost.into_iter().for_each(|run| self.recover(run));
    }

    /// Where no run lives here and none is being claimed, the last one may have lost its worker. The alarm
    /// that asks for it is set once more already.
    pub(super) fn look_after_last(&mut self, alarm: Option<Millis>) {
        if self.upkeep.is_sweeping() {
            // It sets the alarm itself, and then whoever waits is looked after.
            self.upkeep.late = true;
        } else if self.claiming.is_none() && self.live.is_empty() && self.check.is_none() {
            self.check = Some(Check { tries: Tries::default(), alarm });
            self.ask_for_last();
        }
    }

    pub(super) fn ask_for_last(&mut self) {
        self.out.push(ThreadAction::Store(StoreOp::Load(self.keys.active())));
    }

    /// A store that is away is asked again, and once more a lease later: nobody else may come to ask.
    pub(super) fn last_loaded(&mut self, now: Millis, mut check: Check, reply: StoreReply) {
        let entry = match reply {
            StoreReply::Found(bytes, _) => ActiveEntry::decode(&bytes).ok(),
            StoreReply::Missing => None,
            _ => {
                self.pause = check.tries.again(now);
                match self.pause {
                    Some(_) => self.check = Some(check),
                    None => self.out.push(ThreadAction::SetAlarm(Some(now + self.lease))),
                }
                return;
            }
        };
        if let Some(entry) = &entry {
            self.upkeep.seen(entry);
        }
        match (entry.filter(|entry| !entry.is_gone()), check.alarm) {
            (Some(entry), alarm) => {
                self.alarms.extend(alarm.map(|at| (entry.run.clone(), at)));
                self.recover(entry.run);
            }
            (None, Some(_)) => self.out.push(ThreadAction::SetAlarm(self.least_alarm())),
            (None, None) => {}
        }
    }
}
