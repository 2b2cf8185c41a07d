//! The rules that span a thread's runs: who may start, and the one alarm for them all.
//!
//! How a run is claimed is in `claiming`; the claims of one thread are taken one at a time.

use super::index::ActiveEntry;
use super::keys::ThreadKeys;
use super::protocol::{Reply, Request};
use super::store::{StoreOp, StoreReply};
use crate::Millis;
use crate::input::RunInput;
use crate::stored::decode;
use claiming::Claiming;
use std::collections::VecDeque;
use std::rc::Rc;

mod claiming;

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
            ThreadInput::Store(reply) => self.stored(now, reply),
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

    fn recover(&mut self, run: String) {
        self.lives(&run);
        self.out.push(ThreadAction::Recover { run });
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
