//! The rules that span a thread's runs: who may start, and the one alarm for them all.
//!
//! A claim takes three keys in order, each repeatable: the index (run → thread, fingerprint), the
//! thread (its active run; free when that run has ended or has no head), and the head, which the
//! run itself takes. Nothing is released at the end: the next claim sees the ended head. Claims of
//! one thread are taken one at a time.

use super::index::{ActiveEntry, IndexEntry, VERSION};
use super::keys::{self, ThreadKeys};
use super::protocol::{Reply, Request};
use super::record::RunRecord;
use super::store::{Expect, Head, StoreOp, StoreReply, Version};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::input::RunInput;
use crate::json::{self, Json};
use crate::stored::decode;
use std::collections::VecDeque;
use std::rc::Rc;

/// How often one step of a claim is tried before it is refused.
const TRIES: u32 = 5;

/// What a thread is told.
#[derive(Clone, Debug)]
pub enum ThreadInput {
    /// A client asks for a run.
    Post {
        /// Who waits.
        request: Request,
        /// What it asks.
        input: Rc<RunInput>,
    },
    /// A run that was admitted has answered its request.
    Settled {
        /// The run.
        run: String,
    },
    /// A run's machine is done.
    Done {
        /// The run.
        run: String,
    },
    /// The store's answer to the outstanding operation.
    Store(StoreReply),
    /// A run wants the alarm, or wants it no more.
    Alarm {
        /// The run.
        run: String,
        /// When.
        at: Option<Millis>,
    },
    /// The alarm has gone off.
    AlarmFired,
}

/// What a driver is to do for a thread.
#[derive(Clone, Debug, PartialEq)]
pub enum ThreadAction {
    /// Perform it and feed back the answer.
    Store(StoreOp),
    /// Give the request to the run's machine, which is made if there is none.
    Admit {
        /// Who waits.
        request: Request,
        /// What it asks.
        input: Rc<RunInput>,
    },
    /// Answer the request.
    Reply(Request, Reply),
    /// Let the run's machine look whether the run must be sealed. It answers nobody.
    Recover {
        /// The run.
        run: String,
    },
    /// Set the thread's one alarm.
    SetAlarm(Option<Millis>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    SaveIndex,
    LoadIndex,
    OwnHead,
    LoadActive,
    OtherHead,
    SaveActive,
    Admitted,
    Recovering,
}

struct Claiming {
    request: Request,
    input: Rc<RunInput>,
    stage: Stage,
    tries: u32,
    active: Option<Version>,
    other: Option<String>,
}

/// One thread of one scope.
pub struct Thread {
    scope: String,
    thread: String,
    lease: Millis,
    exclusive: bool,
    queue: VecDeque<(Request, Rc<RunInput>)>,
    claiming: Option<Claiming>,
    alarm_check: bool,
    live: Vec<String>,
    alarms: Vec<(String, Millis)>,
    out: Vec<ThreadAction>,
}

impl Thread {
    /// A thread that has done nothing yet. `lease` is how long after an alarm a living run's next is;
    /// `exclusive` says that no other instance can hold one of its runs.
    pub fn new(scope: &str, thread: &str, lease: Millis, exclusive: bool) -> Self {
        Thread {
            scope: scope.to_owned(),
            thread: thread.to_owned(),
            lease,
            exclusive,
            queue: VecDeque::new(),
            claiming: None,
            alarm_check: false,
            live: Vec::new(),
            alarms: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Takes one input and says what is to be done.
    pub fn step(&mut self, now: Millis, input: ThreadInput) -> Vec<ThreadAction> {
        match input {
            ThreadInput::Post { request, input } => self.posted(request, input),
            ThreadInput::Settled { run } => self.settled(&run),
            ThreadInput::Done { run } => {
                self.live.retain(|live| *live != run);
                self.settled(&run);
            }
            ThreadInput::Store(reply) => self.stored(reply),
            ThreadInput::Alarm { run, at } => self.alarm_wanted(run, at),
            ThreadInput::AlarmFired => self.alarm_fired(now),
        }
        self.next_claim();
        std::mem::take(&mut self.out)
    }

    fn posted(&mut self, request: Request, input: Rc<RunInput>) {
        if self.is_live(&input.run) {
            return self.out.push(ThreadAction::Admit { request, input });
        }
        self.queue.push_back((request, input));
    }

    fn next_claim(&mut self) {
        while self.claiming.is_none() && !self.alarm_check {
            let Some((request, input)) = self.queue.pop_front() else { return };
            if self.is_live(&input.run) {
                self.out.push(ThreadAction::Admit { request, input });
                continue;
            }
            self.claiming =
                Some(Claiming { request, input, stage: Stage::SaveIndex, tries: 0, active: None, other: None });
            self.ask();
        }
    }

    /// Asks the store for what the stage needs.
    fn ask(&mut self) {
        let Some(claim) = &self.claiming else { return };
        let run = &claim.input.run;
        let keys = ThreadKeys::new(&self.scope, &self.thread);
        let op = match claim.stage {
            Stage::SaveIndex => {
                let entry = IndexEntry {
                    v: VERSION,
                    run: run.clone(),
                    thread: self.thread.clone(),
                    fingerprint: claim.input.fingerprint.clone(),
                };
                save(keys::index(&self.scope, run), &entry, Expect::Absent)
            }
            Stage::LoadIndex => StoreOp::Load(keys::index(&self.scope, run)),
            Stage::OwnHead => StoreOp::Load(keys.run(run).head()),
            Stage::LoadActive => StoreOp::Load(keys.active()),
            Stage::OtherHead => StoreOp::Load(keys.run(claim.other.as_deref().unwrap_or_default()).head()),
            Stage::SaveActive => {
                let entry = ActiveEntry { v: VERSION, thread: self.thread.clone(), run: run.clone() };
                let expect = claim.active.clone().map_or(Expect::Absent, Expect::Version);
                save(keys.active(), &entry, expect)
            }
            Stage::Admitted | Stage::Recovering => return,
        };
        self.out.push(ThreadAction::Store(op));
    }

    fn stored(&mut self, reply: StoreReply) {
        if std::mem::take(&mut self.alarm_check) {
            return self.alarm_owner(reply);
        }
        let Some(claim) = &mut self.claiming else { return };
        match (claim.stage, reply) {
            (_, StoreReply::Unavailable) => self.again(None),
            (Stage::SaveIndex, StoreReply::Saved(_)) => self.go(Stage::LoadActive),
            (Stage::SaveIndex, _) => self.go(Stage::LoadIndex),
            (Stage::LoadIndex, StoreReply::Found(bytes, _)) => self.indexed(&bytes),
            (Stage::LoadIndex, StoreReply::Missing) => self.again(Some(Stage::SaveIndex)),
            (Stage::OwnHead, StoreReply::Found(..)) => self.admit(),
            (Stage::OwnHead, StoreReply::Missing) => self.go(Stage::LoadActive),
            (Stage::LoadActive, StoreReply::Found(bytes, version)) => self.active(&bytes, version),
            (Stage::LoadActive, StoreReply::Missing) => {
                claim.active = None;
                self.go(Stage::SaveActive);
            }
            (Stage::OtherHead, StoreReply::Found(bytes, _)) => self.other(&bytes),
            (Stage::OtherHead, StoreReply::Missing) => self.go(Stage::SaveActive),
            (Stage::SaveActive, StoreReply::Saved(_)) => self.admit(),
            (Stage::SaveActive, _) => self.again(Some(Stage::LoadActive)),
            _ => self.again(None),
        }
    }

    fn indexed(&mut self, bytes: &[u8]) {
        let Some(claim) = &self.claiming else { return };
        match IndexEntry::decode(bytes) {
            Err(error) => self.refuse(error),
            Ok(entry) if entry.thread != self.thread || entry.fingerprint != claim.input.fingerprint => {
                self.refuse(ErrorKind::RunConflict.into());
            }
            Ok(_) => self.go(Stage::OwnHead),
        }
    }

    fn active(&mut self, bytes: &[u8], version: Version) {
        let Some(entry) = decode::<ActiveEntry>(bytes) else {
            return self.refuse(ErrorKind::RecordUnreadable.into());
        };
        let Some(claim) = &mut self.claiming else { return };
        claim.active = Some(version);
        if entry.run == claim.input.run {
            return self.admit();
        }
        claim.other = Some(entry.run);
        self.go(Stage::OtherHead);
    }

    /// Another run holds the thread: it is busy, unless that run has ended or its worker is gone.
    fn other(&mut self, bytes: &[u8]) {
        let record = match RunRecord::decode(bytes) {
            Ok(record) => record,
            Err(error) => return self.refuse(error),
        };
        if record.is_ended() {
            return self.go(Stage::SaveActive);
        }
        if self.is_live(&record.run) || !self.exclusive {
            return self.refuse(ErrorKind::ThreadBusy.into());
        }
        if let Some(claim) = &mut self.claiming {
            claim.stage = Stage::Recovering;
        }
        self.recover(record.run);
    }

    fn recover(&mut self, run: String) {
        self.lives(&run);
        self.out.push(ThreadAction::Recover { run });
    }

    fn admit(&mut self) {
        let Some(claim) = &mut self.claiming else { return };
        claim.stage = Stage::Admitted;
        let (request, input) = (claim.request, claim.input.clone());
        self.lives(&input.run);
        self.out.push(ThreadAction::Admit { request, input });
    }

    fn settled(&mut self, run: &str) {
        let Some(claim) = &self.claiming else { return };
        match claim.stage {
            Stage::Admitted if claim.input.run == run => self.claiming = None,
            Stage::Recovering if claim.other.as_deref() == Some(run) && !self.is_live(run) => {
                self.again(Some(Stage::LoadActive));
            }
            _ => {}
        }
    }

    fn go(&mut self, stage: Stage) {
        if let Some(claim) = &mut self.claiming {
            claim.stage = stage;
        }
        self.ask();
    }

    fn again(&mut self, stage: Option<Stage>) {
        let Some(claim) = &mut self.claiming else { return };
        claim.tries += 1;
        if claim.tries >= TRIES {
            return self.refuse(ErrorKind::StoreUnavailable.into());
        }
        let stage = stage.unwrap_or(claim.stage);
        self.go(stage);
    }

    fn refuse(&mut self, error: Error) {
        if let Some(claim) = self.claiming.take() {
            self.out.push(ThreadAction::Reply(claim.request, Reply::Refused(error)));
        }
    }

    fn is_live(&self, run: &str) -> bool {
        self.live.iter().any(|live| live == run)
    }

    fn lives(&mut self, run: &str) {
        if !self.is_live(run) {
            self.live.push(run.to_owned());
        }
    }

    fn least_alarm(&self) -> Option<Millis> {
        self.alarms.iter().map(|(_, at)| *at).min()
    }

    fn alarm_wanted(&mut self, run: String, at: Option<Millis>) {
        let before = self.least_alarm();
        self.alarms.retain(|(known, _)| *known != run);
        self.alarms.extend(at.map(|at| (run, at)));
        let after = self.least_alarm();
        if before != after {
            self.out.push(ThreadAction::SetAlarm(after));
        }
    }

    /// A living run's alarm is set anew; where none lives, whoever was active is looked after.
    fn alarm_fired(&mut self, now: Millis) {
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
            None if self.claiming.is_none() && self.live.is_empty() => {
                self.alarm_check = true;
                self.out.push(ThreadAction::Store(StoreOp::Load(ThreadKeys::new(&self.scope, &self.thread).active())));
            }
            None => {}
        }
    }

    fn alarm_owner(&mut self, reply: StoreReply) {
        if let StoreReply::Found(bytes, _) = reply
            && let Some(entry) = decode::<ActiveEntry>(&bytes)
        {
            self.recover(entry.run);
        }
    }
}

fn save(key: String, entry: &dyn Json, expect: Expect) -> StoreOp {
    let value = json::text(entry).into_bytes();
    StoreOp::Save { parts: Vec::new(), head: Some(Head { key, value, expect }) }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
