//! What a turn does next: call the model, run tools, hand over to the client, finish, fail.
//!
//! It keeps the run's own transcript, unredacted, since the model must be sent its words back as it
//! said them. It performs nothing.

use crate::error::{Error, ErrorKind};
use crate::event::Interrupt;
use crate::input::{Call, Message, Part, RunInput};
use crate::provider::Format;
use crate::turn::{Decision, Said};
use std::rc::Rc;

/// The most bytes that a run's own transcript may hold: 8 MiB, then `output_limit`.
const MAX_TRANSCRIPT: usize = 8 << 20;

/// What comes next in a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Call the model: its request is [`Executor::request`].
    CallModel,
    /// Run these calls of ours, all at once.
    RunTools(Vec<Call>),
    /// Wait for the calls of ours that still run.
    Wait,
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
pub struct Waiting(Vec<Interrupt>);

impl Waiting {
    /// Called in one place, [`crate::run::Emitter::interrupt`].
    pub(crate) fn into_interrupts(self) -> Vec<Interrupt> {
        self.0
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
}

impl Executor {
    /// A turn over this input that calls the model at most `max_steps` times.
    pub fn new(input: Rc<RunInput>, format: Format, model: &str, max_steps: u32) -> Self {
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
        }
    }

    /// The body of the next model call.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedPart`] if the provider can't be given a part of the input.
    pub fn request(&self) -> Result<Vec<u8>, Error> {
        self.format.request(&self.model, &self.input, &self.transcript)
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
        let mut results = std::mem::take(&mut self.results);
        for call in std::mem::take(&mut self.running) {
            let result = results.iter().position(|(id, _)| *id == call.id).map(|at| results.swap_remove(at).1);
            let content = result.map(|result| result.content).unwrap_or_default();
            if let Err(kind) = self.grow(content.len()) {
                return Next::Fail(kind);
            }
            self.transcript.push(Message::Tool { call: call.id, content: vec![Part::Text(content)] });
        }
        self.after_tools()
    }

    /// Stops the turn until a person has answered.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if there is nothing to answer, or an id stands twice.
    pub fn wait_for(&self, interrupts: Vec<Interrupt>) -> Result<Waiting, Error> {
        let twice = |(at, one): (usize, &Interrupt)| interrupts.iter().skip(at + 1).any(|other| other.id == one.id);
        if interrupts.is_empty() || interrupts.iter().enumerate().any(twice) {
            return Err(Error::with(ErrorKind::InvalidInput, "interrupts: at least one, and no id twice"));
        }
        Ok(Waiting(interrupts))
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

    /// Ours run first; the client's leave with the end.
    fn called(&mut self, said: Said) -> Next {
        if let Err(kind) = self.remember(&said) {
            return Next::Fail(kind);
        }
        let (theirs, ours): (Vec<_>, Vec<_>) =
            said.calls.into_iter().partition(|call| self.input.tools.iter().any(|tool| tool.name == call.name));
        self.theirs = theirs;
        if ours.is_empty() {
            return self.after_tools();
        }
        self.running = ours.clone();
        Next::RunTools(ours)
    }

    fn after_tools(&mut self) -> Next {
        match std::mem::take(&mut self.theirs) {
            theirs if theirs.is_empty() => self.step(),
            theirs => Next::HandOver(theirs),
        }
    }

    fn remember(&mut self, said: &Said) -> Result<(), ErrorKind> {
        self.grow(said.text.len() + said.calls.iter().map(|call| call.arguments.len()).sum::<usize>())?;
        self.transcript.push(Message::Assistant { text: said.text.clone(), calls: said.calls.clone() });
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), ErrorKind> {
        self.transcript_bytes += bytes;
        if self.transcript_bytes > MAX_TRANSCRIPT { Err(ErrorKind::OutputLimit) } else { Ok(()) }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
