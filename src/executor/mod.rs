//! What a turn does next: call the model, run tools, hand over to the client, finish, fail.
//!
//! It keeps the run's own transcript, unredacted, since the model must be sent its words back as it
//! said them. It performs nothing.

use crate::Millis;
use crate::error::{Error, ErrorKind};
use crate::event::Interrupt;
use crate::input::{Answer, Call, Message, Part, RunInput};
use crate::json;
use crate::provider::Format;
use crate::provider::replay::Recording;
use crate::turn::{Decision, MAX_CALLS, Said};
use paused::verdict;
use std::rc::Rc;

mod paused;

pub use paused::{Paused, questions};

/// The most bytes that a run's own transcript may hold: 8 MiB, then `output_limit`.
const MAX_TRANSCRIPT: usize = 8 << 20;
/// The longest id of an interrupt, in bytes as JSON writes it: the head lists them.
const MAX_INTERRUPT_ID: usize = 72;

/// What comes next in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Call the model: its request is [`Executor::request`].
    CallModel,
    /// Run these calls of ours, all at once.
    RunTools(Vec<Call>),
    /// Wait for the calls of ours that still run.
    Wait,
    /// Ask a person: these calls of ours run only with their word.
    Ask(Vec<Call>),
    /// The turn is done: publish.
    Finish,
    /// The turn goes on with the client, which runs these calls.
    HandOver(Vec<Call>),
    /// The turn can't go on.
    Fail(ErrorKind),
}

/// What a tool of ours gave back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// False if it is the text of an error.
    pub ok: bool,
    /// Text.
    pub content: String,
}

/// What a run waits for a person to answer. At least one, no id twice.
#[derive(Debug, PartialEq)]
pub struct Waiting {
    interrupts: Vec<Interrupt>,
    turn: Vec<u8>,
}

impl Waiting {
    /// The interrupts, and the turn in its stored form. Called in one place,
    /// [`crate::run::Emitter::interrupt`].
    pub(crate) fn into_interrupts(self) -> (Vec<Interrupt>, Vec<u8>) {
        (self.interrupts, self.turn)
    }
}

/// Which tools of ours run only with a person's word, and how long they may take to give it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    /// The tools' names.
    pub tools: Vec<String>,
    /// In milliseconds; none for as long as it takes.
    pub within: Option<Millis>,
}

impl Approvals {
    /// Those that a recording needs.
    pub fn of(recording: &Recording) -> Self {
        let (tools, within) = recording.approvals();
        Approvals { tools: tools.to_vec(), within }
    }
}

/// Decides what a turn does next.
pub struct Executor {
    input: Rc<RunInput>,
    format: Format,
    model: String,
    max_steps: u32,
    steps: u32,
    transcript: Vec<Message>,
    transcript_bytes: usize,
    running: Vec<Call>,
    results: Vec<(String, ToolResult)>,
    theirs: Vec<Call>,
    approvals: Approvals,
    waiting: Vec<Call>,
    /// How many messages of the client's come before the transcript, and how many it sent in all.
    before: usize,
    given: usize,
    /// What the client has sent since the turn was interrupted.
    since: Vec<Message>,
    declined: Vec<(Call, &'static str)>,
    answered: bool,
    client_calls: bool,
}

impl Executor {
    /// A turn over this input that calls the model at most `max_steps` times.
    pub fn new(input: Rc<RunInput>, format: Format, model: &str, max_steps: u32) -> Self {
        let given = input.messages.len();
        Executor {
            input,
            format,
            model: model.to_owned(),
            max_steps,
            steps: 0,
            transcript: Vec::new(),
            transcript_bytes: 0,
            running: Vec::new(),
            results: Vec::new(),
            theirs: Vec::new(),
            approvals: Approvals::default(),
            waiting: Vec::new(),
            before: given,
            given,
            since: Vec::new(),
            declined: Vec::new(),
            answered: false,
            client_calls: false,
        }
    }

    /// Every call is the client's, whatever its tool is called: nobody here runs any.
    pub fn client_calls(mut self, all: bool) -> Self {
        self.client_calls = all;
        self
    }

    /// Asks a person before these tools run.
    pub fn approvals(mut self, approvals: &Approvals) -> Self {
        self.approvals = approvals.clone();
        self
    }

    /// Goes on with a turn that waited for these answers, and for no others. Steps are counted on.
    pub fn resume(mut self, paused: Paused, answers: &[Answer]) -> Self {
        let at = |count: u32| usize::try_from(count).unwrap_or(usize::MAX).min(self.input.messages.len());
        let (before, given) = (at(paused.before), at(paused.given));
        self.since = self.input.messages.get(given..).unwrap_or_default().to_vec();
        self.before = before;
        self.steps = paused.steps;
        self.transcript_bytes = paused.transcript.iter().map(size).sum();
        self.transcript = paused.transcript;
        self.theirs = paused.theirs;
        for (call, interrupt) in paused.waiting.into_iter().zip(paused.interrupts) {
            if let Err(words) = verdict(answers, &interrupt) {
                self.declined.push((call.clone(), words));
                self.results.push((call.id.clone(), ToolResult { ok: false, content: words.to_owned() }));
            }
            self.running.push(call);
        }
        self.answered = true;
        self
    }

    /// What comes first: the model, or the calls that a person has approved.
    pub fn begin(&mut self) -> Next {
        if !std::mem::take(&mut self.answered) {
            return self.step();
        }
        let approved: Vec<Call> = self.running.iter().filter(|call| !self.has_result(&call.id)).cloned().collect();
        if approved.is_empty() { self.settle() } else { Next::RunTools(approved) }
    }

    /// The calls that no person approved, and what the model is told of each.
    pub fn take_declined(&mut self) -> Vec<(Call, &'static str)> {
        std::mem::take(&mut self.declined)
    }

    /// The body of the next model call.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedPart`] if the provider can't be given a part of the input.
    pub fn request(&self) -> Result<Vec<u8>, Error> {
        self.format.request(&self.model, &self.input, self.before, &self.transcript)
    }

    /// Begins a step, unless the limit is reached.
    pub fn step(&mut self) -> Next {
        if self.steps >= self.max_steps {
            return Next::Fail(ErrorKind::StepLimit);
        }
        self.steps += 1;
        Next::CallModel
    }

    /// Takes what a response came to.
    pub fn decided(&mut self, decision: Decision) -> Next {
        match decision {
            Decision::Candidate => Next::Finish,
            Decision::Dead(kind) => Next::Fail(kind),
            Decision::Continue(said) => match self.remember(&said) {
                Ok(()) => self.step(),
                Err(kind) => Next::Fail(kind),
            },
            Decision::Calls(said) => self.called(said),
        }
    }

    /// Takes a tool's result. A result that nobody waits for changes nothing.
    pub fn tool_done(&mut self, call: &str, result: ToolResult) -> Next {
        if !self.awaits(call) {
            return Next::Wait;
        }
        self.results.push((call.to_owned(), result));
        if self.results.len() < self.running.len() {
            return Next::Wait;
        }
        self.settle()
    }

    /// Tells the model all results of a response, in the order of its calls.
    fn settle(&mut self) -> Next {
        let mut results = std::mem::take(&mut self.results);
        for call in std::mem::take(&mut self.running) {
            let result = results.iter().position(|(id, _)| *id == call.id).map(|at| results.swap_remove(at).1);
            let content = result.map(|result| result.content).unwrap_or_default();
            let message = Message::Tool { call: call.id, content: vec![Part::Text(content)] };
            if let Err(kind) = self.tell(message) {
                return Next::Fail(kind);
            }
        }
        self.after_tools()
    }

    /// Stops the turn until a person has answered. `calls` is how often the model was called.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if there is nothing to answer, more than 64, an id stands twice or is long;
    /// [`ErrorKind::OutputLimit`] if the turn is too large to be kept.
    pub fn wait_for(&mut self, interrupts: Vec<Interrupt>, calls: u32) -> Result<Waiting, Error> {
        let twice = |(at, one): (usize, &Interrupt)| interrupts.iter().skip(at + 1).any(|other| other.id == one.id);
        let long = |interrupt: &Interrupt| !json::is_short(&interrupt.id, MAX_INTERRUPT_ID);
        if !(1..=MAX_CALLS).contains(&interrupts.len())
            || interrupts.iter().enumerate().any(twice)
            || interrupts.iter().any(long)
        {
            let demand = "interrupts: 1 to 64, no id twice, and none longer than 72 bytes";
            return Err(Error::with(ErrorKind::InvalidInput, demand));
        }
        let of = |call: &Call| interrupts.iter().find(|interrupt| interrupt.call.as_ref() == Some(&call.id));
        let ids = self.waiting.iter().map(|call| of(call).map(|interrupt| interrupt.id.clone()).unwrap_or_default());
        let paused = Paused {
            interrupts: ids.collect(),
            waiting: std::mem::take(&mut self.waiting),
            transcript: std::mem::take(&mut self.transcript),
            theirs: std::mem::take(&mut self.theirs),
            ..Paused::new(calls, self.steps, self.before, self.given)
        };
        Ok(Waiting { turn: paused.encode()?, interrupts })
    }

    /// True while that call of ours runs.
    pub fn awaits(&self, call: &str) -> bool {
        self.running.iter().any(|running| running.id == call) && !self.has_result(call)
    }

    /// The calls of ours that still run.
    pub fn awaited(&self) -> Vec<String> {
        let open = self.running.iter().filter(|call| !self.has_result(&call.id));
        open.map(|call| call.id.clone()).collect()
    }

    fn has_result(&self, call: &str) -> bool {
        self.results.iter().any(|(id, _)| id == call)
    }

    /// Ours run first, then those of ours that a person must approve; the client's leave with the end.
    fn called(&mut self, said: Said) -> Next {
        if let Err(kind) = self.remember(&said) {
            return Next::Fail(kind);
        }
        let is_theirs = |call: &Call| self.client_calls || self.input.tools.iter().any(|tool| tool.name == call.name);
        let (theirs, ours): (Vec<_>, Vec<_>) = said.calls.into_iter().partition(is_theirs);
        self.theirs = theirs;
        let (asked, ours): (Vec<_>, Vec<_>) =
            ours.into_iter().partition(|call| self.approvals.tools.contains(&call.name));
        self.waiting = asked;
        if ours.is_empty() {
            return self.after_tools();
        }
        self.running = ours.clone();
        Next::RunTools(ours)
    }

    fn after_tools(&mut self) -> Next {
        if !self.waiting.is_empty() {
            return Next::Ask(self.waiting.clone());
        }
        match std::mem::take(&mut self.theirs) {
            theirs if theirs.is_empty() => {
                self.transcript.append(&mut self.since);
                self.step()
            }
            theirs => Next::HandOver(theirs),
        }
    }

    fn remember(&mut self, said: &Said) -> Result<(), ErrorKind> {
        // A provider refuses a message that says nothing, as a pause at the very beginning is.
        if said.text.is_empty() && said.calls.is_empty() && said.kept.is_none() {
            return Ok(());
        }
        self.tell(Message::Assistant { text: said.text.clone(), calls: said.calls.clone(), kept: said.kept.clone() })
    }

    /// Adds to what the model is told, within the bound.
    fn tell(&mut self, message: Message) -> Result<(), ErrorKind> {
        self.transcript_bytes += size(&message);
        if self.transcript_bytes > MAX_TRANSCRIPT {
            return Err(ErrorKind::OutputLimit);
        }
        self.transcript.push(message);
        Ok(())
    }
}

/// What a message counts for, in bytes. What a client has sent is bounded with its request.
fn size(message: &Message) -> usize {
    match message {
        Message::System(text) => text.len(),
        Message::Assistant { text, calls, kept } => {
            let kept = kept.as_ref().map_or(0, |kept| json::text(kept).len());
            text.len() + calls.iter().map(|call| call.arguments.len()).sum::<usize>() + kept
        }
        Message::User(_) => 0,
        Message::Tool { content, .. } => {
            let text = |part: &Part| if let Part::Text(text) = part { text.len() } else { 0 };
            content.iter().map(text).sum()
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
