//! The one alarm for all of a thread's runs, and the look after a run that nobody drives.

use super::{Thread, ThreadAction};
use crate::Millis;
use crate::run::index::ActiveEntry;
use crate::run::keys::ThreadKeys;
use crate::run::store::{StoreOp, StoreReply};
use crate::run::tries::Tries;
use crate::stored::decode;

impl Thread {
    fn least_alarm(&self) -> Option<Millis> {
        self.alarms.iter().map(|(_, at)| *at).min()
    }

    pub(super) fn alarm_wanted(&mut self, run: String, at: Option<Millis>) {
        let before = self.least_alarm();
        self.alarms.retain(|(known, _)| *known != run);
        self.alarms.extend(at.map(|at| (run, at)));
        let after = self.least_alarm();
        if before != after {
            self.out.push(ThreadAction::SetAlarm(after));
        }
    }

    /// A living run's alarm is set anew; where none lives, whoever was active is looked after.
    pub(super) fn alarm_fired(&mut self, now: Millis) {
        let mut alarms = std::mem::take(&mut self.alarms);
        for (run, at) in &mut alarms {
            *at = (*at).max(now + self.lease);
            if !self.is_live(run) {
                *at = 0;
                self.recover(run.clone());
            }
        }
        self.alarms = alarms.into_iter().filter(|(_, at)| *at > 0).collect();
        match self.least_alarm() {
            Some(at) => self.out.push(ThreadAction::SetAlarm(Some(at))),
            None => self.look_after_last(),
        }
    }

    /// Where no run lives here and none is being claimed, the last one may have lost its worker.
    pub(super) fn look_after_last(&mut self) {
        if self.claiming.is_none() && self.live.is_empty() && self.check.is_none() {
            self.check = Some(Tries::default());
            self.ask_for_last();
        }
    }

    pub(super) fn ask_for_last(&mut self) {
        self.out.push(ThreadAction::Store(StoreOp::Load(ThreadKeys::new(&self.scope, &self.thread).active())));
    }

    /// A store that is away is asked again, and once more a lease later: nobody else may come to ask.
    pub(super) fn last_loaded(&mut self, now: Millis, mut tries: Tries, reply: StoreReply) {
        match reply {
            StoreReply::Found(bytes, _) => {
                if let Some(entry) = decode::<ActiveEntry>(&bytes) {
                    self.recover(entry.run);
                }
            }
            StoreReply::Missing => {}
            _ => match tries.again(now) {
                Some(at) => (self.check, self.pause) = (Some(tries), Some(at)),
                None => self.out.push(ThreadAction::SetAlarm(Some(now + self.lease))),
            },
        }
    }
}
