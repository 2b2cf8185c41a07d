//! One run as an effect machine: inputs in, actions out. No clock, no I/O.
//!
//! A driver performs the actions and feeds back what came of them. One store operation is
//! outstanding at a time. Retries, conflicts, uncertain answers and time limits are decided here.

use super::emitter::Emitter;
use super::flight::Progress;
use super::outside::{Elsewhere, Ends};
use super::pace::Pace;
use super::protocol::{Action, Input, Reply, Request, Setup};
use super::record::RunRecord;
use super::resuming::Resuming;
use super::sanitize::{self, LogLine};
use super::store::StoreReply;
use super::tries::Tries;
use super::work::{Step, Work};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::input::RunInput;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Phase {
    Idle,
    Loading,
    Resuming,
    Claiming,
    Active,
    /// Another instance has the run, and somebody here cancels it.
    Elsewhere,
    Done,
}

/// One run.
pub struct Run {
    pub(super) setup: Setup,
    pub(super) writer: String,
    pub(super) phase: Phase,
    pub(super) waiting: Vec<(Request, Option<String>)>,
    pub(super) cancels: Vec<Request>,
    /// The input of a run that is only ended, since it was lost so often before it had begun.
    pub(super) lost: Option<Rc<RunInput>>,
    pub(super) resuming: Option<Resuming>,
    /// The load that is asked for while the run is looked for, and its tries.
    pub(super) loading: (String, Tries),
    pub(super) emitter: Option<Emitter>,
    pub(super) work: Option<Work>,
    pub(super) pace: Pace,
    pub(super) retry: Option<Millis>,
    pub(super) elsewhere: Option<Elsewhere>,
    pub(super) ends: Ends,
    out: Vec<Action>,
}

impl Run {
    /// A machine that has done nothing yet.
    pub fn new(setup: Setup) -> Self {
        let writer = setup.writer();
        Run {
            pace: Pace::new(setup.traits, setup.lease),
            setup,
            writer,
            phase: Phase::Idle,
            waiting: Vec::new(),
            cancels: Vec::new(),
            lost: None,
            resuming: None,
            loading: (String::new(), Tries::default()),
            emitter: None,
            work: None,
            retry: None,
            elsewhere: None,
            ends: Ends::default(),
            out: Vec::new(),
        }
    }

    /// Takes one input and says what is to be done.
    pub fn step(&mut self, now: Millis, input: Input) -> Vec<Action> {
        if self.phase == Phase::Done {
            self.late(input);
        } else {
            self.take(now, input);
        }
        // A writer that has stopped writes no more, whatever waits: its last commit may be missing before it.
        if self.phase != Phase::Done {
            self.pump(now);
        }
        std::mem::take(&mut self.out)
    }

    /// The one moment to call back with [`Input::Tick`], if nothing else comes before.
    pub fn deadline(&self) -> Option<Millis> {
        if self.phase == Phase::Done {
            return None;
        }
        let idle = self.emitter.as_ref().is_some_and(|emitter| !emitter.is_busy()) && !self.ends.looking;
        let works = self.is_active() && !self.is_ending();
        let work = self.work.as_ref().filter(|_| works).and_then(Work::deadline);
        let host = self.seals_at().filter(|_| works);
        [self.pace.deadline().filter(|_| idle), self.retry, work, host].into_iter().flatten().min()
    }

    /// True once the machine is done.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    fn take(&mut self, now: Millis, input: Input) {
        match input {
            Input::Post { request, input, lost: true, .. } => {
                let fingerprint = input.fingerprint.clone();
                self.lost = Some(input).filter(|_| self.work.is_none());
                self.asked(request, Some(fingerprint));
            }
            Input::Post { request, input, answers, .. } => self.posted(now, request, input, answers),
            Input::Recover { request } => self.asked(request, None),
            Input::Cancel { request } => self.cancelled(now, request),
            Input::Store(reply) => self.stored(now, reply),
            Input::Tick => self.tick(now),
            Input::HostEnds { at } => self.host_ends(now, at),
            Input::Readers { customer, operator } => self.pace.readers = (customer, operator),
            _ if self.phase != Phase::Active || self.is_ending() => {}
            other => {
                if let (Some(work), Some(emitter)) = (&mut self.work, &mut self.emitter) {
                    let step = work.take(now, other, emitter);
                    self.go_on(now, step);
                }
            }
        }
    }

    /// What comes once the machine is done: its requests are still answered.
    fn late(&mut self, input: Input) {
        if let Some(request) = input.request() {
            self.out.push(Action::Reply(request, Reply::Unknown));
        }
    }

    fn posted(&mut self, now: Millis, request: Request, input: Rc<RunInput>, answers: Option<String>) {
        let fingerprint = input.fingerprint.clone();
        self.admitted(now);
        if matches!(self.phase, Phase::Idle | Phase::Loading) && self.work.is_none() {
            match Work::new(&self.setup, input, now) {
                Ok(work) => {
                    self.work = Some(work);
                    self.resuming = answers.map(|run| Resuming::of(&self.setup, &run));
                }
                Err(error) if self.phase == Phase::Loading => {
                    return self.out.push(Action::Reply(request, Reply::Refused(error)));
                }
                Err(error) => {
                    self.waiting.push((request, None));
                    return self.refuse(error);
                }
            }
        }
        self.asked(request, Some(fingerprint));
    }

    fn asked(&mut self, request: Request, fingerprint: Option<String>) {
        match self.phase {
            Phase::Idle => {
                self.waiting.push((request, fingerprint));
                self.load();
            }
            Phase::Active | Phase::Elsewhere => {
                let known = self.fingerprint();
                self.reply_to(request, fingerprint.as_deref(), &known);
            }
            _ => self.waiting.push((request, fingerprint)),
        }
    }

    fn cancelled(&mut self, now: Millis, request: Request) {
        self.cancels.push(request);
        match self.phase {
            Phase::Idle => self.load(),
            Phase::Active => self.cancel(now),
            _ => {}
        }
    }

    /// Once an end is decided it is retried unchanged: a cancel is then answered with what stands.
    pub(super) fn cancel(&mut self, now: Millis) {
        let totals = self.work.as_ref().map(|work| work.totals(now)).unwrap_or_default();
        if let Some(emitter) = &mut self.emitter {
            let _ = emitter.cancel(totals);
        }
        self.abort();
    }

    fn stored(&mut self, now: Millis, reply: StoreReply) {
        match self.phase {
            Phase::Loading => return self.loaded(now, reply),
            Phase::Resuming => return self.resumes(now, reply),
            Phase::Elsewhere => return self.watched(now, reply),
            _ if self.ends.looking => return self.looked_for_cancel(now, reply),
            _ => {}
        }
        let Some(emitter) = &mut self.emitter else { return };
        match emitter.replied(now, reply) {
            Progress::None => {}
            Progress::RetryAt(at) => self.retry = Some(at),
            Progress::Committed(_) => self.committed(now),
            Progress::Lost(record) => self.lost(now, record.map(|record| *record)),
            Progress::Unreadable(error) => {
                self.log(error.kind());
                self.refuse(error);
            }
            Progress::GaveUp => self.gave_up(now),
            Progress::Unseen => self.unseen(now),
        }
    }

    fn committed(&mut self, now: Millis) {
        let Some(emitter) = &self.emitter else { return };
        let record = emitter.record();
        let (revision, status, lease, ended) = (record.revision, record.status, record.lease, record.is_ended());
        self.pace.committed(now, lease);
        self.out.push(Action::Wake { revision, ended });
        if self.phase == Phase::Claiming {
            self.answer_claim();
        }
        if ended {
            return self.finish(Reply::Ended(status));
        }
        if self.is_shared() {
            self.out.push(Action::SetAlarm(Some(lease)));
        }
        if self.phase == Phase::Claiming {
            self.claimed(now);
        }
        if self.is_ending() {
            return;
        }
        if let (Some(work), Some(emitter)) = (&mut self.work, &self.emitter) {
            let calls = work.tools_to_run(now, emitter);
            self.out.extend(calls.into_iter().map(Action::CallTool));
        }
        self.look_for_cancel(now);
    }

    /// Another record stands: that one is what readers get. Where it can't be read, nothing is known.
    fn lost(&mut self, now: Millis, record: Option<RunRecord>) {
        let Some(record) = record else { return self.gave_up(now) };
        self.answer_waiting(&record.fingerprint);
        self.out.push(Action::Wake { revision: record.revision, ended: record.is_ended() });
        self.leave(now, &record);
    }

    /// The run is somebody else's, or over. Whoever has it may be lost yet.
    pub(super) fn leave(&mut self, now: Millis, record: &RunRecord) {
        if self.is_shared() && !self.cancels.is_empty() && !record.is_ended() {
            return self.cancel_elsewhere(now, record);
        }
        self.finish(Reply::Ended(record.status));
        if !record.is_ended() {
            let over = record.lease.saturating_add(self.setup.traits.staleness).saturating_add(1);
            self.out.push(Action::SetAlarm(Some(over)));
        }
    }

    /// No terminal byte: recovery ends the run, by its alarm.
    pub(super) fn gave_up(&mut self, now: Millis) {
        self.log(ErrorKind::StoreUnavailable);
        self.refuse(ErrorKind::StoreUnavailable.into());
        self.out.push(Action::SetAlarm(Some(now + self.setup.lease)));
    }

    fn tick(&mut self, now: Millis) {
        if self.retry.take_if(|at| *at <= now).is_some() {
            match (&mut self.emitter, self.phase) {
                (Some(emitter), _) => emitter.retry(),
                (None, Phase::Loading | Phase::Resuming) => self.ask(),
                (None, Phase::Elsewhere) => self.watch(),
                _ => {}
            }
        }
        if !self.end_with_host(now)
            && self.phase == Phase::Active
            && !self.is_ending()
            && let (Some(work), Some(emitter)) = (&mut self.work, &mut self.emitter)
        {
            let step = work.tick(now, emitter);
            self.go_on(now, step);
        }
    }

    /// Does what the turn wants next. What it writes is already with the emitter.
    pub(super) fn go_on(&mut self, now: Millis, step: Step) {
        match step {
            Step::Nothing => {}
            Step::Call { call, body } => self.out.push(Action::CallModel { call, body }),
            Step::Over => self.abort(),
            Step::Again(kind) => {
                self.log(kind);
                self.abort();
            }
            Step::CallNext { over, call, body } => {
                self.out.push(Action::Abort(over));
                self.out.push(Action::CallModel { call, body });
            }
            Step::Fail(kind) => {
                let totals = self.work.as_ref().map(|work| work.totals(now)).unwrap_or_default();
                let failure = self.failure(kind);
                self.log(kind);
                if let Some(emitter) = &mut self.emitter {
                    let _ = emitter.fail(failure, totals);
                }
                self.abort();
            }
        }
    }

    fn abort(&mut self) {
        if let Some(call) = self.work.as_mut().and_then(Work::let_go) {
            self.out.push(Action::Abort(call));
        }
    }

    pub(super) fn refuse(&mut self, error: Error) {
        for (request, _) in std::mem::take(&mut self.waiting) {
            self.out.push(Action::Reply(request, Reply::Refused(error.clone())));
        }
        self.finish(Reply::Refused(error));
    }

    pub(super) fn finish(&mut self, reply: Reply) {
        self.abort();
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|(request, _)| request);
        for request in waiting.chain(std::mem::take(&mut self.cancels)) {
            self.out.push(Action::Reply(request, reply.clone()));
        }
        self.phase = Phase::Done;
        let format = self.work.as_ref().and_then(Work::found_format);
        self.out.extend(format.map(|format| Action::Log(LogLine::of_format(format.name(), &self.setup.run))));
        // What filters have found in a message that has not ended they tell as they go.
        self.work = None;
        self.out.extend(LogLine::of_found(&self.setup.run, self.setup.redactor.found()).map(Action::Log));
        self.out.push(Action::SetAlarm(None));
        self.out.push(Action::Done);
    }

    pub(super) fn answer_waiting(&mut self, fingerprint: &str) {
        for (request, asked) in std::mem::take(&mut self.waiting) {
            self.reply_to(request, asked.as_deref(), fingerprint);
        }
    }

    /// The fingerprint of the run that the emitter writes, or another instance.
    pub(super) fn fingerprint(&self) -> String {
        let own = self.emitter.as_ref().map(|emitter| emitter.record().fingerprint.clone());
        own.unwrap_or_else(|| self.fingerprint_elsewhere())
    }

    fn reply_to(&mut self, request: Request, asked: Option<&str>, known: &str) {
        let reply = match asked {
            Some(asked) if asked != known => Reply::Refused(ErrorKind::RunConflict.into()),
            _ => Reply::Join,
        };
        self.out.push(Action::Reply(request, reply));
    }

    pub(super) fn is_ending(&self) -> bool {
        self.emitter.as_ref().is_some_and(Emitter::is_ending)
    }

    pub(super) fn act(&mut self, action: Action) {
        self.out.push(action);
    }

    pub(super) fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }

    pub(super) fn failure(&self, kind: ErrorKind) -> crate::event::Failure {
        sanitize::failure(kind, &self.setup.run, &self.writer)
    }

    pub(super) fn log(&mut self, kind: ErrorKind) {
        self.out.push(Action::Log(sanitize::log_line(kind, &self.setup.run, &self.writer)));
    }
}
