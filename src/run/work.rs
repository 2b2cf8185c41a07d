//! The turn at work inside a run: provider bytes to signals, signals to events, decisions to steps.

use super::attempts::Attempts;
use super::emitter::Emitter;
use super::protocol::{Input, Limits, ModelCall, Setup};
use super::sanitize;
use super::shown::redacted;
use super::usage::count;
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{ModelUsage, PIECE, Plain, ToolOutcome, pieces};
use crate::executor::{Approvals, Executor, Next, Paused, ToolResult, questions};
use crate::input::{Call, Message, RunInput};
use crate::provider::{Decoder, Format, Options};
use crate::redact::{Channel, Redactor};
use crate::signal::{Fault, Signal};
use crate::turn::{Decision, TurnOutput};
use std::rc::Rc;

mod ending;

/// What the machine is to do next for the turn.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Nothing,
    Call {
        call: ModelCall,
        body: Vec<u8>,
    },
    CallNext {
        over: ModelCall,
        call: ModelCall,
        body: Vec<u8>,
    },
    /// An end was submitted, or tools are to run: the response is not read on.
    Over,
    /// The attempt failed so and is made again later.
    Again(ErrorKind),
    Fail(ErrorKind),
}

pub(super) struct Work {
    input: Rc<RunInput>,
    turn: TurnOutput,
    executor: Executor,
    redactor: Rc<dyn Redactor>,
    format: Format,
    options: Options,
    decoder: Box<dyn Decoder>,
    /// The first call's body, which was made to see whether the provider can be given the input.
    first: Option<Vec<u8>>,
    tag: String,
    approvals: Approvals,
    limits: Limits,
    started: Millis,
    ttft: Option<Millis>,
    /// To the first piece of the last early answer.
    early: Option<Millis>,
    usage: Vec<ModelUsage>,
    call: ModelCall,
    attempts: Attempts,
    live: bool,
    reading: bool,
    heard: bool,
    upstream_due: Option<Millis>,
    tools_due: Option<Millis>,
    to_commit: Vec<Call>,
}

impl Work {
    /// # Errors
    /// What the provider can't be given ([`ErrorKind::UnsupportedPart`]), before anything is claimed.
    pub(super) fn new(setup: &Setup, input: Rc<RunInput>, now: Millis) -> Result<Self, Error> {
        let executor = executor(setup, &input);
        let first = Some(executor.request()?);
        Ok(Work { first, ..Work::over(setup, input, executor, None, now) })
    }

    /// Goes on with the turn of an interrupted run, to which the input has the answers.
    pub(super) fn resumed(setup: &Setup, input: Rc<RunInput>, paused: Paused, now: Millis) -> Self {
        let calls = paused.calls;
        let work = Work::over(setup, input.clone(), executor(setup, &input), Some(&paused), now);
        let executor = work.executor.resume(paused, &input.resume);
        Work { call: calls, executor, ..work }
    }

    fn over(setup: &Setup, input: Rc<RunInput>, executor: Executor, paused: Option<&Paused>, now: Millis) -> Self {
        let sent = input.messages.iter().flat_map(Message::calls).map(|call| call.id.as_str());
        let used: Vec<&str> = sent.chain(paused.into_iter().flat_map(Paused::call_ids)).collect();
        let turn = TurnOutput::new(&setup.tag(), setup.redactor.clone(), &used)
            .rule(setup.rule)
            .public_intermediate(setup.profile.public_intermediate)
            .public_thinking(setup.profile.public_thinking)
            .max_text(setup.limits.output)
            .joining(setup.deltas_apart);
        Work {
            input,
            turn,
            executor,
            tag: setup.tag(),
            approvals: setup.approvals.clone(),
            redactor: setup.redactor.clone(),
            format: setup.format,
            options: setup.options,
            decoder: setup.format.decoder_with(setup.options),
            first: None,
            limits: setup.limits,
            started: now,
            ttft: None,
            early: None,
            usage: Vec::new(),
            call: 0,
            attempts: Attempts::new(setup.limits.retries),
            live: false,
            reading: false,
            heard: false,
            upstream_due: None,
            tools_due: None,
            to_commit: Vec::new(),
        }
    }

    pub(super) fn input(&self) -> &Rc<RunInput> {
        &self.input
    }

    /// Begins, or goes on: with the calls that a person has approved. What they have not is told to the
    /// model, and to operators.
    pub(super) fn begin(&mut self, now: Millis, emitter: &mut Emitter) -> Step {
        for (call, words) in self.executor.take_declined() {
            self.announce(&call, emitter);
            tool_ended(&call.id, words, ToolOutcome::Error, emitter);
        }
        let next = self.executor.begin();
        self.next(now, next, emitter)
    }

    /// The one call whose stream is still held, which then no longer is.
    pub(super) fn let_go(&mut self) -> Option<ModelCall> {
        self.reading = false;
        self.upstream_due = None;
        std::mem::take(&mut self.live).then_some(self.call)
    }

    pub(super) fn take(&mut self, now: Millis, input: Input, emitter: &mut Emitter) -> Step {
        match input {
            Input::Bytes(call, bytes) if call == self.call && self.live => self.bytes(now, Some(&bytes), emitter),
            Input::Eof(call) if call == self.call && self.live => self.bytes(now, None, emitter),
            Input::Refused(call, status) if call == self.call && self.live => {
                self.attempt_failed(now, sanitize::refused(status), emitter)
            }
            Input::Unreachable(call) if call == self.call && self.live => {
                self.attempt_failed(now, ErrorKind::UpstreamUnavailable, emitter)
            }
            Input::ToolDone(call, result) => self.tool_done(now, &call, result, emitter),
            _ => Step::Nothing,
        }
    }

    pub(super) fn tick(&mut self, now: Millis, emitter: &mut Emitter) -> Step {
        if now >= self.run_due() {
            return Step::Fail(ErrorKind::RunTimeout);
        }
        if self.upstream_due.is_some_and(|at| at <= now) {
            if self.decoder.has_finished() {
                return self.stalled_behind_its_finish(now, emitter);
            }
            return self.attempt_failed(now, ErrorKind::UpstreamTimeout, emitter);
        }
        if self.attempts.is_due(now) {
            return self.send();
        }
        if self.tools_due.is_some_and(|at| at <= now) {
            let late = ToolResult { ok: false, content: "The tool took too long.".to_owned() };
            for call in self.executor.awaited() {
                let step = self.tool_done(now, &call, late.clone(), emitter);
                if step != Step::Nothing {
                    return step;
                }
            }
        }
        Step::Nothing
    }

    pub(super) fn deadline(&self) -> Option<Millis> {
        [self.upstream_due, self.attempts.due(), self.tools_due, Some(self.run_due())].into_iter().flatten().min()
    }

    /// Asks for one more chunk, if the stream is held and none is asked for.
    pub(super) fn read(&mut self, now: Millis) -> Option<ModelCall> {
        if !self.live || std::mem::replace(&mut self.reading, true) {
            return None;
        }
        self.upstream_due = Some(now + if self.heard { self.limits.idle } else { self.limits.first_byte });
        Some(self.call)
    }

    pub(super) fn has_tools_to_commit(&self) -> bool {
        !self.to_commit.is_empty()
    }

    /// The calls of ours that the journal now names.
    pub(super) fn tools_to_run(&mut self, now: Millis, emitter: &Emitter) -> Vec<Call> {
        let (run, wait): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.to_commit).into_iter().partition(|call| emitter.has_committed_tool(&call.id));
        self.to_commit = wait;
        if !run.is_empty() {
            self.tools_due = Some(now + self.limits.tools);
        }
        run
    }

    fn run_due(&self) -> Millis {
        self.started.saturating_add(self.limits.run)
    }

    fn bytes(&mut self, now: Millis, bytes: Option<&[u8]>, emitter: &mut Emitter) -> Step {
        self.reading = false;
        self.upstream_due = None;
        self.heard = true;
        let mut signals = Vec::new();
        match bytes {
            Some(bytes) => self.decoder.feed(bytes, &mut signals),
            None => self.decoder.finish(&mut signals),
        }
        self.turn.join(&mut signals);
        self.signals(now, signals, bytes.is_none(), emitter)
    }

    /// The provider has said how the response ended, and then neither its end mark nor the end of its
    /// stream came: the response is whole. The stream is still held, and let go of by what comes next.
    fn stalled_behind_its_finish(&mut self, now: Millis, emitter: &mut Emitter) -> Step {
        let mut signals = Vec::new();
        self.decoder.finish(&mut signals);
        self.signals(now, signals, false, emitter)
    }

    fn signals(&mut self, now: Millis, signals: Vec<Signal>, at_eof: bool, emitter: &mut Emitter) -> Step {
        for signal in signals {
            if let Signal::Error(Fault::Reported | Fault::Cut) = signal
                && let Some(again) = self.again(now, ErrorKind::UpstreamUnavailable, emitter)
            {
                return again;
            }
            let decision = self.turn.signal(signal);
            if self.turn.has_spoken() && self.ttft.is_none() {
                self.ttft = Some(now.saturating_sub(self.started));
            }
            if let Some(decision) = decision {
                self.write_turn(now, emitter);
                count(&mut self.usage, &self.turn.take_usage());
                return self.decided(now, decision, at_eof, emitter);
            }
            // What is to come behind it must not be written before it.
            if self.turn.has_early() {
                self.write_turn(now, emitter);
            }
        }
        self.write_turn(now, emitter);
        match at_eof {
            false => Step::Nothing,
            true => self.attempt_failed(now, ErrorKind::UpstreamUnavailable, emitter),
        }
    }

    fn attempt_failed(&mut self, now: Millis, kind: ErrorKind, emitter: &mut Emitter) -> Step {
        self.again(now, kind, emitter).unwrap_or(Step::Fail(kind))
    }

    /// Drops an attempt that failed, if another is made. The turn is not told of the failure: what it
    /// holds, the filter's tail included, is dropped unseen. What the attempt cost still counts.
    fn again(&mut self, now: Millis, kind: ErrorKind, emitter: &mut Emitter) -> Option<Step> {
        if !self.attempts.again(now, kind) {
            return None;
        }
        count(&mut self.usage, &self.turn.take_usage());
        self.turn.attempt_reset();
        self.write_turn(now, emitter);
        Some(Step::Again(kind))
    }

    fn decided(&mut self, now: Millis, decision: Decision, at_eof: bool, emitter: &mut Emitter) -> Step {
        let next = self.executor.decided(decision);
        if at_eof {
            self.live = false;
        }
        self.next(now, next, emitter)
    }

    fn next(&mut self, now: Millis, next: Next, emitter: &mut Emitter) -> Step {
        match next {
            Next::CallModel => self.call_model(),
            Next::Fail(kind) => Step::Fail(kind),
            Next::Wait => Step::Nothing,
            Next::RunTools(calls) => {
                for call in calls {
                    self.announce(&call, emitter);
                    self.to_commit.push(call);
                }
                Step::Over
            }
            Next::Ask(calls) => self.ask(now, calls, emitter),
            Next::Finish => self.publish(now, emitter),
            Next::HandOver(calls) => match self.turn.hand_over(calls) {
                Ok(calls) => submitted(emitter.hand_over(calls, self.totals(now))),
                Err(error) => Step::Fail(error.kind()),
            },
        }
    }

    /// Nobody is asked of a call that can't be shown.
    fn ask(&mut self, now: Millis, calls: Vec<Call>, emitter: &mut Emitter) -> Step {
        let mut shown = Vec::with_capacity(calls.len());
        for call in calls {
            match redacted(&*self.redactor, &call) {
                (_, true) => return Step::Fail(ErrorKind::OutputBlocked),
                (call, false) => shown.push(call),
            }
        }
        let questions = questions(&self.tag, shown, &self.approvals, now);
        match self.executor.wait_for(questions, self.call) {
            Ok(waiting) => submitted(emitter.interrupt(waiting, self.totals(now))),
            Err(error) => Step::Fail(error.kind()),
        }
    }

    fn call_model(&mut self) -> Step {
        self.attempts.begin();
        self.send()
    }

    fn send(&mut self) -> Step {
        let body = match self.first.take().map_or_else(|| self.executor.request(), Ok) {
            Ok(body) => body,
            Err(error) => return Step::Fail(error.kind()),
        };
        let over = self.let_go();
        self.call += 1;
        self.live = true;
        self.heard = false;
        self.decoder = self.format.decoder_with(self.options);
        match over {
            Some(over) => Step::CallNext { over, call: self.call, body },
            None => Step::Call { call: self.call, body },
        }
    }

    fn announce(&mut self, call: &Call, emitter: &mut Emitter) {
        let (Call { id, name, arguments }, _) = redacted(&*self.redactor, call);
        let _ = emitter.write(Plain::ToolStart { call: id.clone(), name });
        for delta in pieces(&arguments, PIECE) {
            let _ = emitter.write(Plain::ToolArgs { call: id.clone(), delta: delta.to_owned() });
        }
    }

    fn tool_done(&mut self, now: Millis, call: &str, result: ToolResult, emitter: &mut Emitter) -> Step {
        if !self.executor.awaits(call) {
            return Step::Nothing;
        }
        let output = self.redactor.whole(Channel::ToolOutput, &result.content).text;
        let outcome = if result.ok { ToolOutcome::Ok } else { ToolOutcome::Error };
        tool_ended(call, &output, outcome, emitter);
        let next = self.executor.tool_done(call, result);
        if next != Next::Wait {
            self.tools_due = None;
        }
        self.next(now, next, emitter)
    }

    fn write_turn(&mut self, now: Millis, emitter: &mut Emitter) {
        for event in self.turn.drain_events() {
            let _ = emitter.write(event);
        }
        for early in self.turn.take_early() {
            self.early.get_or_insert(now.saturating_sub(self.started));
            let _ = emitter.write_early(early);
        }
    }
}

fn executor(setup: &Setup, input: &Rc<RunInput>) -> Executor {
    Executor::new(input.clone(), setup.format, &setup.model, setup.limits.steps)
        .approvals(&setup.approvals)
        .client_calls(setup.client_calls)
}

/// Writes what a tool of ours gave back, redacted, and how it ended.
fn tool_ended(call: &str, output: &str, outcome: ToolOutcome, emitter: &mut Emitter) {
    for delta in pieces(output, PIECE) {
        let _ = emitter.write(Plain::ToolOutput { call: call.to_owned(), delta: delta.to_owned() });
    }
    let _ = emitter.write(Plain::ToolEnd { call: call.to_owned(), outcome });
}

fn submitted(end: Result<(), Error>) -> Step {
    match end {
        Ok(()) => Step::Over,
        Err(error) => Step::Fail(error.kind()),
    }
}
