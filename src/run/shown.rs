//! What a customer is shown of the work behind an answer, each by an option of its own that the run's
//! profile has frozen: the calls of our tools with their results, and that something goes on at all.
//!
//! Written beside the operator's events, as public narration is. What is shown is redacted already.

use super::keys::tag;
use super::record::RunRecord;
use crate::event::{Event, PIECE, Plain, ToolOutcome};
use crate::input::Call;
use crate::redact::{Channel, Redactor};
use crate::signal::Stop;

/// What stands at the end of a result that was cut at [`PIECE`] bytes.
const CUT: &str = "…";
/// The result of a call whose end is not known: without one a transcript would be refused by providers.
const UNKNOWN: &str = "The run ended before the result of this tool was known.";

/// Follows what is written, and says what a customer is shown beside it.
pub(super) struct Shown {
    tag: String,
    tools: bool,
    working: bool,
    /// The response whose calls run.
    ordinal: u32,
    steps: u32,
    open: Vec<Open>,
}

/// A call of ours that has not ended.
struct Open {
    call: String,
    /// The customer was told that its arguments are whole.
    whole: bool,
    output: String,
    /// All that a customer is shown of the output is there.
    cut: bool,
}

impl Shown {
    pub(super) fn new(record: &RunRecord) -> Self {
        Shown {
            tag: tag(&record.run),
            tools: record.profile.public_tools,
            working: record.profile.public_working,
            ordinal: 0,
            steps: 0,
            open: Vec::new(),
        }
    }

    /// What a customer is shown as the run begins: the first model call.
    pub(super) fn begin(&mut self) -> Vec<Plain> {
        let mut out = Vec::new();
        self.step(&mut out);
        out
    }

    /// What a customer is shown behind this event.
    pub(super) fn beside(&mut self, event: &Event) -> Vec<Plain> {
        let mut out = Vec::new();
        let Event::Plain(event) = event else { return out };
        match event {
            Plain::ResponseEnded { ordinal, stop, .. } => {
                self.ordinal = *ordinal;
                if *stop == Stop::Pause {
                    self.step(&mut out);
                }
            }
            Plain::AttemptReset { .. } => self.step(&mut out),
            Plain::ToolStart { call, name } => self.started(call, name, &mut out),
            Plain::ToolArgs { call, delta } if self.tools => {
                out.push(Plain::ShownCallArgs { call: call.clone(), delta: delta.clone() });
            }
            Plain::ToolOutput { call, delta } if self.tools => self.gave(call, delta),
            Plain::ToolEnd { call, outcome } => self.ended(call, *outcome, &mut out),
            _ => {}
        }
        out
    }

    /// A call is announced in one go, so at a commit the arguments of each are whole.
    pub(super) fn committing(&mut self) -> Vec<Plain> {
        let mut out = Vec::new();
        for open in self.open.iter_mut().filter(|open| !open.whole) {
            open.whole = true;
            if self.tools {
                out.push(Plain::ShownCallEnd { call: open.call.clone() });
            }
        }
        out
    }

    /// All calls of a response are one step.
    fn started(&mut self, call: &str, name: &str, out: &mut Vec<Plain>) {
        if self.open.is_empty() {
            self.step(out);
        }
        self.open.push(Open { call: call.to_owned(), whole: false, output: String::new(), cut: false });
        if self.tools {
            let parent = format!("{}-u{}", self.tag, self.ordinal);
            out.push(Plain::ShownCallStart { call: call.to_owned(), name: name.to_owned(), parent });
        }
    }

    fn gave(&mut self, call: &str, piece: &str) {
        let Some(open) = self.open.iter_mut().find(|open| open.call == call) else { return };
        if open.cut {
            return;
        }
        open.output.push_str(piece);
        if open.output.len() > PIECE {
            open.output.truncate(open.output.floor_char_boundary(PIECE - CUT.len()));
            open.output.push_str(CUT);
            open.cut = true;
        }
    }

    fn ended(&mut self, call: &str, outcome: ToolOutcome, out: &mut Vec<Plain>) {
        let at = self.open.iter().position(|open| open.call == call);
        let open = at.map(|at| self.open.remove(at));
        if self.tools {
            if open.as_ref().is_some_and(|open| !open.whole) {
                out.push(Plain::ShownCallEnd { call: call.to_owned() });
            }
            let message = format!("{}-r-{call}", self.tag);
            let content = match outcome {
                ToolOutcome::Unknown => UNKNOWN.to_owned(),
                _ => open.map(|open| open.output).unwrap_or_default(),
            };
            out.push(Plain::ShownCallResult { call: call.to_owned(), message, content, outcome });
        }
        if self.open.is_empty() && outcome != ToolOutcome::Unknown {
            self.step(out);
        }
    }

    fn step(&mut self, out: &mut Vec<Plain>) {
        if self.working {
            self.steps += 1;
            out.push(Plain::Working { message: format!("{}-w", self.tag), step: self.steps });
        }
    }
}

/// A call of ours as others may see it, and whether the filter blocks it.
pub(super) fn redacted(redactor: &dyn Redactor, call: &Call) -> (Call, bool) {
    let name = redactor.whole(Channel::Name, &call.name);
    let arguments = redactor.arguments(Channel::ToolArguments, &call.arguments);
    let blocked = name.blocked || arguments.blocked;
    (Call { id: call.id.clone(), name: name.text, arguments: arguments.text }, blocked)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
