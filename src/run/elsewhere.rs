//! What a run's machine does where another instance may hold the run, or its own may be about to end.
//!
//! A run that lives elsewhere is cancelled by a key that it looks for beside its saves. Whoever writes the key
//! never writes an outcome: it watches the head for a while and answers with what it has seen.

use super::machine::{Phase, Run};
use super::outside::Elsewhere;
use super::protocol::{Action, Reply};
use super::record::RunRecord;
use super::store::{Owner, Part, StoreOp, StoreReply};
use super::tries::Tries;
use super::work::Step;
use crate::Millis;
use crate::error::{Error, ErrorKind};

/// What stands under the key that asks for a cancel: its version, and that it is there.
const ASKED: &[u8] = br#"{"v":1}"#;
/// How long after a lease's third, in which a living run looks, its end is watched for, in milliseconds.
const WATCH: Millis = 5_000;
/// The pause before the first look for the end; each one after doubles it.
const FIRST_LOOK: Millis = 250;
/// How long a run that saves often does not look whether it is to be cancelled, in milliseconds.
const LOOK_EVERY: Millis = 5_000;
/// How long before its host ends a run begins to seal itself, beside the time for two writes, in milliseconds.
const BEFORE_END: Millis = 1_000;

impl Run {
    /// True if another instance may hold the run.
    pub(super) fn is_shared(&self) -> bool {
        self.setup.traits.owner == Owner::Shared
    }

    /// What is said where a run was looked for and is not there: where reads may be old, nobody knows.
    pub(super) fn not_there(&self) -> Reply {
        match self.setup.traits.staleness {
            0 => Reply::Unknown,
            staleness => Reply::Refused(maybe_stale(staleness)),
        }
    }

    /// The run was admitted.
    pub(super) fn admitted(&mut self, now: Millis) {
        self.ends.admitted.get_or_insert(now);
    }

    /// True if so much time has gone since the run was admitted that another instance may soon give its thread
    /// to another: within a lease of the claim of the thread, half of which is left for what is slow.
    pub(super) fn is_late(&self, now: Millis) -> bool {
        self.is_shared() && self.ends.admitted.is_some_and(|at| now > at + self.setup.lease / 2)
    }

    /// The claim is saved and was not to be seen in all the time that a read may be old.
    pub(super) fn unseen(&mut self, now: Millis) {
        let staleness = self.setup.traits.staleness;
        self.refuse(maybe_stale(staleness));
        self.act(Action::SetAlarm(Some(now + self.setup.lease + staleness)));
    }

    /// Another instance has the run that somebody here cancels.
    pub(super) fn cancel_elsewhere(&mut self, now: Millis, record: &RunRecord) {
        self.answer_waiting(&record.fingerprint);
        (self.emitter, self.work) = (None, None);
        self.phase = Phase::Elsewhere;
        self.elsewhere = Some(Elsewhere {
            fingerprint: record.fingerprint.clone(),
            asked: false,
            until: now + self.setup.lease / 3 + WATCH,
            pause: FIRST_LOOK,
            tries: Tries::default(),
        });
        self.watch();
    }

    /// The fingerprint of the run that another instance has.
    pub(super) fn fingerprint_elsewhere(&self) -> String {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.fingerprint.clone()).unwrap_or_default()
    }

    /// Asks for the cancel, or looks whether the run has ended.
    pub(super) fn watch(&mut self) {
        let keys = self.setup.keys();
        let op = match &self.elsewhere {
            Some(Elsewhere { asked: false, .. }) => {
                StoreOp::Save { parts: vec![Part { key: keys.cancel(), value: ASKED.to_vec() }], head: None }
            }
            _ => StoreOp::Load(keys.head()),
        };
        self.act(Action::Store(op));
    }

    pub(super) fn watched(&mut self, now: Millis, reply: StoreReply) {
        let Some(elsewhere) = &mut self.elsewhere else { return };
        match reply {
            StoreReply::Found(bytes, version) => match RunRecord::decode_under(&bytes, &self.setup.keys()) {
                Err(error) => return self.refuse(error),
                Ok(record) if record.is_ended() || self.setup.traits.is_over(record.lease, now) => {
                    return self.found(now, record, version);
                }
                Ok(_) => {}
            },
            StoreReply::Saved(_) => elsewhere.asked = true,
            _ if !elsewhere.asked => {
                let soonest = now + self.setup.traits.min_interval;
                self.retry = elsewhere.tries.again(now).map(|at| at.max(soonest));
                if self.retry.is_none() {
                    self.refuse(ErrorKind::StoreUnavailable.into());
                }
                return;
            }
            _ => {}
        }
        if now >= elsewhere.until {
            return self.finish(Reply::CancelAsked);
        }
        self.retry = Some((now + elsewhere.pause).min(elsewhere.until));
        elsewhere.pause *= 2;
    }

    /// Behind a save: is the run to be cancelled? Asked of the store where others may have put it there.
    pub(super) fn look_for_cancel(&mut self, now: Millis) {
        let lately = self.ends.looked.is_some_and(|at| now < at + LOOK_EVERY);
        if self.is_shared() && !self.is_ending() && !lately {
            (self.ends.looked, self.ends.looking) = (Some(now), true);
            self.act(Action::Store(StoreOp::Load(self.setup.keys().cancel())));
        }
    }

    /// What can't be read is asked for again behind the next save.
    pub(super) fn looked_for_cancel(&mut self, now: Millis, reply: StoreReply) {
        self.ends.looking = false;
        if let StoreReply::Found(..) = reply
            && !self.is_ending()
        {
            self.cancel(now);
        }
    }

    pub(super) fn host_ends(&mut self, now: Millis, at: Millis) {
        self.ends.host = Some(at);
        self.end_with_host(now);
    }

    /// When the run seals itself, since its host ends.
    pub(super) fn seals_at(&self) -> Option<Millis> {
        let before = BEFORE_END + 2 * self.setup.traits.min_interval;
        self.ends.host.map(|at| at.saturating_sub(before))
    }

    /// Ends the run if its host is about to. True if it has.
    pub(super) fn end_with_host(&mut self, now: Millis) -> bool {
        let ends = self.is_active() && !self.is_ending() && self.seals_at().is_some_and(|at| at <= now);
        if ends {
            self.go_on(now, Step::Fail(ErrorKind::WorkerLost));
        }
        ends
    }
}

/// That a run is not there may be old news: when to ask again.
fn maybe_stale(staleness: Millis) -> Error {
    Error::new(ErrorKind::MaybeStale).after(staleness)
}
