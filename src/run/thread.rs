//! The rules that span a thread's runs: who may start, and the one alarm for them all.
//!
//! How a run is claimed is in `claiming`; the claims of one thread are taken one at a time.

use super::keys::ThreadKeys;
use super::protocol::{Reply, Request};
use super::retention::Keep;
use super::store::{StoreOp, StoreReply, Traits};
use crate::Millis;
use crate::error::ErrorKind;
use crate::input::RunInput;
use alarm::Check;
use claiming::Claiming;
use std::collections::VecDeque;
use std::rc::Rc;
use upkeep::Upkeep;

mod alarm;
mod claiming;
mod looks;
mod shared;
mod upkeep;

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
    /// A client deletes a run, or all of the thread's.
    Delete {
        /// Who waits.
        request: Request,
        /// The run; absent for all.
        run: Option<String>,
    },
    /// A run that was admitted has answered its request.
    Settled {
        /// The run.
        run: String,
    },
    /// A run's machine is done, and no other of that run has been made since.
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
    /// Somebody waits for what the thread says next: a last run that nobody drives is looked after.
    Awaited,
    /// It is [`Thread::deadline`].
    Tick,
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
        /// The interrupted run of the thread that it answers.
        answers: Option<String>,
        /// The run was lost so often before it had begun that it is not begun again, but ended.
        lost: bool,
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
    /// Whoever reads this run is to look again: it is gone.
    Gone {
        /// The run.
        run: String,
    },
    /// No run of the thread is left: what the host keeps of it beside the store may go too.
    Cleared,
}

/// A run whose machine is at work here.
struct Live {
    run: String,
    /// Its claim, once that was admitted.
    claimed: Option<Claimed>,
}

/// An admitted claim: what every request for the run has to say, the interrupted run that it answers, and
/// whether it is only ended. One that does not begin has its head already: its machine is soon done.
struct Claimed {
    fingerprint: String,
    answers: Option<String>,
    lost: bool,
    begins: bool,
}

/// One thread of one scope.
pub struct Thread {
    keys: ThreadKeys,
    lease: Millis,
    traits: Traits,
    queue: VecDeque<(Request, Rc<RunInput>)>,
    claiming: Option<Claiming>,
    /// The look after the thread's last run, while it is under way.
    check: Option<Check>,
    /// When the one step under way is taken again: the store did not do it.
    pause: Option<Millis>,
    /// The run whose claim this instance has saved last.
    counted: Option<String>,
    /// When its entry was saved here last.
    entry_saved: Option<Millis>,
    /// The time of the step under way.
    now: Millis,
    live: Vec<Live>,
    alarms: Vec<(String, Millis)>,
    upkeep: Upkeep,
    out: Vec<ThreadAction>,
}

impl Thread {
    /// A thread that has done nothing yet. `lease` is how long after an alarm a living run's next is;
    /// `traits` say what the store is that it claims in.
    pub fn new(scope: &str, thread: &str, lease: Millis, traits: Traits) -> Self {
        Thread {
            keys: ThreadKeys::new(scope, thread),
            lease,
            traits,
            queue: VecDeque::new(),
            claiming: None,
            check: None,
            pause: None,
            counted: None,
            entry_saved: None,
            now: 0,
            live: Vec::new(),
            alarms: Vec::new(),
            upkeep: Upkeep::default(),
            out: Vec::new(),
        }
    }

    /// Lets what has ended be kept so long. Where others may own its runs nothing goes by an alarm.
    pub fn keeping(mut self, keep: Keep) -> Self {
        if self.is_exclusive() {
            self.upkeep.keep = keep;
        }
        self
    }

    /// Takes one input and says what is to be done.
    pub fn step(&mut self, now: Millis, input: ThreadInput) -> Vec<ThreadAction> {
        self.now = now;
        match input {
            ThreadInput::Post { request, input } => self.posted(request, input),
            ThreadInput::Settled { run } => self.settled(now, &run),
            ThreadInput::Delete { request, run } => self.upkeep.asked(request, run),
            ThreadInput::Done { run } => self.done(now, &run),
            ThreadInput::Store(reply) => self.stored(now, reply),
            ThreadInput::Alarm { run, at } => self.alarm_wanted(run, at),
            ThreadInput::AlarmFired => self.alarm_fired(now),
            ThreadInput::Awaited => self.look_after_last(None),
            ThreadInput::Tick => self.tick(now),
        }
        self.next_deletion(now);
        self.next_claim();
        self.next_upkeep(now);
        std::mem::take(&mut self.out)
    }

    fn done(&mut self, now: Millis, run: &str) {
        let lived = self.is_live(run);
        self.live.retain(|live| live.run != run);
        if lived {
            self.ended_here(now);
        }
        self.settled(now, run);
    }

    /// The one moment to call back with [`ThreadInput::Tick`], if nothing else comes before.
    pub fn deadline(&self) -> Option<Millis> {
        self.pause
    }

    /// Takes the step again that waits, if it is time.
    fn tick(&mut self, now: Millis) {
        if self.pause.take_if(|at| *at <= now).is_some() {
            match self.check {
                Some(_) => self.ask_for_last(),
                None if self.upkeep.is_sweeping() => self.sweep_asks(),
                None => self.ask(),
            }
        }
    }

    fn posted(&mut self, request: Request, input: Rc<RunInput>) {
        if input.exactly_once && self.traits.is_weak() {
            let refused = Reply::Refused(ErrorKind::ExactlyOnceUnsupported.into());
            return self.out.push(ThreadAction::Reply(request, refused));
        }
        if let Some((request, input)) = self.known(request, input) {
            self.queue.push_back((request, input));
        }
    }

    /// Gives the request to the run's machine if its claim was admitted; otherwise gives it back. One that
    /// only looks whether the run must be sealed may find that it never began: then a claim is needed.
    fn known(&mut self, request: Request, input: Rc<RunInput>) -> Option<(Request, Rc<RunInput>)> {
        let Some(Claimed { fingerprint, answers, lost, .. }) = self.claimed(&input.run) else {
            return Some((request, input));
        };
        let action = match *fingerprint == input.fingerprint {
            true => ThreadAction::Admit { request, answers: answers.clone(), lost: *lost, input },
            false => ThreadAction::Reply(request, Reply::Refused(ErrorKind::RunConflict.into())),
        };
        self.out.push(action);
        None
    }

    fn claimed(&self, run: &str) -> Option<&Claimed> {
        self.live.iter().find(|live| live.run == run)?.claimed.as_ref()
    }

    fn recover(&mut self, run: String) {
        self.lives(&run);
        self.out.push(ThreadAction::Recover { run });
    }

    fn is_live(&self, run: &str) -> bool {
        self.live.iter().any(|live| live.run == run)
    }

    fn lives(&mut self, run: &str) -> Option<&mut Live> {
        if !self.is_live(run) {
            self.live.push(Live { run: run.to_owned(), claimed: None });
        }
        self.live.iter_mut().find(|live| live.run == run)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
