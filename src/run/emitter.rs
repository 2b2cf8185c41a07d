//! The commit machine: numbers what a run says, saves it in groups, and holds the one order that
//! nobody else should have to remember.
//!
//! The outcome and everything with effect are one terminal step, persisted under one compare-and-set
//! before any reader can see it. The emitter decides nothing about the outcome and executes nothing.

use super::flight::{Flight, Progress};
use super::interrupts::{Interrupted, OpenInterrupt};
use super::journal;
use super::reader::{Cursor, Reader};
use super::record::{MAX_NAME, Promise, RunRecord, Status, Times, VERSION, Writer};
use super::scope::OpenScopes;
use super::shown::Shown;
use super::store::{Part, PartPointer, StoreOp, StoreReply, Version};
use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::{Completion, Event, Failure, ModelUsage, PIECE, Plain, Sealed, View, pieces};
use crate::executor::Waiting;
use crate::input::RunInput;
use crate::json;
use crate::profile::Profile;
use crate::turn::{ClientCalls, Early, EarlyStep, Published};
use crate::wire::Wire;

mod calls;
mod claim;
mod pending;

pub use claim::{Claim, Totals};
use pending::Pending;

struct Ending {
    status: Status,
    failure: Option<Failure>,
    interrupted: Option<Interrupted>,
    usage: Vec<ModelUsage>,
}

/// Writes one run's events and keeps its record in step.
pub struct Emitter {
    claim: Claim,
    record: RunRecord,
    version: Option<Version>,
    pending: Pending,
    shown: Shown,
    /// What goes out with the next commit, before its head.
    parts: Vec<Part>,
    ending: Option<Ending>,
    flight: Option<Flight>,
}

impl Emitter {
    /// Each delta that the provider sent stays an event of its own.
    pub fn keeping_deltas(mut self, apart: bool) -> Self {
        self.pending.keep_apart(apart);
        self
    }

    /// A run that nobody has started yet. Its first commit is the claim: event 1 and the head.
    pub fn start(claim: Claim, input: &RunInput, profile: Profile, now: Millis) -> Self {
        let (parts, echo) = super::echo::parts(&claim.keys, &claim.writer, claim.traits.max_value, input);
        let record = RunRecord {
            v: VERSION,
            run: input.run.clone(),
            thread: input.thread.clone(),
            scope: claim.scope.clone(),
            fingerprint: input.fingerprint.clone(),
            status: Status::Started,
            revision: 0,
            sequence: 0,
            writer: claim.writer.clone(),
            writers: vec![Writer { token: claim.writer.clone(), from: 1, segments: 0 }],
            marks: Vec::new(),
            stride: 1,
            open: OpenScopes::default(),
            echo: Some(PartPointer { writer: claim.writer.clone(), pieces: echo }),
            withdrawn: None,
            failure: None,
            interrupted: None,
            usage: Vec::new(),
            profile: Profile { model: json::cut(&profile.model, MAX_NAME).to_owned(), ..profile },
            lease: 0,
            times: Times { started_at: now, ended_at: None },
            promise: Promise::from(claim.traits),
        };
        let mut emitter = Emitter::over(claim, record, None);
        emitter.parts = parts;
        emitter.push(Sealed::Started {}.into());
        let shown = emitter.shown.begin();
        emitter.show(shown);
        emitter
    }

    /// Takes over a record whose writer is gone, only to end it.
    pub fn adopt(claim: Claim, mut record: RunRecord, version: Version) -> Self {
        record.adopted(&claim.writer);
        Emitter::over(claim, record, Some(version))
    }

    fn over(claim: Claim, record: RunRecord, version: Option<Version>) -> Self {
        Emitter {
            claim,
            shown: Shown::new(&record),
            record,
            version,
            pending: Pending::default(),
            parts: Vec::new(),
            ending: None,
            flight: None,
        }
    }

    /// The last record that the store acknowledged.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// A reader of what is committed; it changes nothing.
    pub fn replay(&self, view: View, wire: Wire, cursor: Option<Cursor>) -> Reader {
        Reader::new(self.claim.keys.clone(), view, wire, cursor)
    }

    /// Takes an event without effect. Neighbouring deltas of one message merge until they are sealed.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] once an end was submitted.
    pub fn write(&mut self, event: Plain) -> Result<(), Error> {
        self.open_end()?;
        self.tell(event.into());
        Ok(())
    }

    /// Takes a step of an answer that streams early.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] once an end was submitted.
    pub fn write_early(&mut self, early: Early) -> Result<(), Error> {
        self.open_end()?;
        match early.into_step() {
            EarlyStep::Start { message, refusal } => self.push(Sealed::AnswerStart { message, refusal }.into()),
            EarlyStep::Delta { message, refusal, delta } => {
                self.push(Sealed::AnswerDelta { message, refusal, delta }.into());
            }
            EarlyStep::Withdrawn { message } => {
                self.push(Sealed::AnswerEnd { message: message.clone() }.into());
                self.push(Sealed::AnswerWithdrawn { message }.into());
            }
        }
        Ok(())
    }

    /// Submits the end of a turn that was done, with its answer. Of one that streamed early nothing is
    /// repeated: its message is closed.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] if an end was submitted before; nothing is written.
    pub fn succeed(&mut self, published: Published, totals: Totals) -> Result<(), Error> {
        self.open_end()?;
        let answer = published.into_answer();
        let mut tail: Vec<Sealed> = Vec::new();
        let open = answer.open.then(|| answer.message.clone());
        if !answer.text.is_empty() && open.is_none() {
            let (message, refusal) = (answer.message, answer.refusal);
            tail.push(Sealed::AnswerStart { message: message.clone(), refusal });
            tail.extend(pieces(&answer.text, PIECE).map(|delta| Sealed::AnswerDelta {
                message: message.clone(),
                refusal,
                delta: delta.to_owned(),
            }));
            tail.push(Sealed::AnswerEnd { message });
        }
        let completion = Completion {
            truncated: answer.truncated,
            fallback: answer.fallback,
            pending: Vec::new(),
            usage: totals.usage.clone(),
            timing: totals.timing,
        };
        self.close_but(open.as_deref(), Status::Succeeded, tail, Sealed::Completed(completion), None, totals.usage)
    }

    /// Submits the end of a turn that goes on with the client: it runs these calls itself.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] if an end was submitted before; nothing is written.
    pub fn hand_over(&mut self, calls: ClientCalls, totals: Totals) -> Result<(), Error> {
        self.open_end()?;
        let handed = calls.into_calls();
        let pending = handed.calls.iter().map(|call| call.id.clone()).collect();
        let tail = handed.calls.iter().flat_map(|call| calls::events(call, &handed.parent)).collect();
        let completion =
            Completion { pending, usage: totals.usage.clone(), timing: totals.timing, ..Completion::default() };
        self.close(Status::Succeeded, tail, Sealed::Completed(completion), None, totals.usage)
    }

    /// Submits the end of a turn that waits for a person. What the turn has come to is kept beside it,
    /// for the run that goes on with it.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] if an end was submitted before; nothing is written.
    pub fn interrupt(&mut self, waiting: Waiting, totals: Totals) -> Result<(), Error> {
        self.open_end()?;
        let (interrupts, turn) = waiting.into_interrupts();
        let Claim { keys, writer, traits, .. } = &self.claim;
        let (parts, pieces) = super::echo::pieces(&turn, traits.max_value, |piece| keys.turn(writer, piece));
        let turn = PartPointer { writer: writer.clone(), pieces };
        let interrupted = Interrupted { open: interrupts.iter().map(OpenInterrupt::of).collect(), turn };
        self.parts.extend(parts);
        let last = Sealed::Interrupted { interrupts, usage: totals.usage.clone() };
        self.close(Status::Interrupted, Vec::new(), last, None, totals.usage)?;
        if let Some(ending) = &mut self.ending {
            ending.interrupted = Some(interrupted);
        }
        Ok(())
    }

    /// Submits the end of a run that somebody stopped. Never a success, never a failure.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] if an end was submitted before; nothing is written.
    pub fn cancel(&mut self, totals: Totals) -> Result<(), Error> {
        let last = Sealed::Cancelled { usage: totals.usage.clone() };
        self.close(Status::Cancelled, Vec::new(), last, None, totals.usage)
    }

    /// Submits the end of a run that failed. Tools of ours that have not ended are listed as unknown.
    ///
    /// # Errors
    /// [`ErrorKind::RunEnded`] if an end was submitted before; nothing is written.
    pub fn fail(&mut self, failure: Failure, totals: Totals) -> Result<(), Error> {
        let unknown = self.scopes().tools();
        let last = Sealed::Failed { failure: failure.clone(), unknown, usage: totals.usage.clone() };
        self.close(Status::Failed, Vec::new(), last, Some(failure), totals.usage)
    }

    /// True once an end was submitted.
    pub fn is_ending(&self) -> bool {
        self.ending.is_some()
    }

    /// True while a commit is under way.
    pub fn is_busy(&self) -> bool {
        self.flight.is_some()
    }

    /// How much waits to be sealed, in bytes.
    pub fn pending_bytes(&self) -> usize {
        self.pending.bytes()
    }

    /// True if something that waits to be sealed is for that view.
    pub fn has_pending_for(&self, view: View) -> bool {
        self.pending.events().iter().any(|event| view.sees(event.audience()))
    }

    /// True once the store has acknowledged that the call of ours began, and it has not ended.
    pub fn has_committed_tool(&self, call: &str) -> bool {
        self.record.open.tools().iter().any(|open| open == call)
    }

    /// Numbers what waits and puts it on its way. Does nothing while a commit is under way, nor
    /// with nothing to say unless `renew` asks for a new lease.
    pub fn seal(&mut self, now: Millis, renew: bool) {
        if self.flight.is_some() || (self.pending.events().is_empty() && !renew) {
            return;
        }
        let shown = self.shown.committing();
        self.show(shown);
        let events = self.pending.take();
        let mut head = self.record.clone();
        let mut parts = std::mem::take(&mut self.parts);
        let Claim { keys, writer, traits, .. } = &self.claim;
        for sealing in journal::seal(&events, head.sequence + 1, now, traits.max_value) {
            for (sequence, event) in sealing.large {
                let key = |piece| keys.event(writer, sequence, piece);
                parts.extend(super::echo::pieces(event.as_bytes(), traits.max_value, key).0);
            }
            parts.push(Part { key: keys.segment(writer, head.segment_added(sealing.first)), value: sealing.bytes });
        }
        for event in &events {
            head.sequence += 1;
            head.open.track(event);
            if let Event::Sealed(Sealed::AnswerWithdrawn { message }) = event {
                head.withdrawn = Some(message.clone());
            }
        }
        head.revision += 1;
        head.writer = self.claim.writer.clone();
        head.lease = now + self.claim.lease;
        if let Some(ending) = &self.ending {
            head.status = ending.status;
            head.failure = ending.failure.clone();
            head.interrupted = ending.interrupted.clone();
            head.usage = ending.usage.clone();
            head.times.ended_at = Some(now);
        }
        let stored = head.fit(self.claim.traits.max_value);
        self.flight = Some(Flight::new(parts, head, stored, self.claim.traits, self.claim.lease));
    }

    /// The next store operation of the commit under way, if it is time for one.
    pub fn poll(&mut self) -> Option<StoreOp> {
        self.flight.as_mut()?.poll(&self.claim.keys, self.version.as_ref())
    }

    /// Takes the store's answer.
    pub fn replied(&mut self, now: Millis, reply: StoreReply) -> Progress {
        let Some(flight) = &mut self.flight else { return Progress::None };
        let progress = flight.replied(now, reply, &self.record, self.version.as_ref());
        match &progress {
            Progress::Committed(version) => {
                if let Some(flight) = self.flight.take() {
                    self.record = flight.into_head();
                    self.version = Some(version.clone());
                }
            }
            Progress::Lost(_) | Progress::Unreadable(_) | Progress::GaveUp | Progress::Unseen => self.flight = None,
            Progress::None | Progress::RetryAt(_) => {}
        }
        progress
    }

    /// Lets a commit that waits go on.
    pub fn retry(&mut self) {
        if let Some(flight) = &mut self.flight {
            flight.retry();
        }
    }

    fn open_end(&self) -> Result<(), Error> {
        if self.ending.is_some() || self.record.is_ended() {
            return Err(ErrorKind::RunEnded.into());
        }
        Ok(())
    }

    fn close(
        &mut self,
        status: Status,
        tail: Vec<Sealed>,
        last: Sealed,
        failure: Option<Failure>,
        usage: Vec<ModelUsage>,
    ) -> Result<(), Error> {
        self.close_but(None, status, tail, last, failure, usage)
    }

    /// An answer that streams early is withdrawn, unless it is the one that stands.
    fn close_but(
        &mut self,
        stands: Option<&str>,
        status: Status,
        tail: Vec<Sealed>,
        last: Sealed,
        failure: Option<Failure>,
        usage: Vec<ModelUsage>,
    ) -> Result<(), Error> {
        self.open_end()?;
        let scopes = self.scopes();
        for closing in scopes.closing() {
            self.tell(closing);
        }
        if let Some(answer) = scopes.answer().filter(|answer| Some(*answer) != stands) {
            self.push(Sealed::AnswerWithdrawn { message: answer.to_owned() }.into());
        }
        for event in tail {
            self.push(event.into());
        }
        self.push(last.into());
        self.ending = Some(Ending { status, failure, interrupted: None, usage });
        Ok(())
    }

    /// What is open, with everything counted that waits or is on its way.
    fn scopes(&self) -> OpenScopes {
        let mut open = self.flight.as_ref().map_or(&self.record, |flight| flight.head()).open.clone();
        for event in self.pending.events() {
            open.track(event);
        }
        open
    }

    /// Takes an event, and what a customer is shown beside it.
    fn tell(&mut self, event: Event) {
        let shown = self.shown.beside(&event);
        self.push(event);
        self.show(shown);
    }

    fn show(&mut self, shown: Vec<Plain>) {
        shown.into_iter().for_each(|event| self.push(event.into()));
    }

    fn push(&mut self, event: Event) {
        self.pending.push(event);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
