//! What a run says, wire-neutral. Each event has one sequence number.
//!
//! The names here are those of the stored format; the wires have names of their own. Every text,
//! narration, thinking and tool scope has a start and an end, so a wire needs no memory between
//! events, and no event is larger than [`PIECE`].

use crate::Millis;
use crate::signal::{Stop, Usage};
use crate::stored::{stored, stored_names};
use serde_json::Value;

/// The most bytes of text in one event: 32 KiB. Longer texts are several events.
pub const PIECE: usize = 32 << 10;

/// Who may be sent an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Only the operator's view.
    Operator,
    /// Only the customer's view: the operator has the text already.
    Customer,
    /// Both views.
    Both,
}

/// Whose eyes a reader has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The person who reads the answer.
    Customer,
    /// The people who run the agent.
    Operator,
}

impl View {
    /// True if this view may be sent what is for that audience.
    pub fn sees(self, audience: Audience) -> bool {
        match audience {
            Audience::Both => true,
            Audience::Operator => self == View::Operator,
            Audience::Customer => self == View::Customer,
        }
    }
}

/// One thing that a run said.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Without effect: may be written before the end.
    Plain(Plain),
    /// With effect: made by the emitter alone, as part of a claim or of a terminal step.
    Sealed(Sealed),
}

/// An event without effect. This is all that [`crate::run::Emitter::write`] takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// Held text begins: shown live to operators while its response is undecided.
    IntermediateStart {
        /// The held message.
        message: String,
    },
    /// A piece of held text.
    IntermediateDelta {
        /// The held message.
        message: String,
        /// The piece.
        delta: String,
    },
    /// Held text ends.
    IntermediateEnd {
        /// The held message.
        message: String,
    },
    /// What became of a held message once its response had ended.
    Decided {
        /// The held message.
        message: String,
        /// True if it is the candidate for the answer.
        answer: bool,
    },
    /// Public narration begins: a held message that was decided not to be the answer.
    NarrationStart {
        /// An id of its own.
        message: String,
    },
    /// A piece of public narration.
    NarrationDelta {
        /// The narration's id.
        message: String,
        /// The piece.
        delta: String,
    },
    /// Public narration ends.
    NarrationEnd {
        /// The narration's id.
        message: String,
    },
    /// Thinking begins.
    ThinkingStart {
        /// The thinking's id.
        message: String,
        /// True if the customer may be sent it.
        public: bool,
    },
    /// A piece of thinking.
    ThinkingDelta {
        /// The thinking's id.
        message: String,
        /// True if the customer may be sent it.
        public: bool,
        /// The piece.
        delta: String,
    },
    /// Thinking ends.
    ThinkingEnd {
        /// The thinking's id.
        message: String,
        /// True if the customer may be sent it.
        public: bool,
    },
    /// A tool of ours is about to run. It runs only once this is committed.
    ToolStart {
        /// The call's id.
        call: String,
        /// The tool's name.
        name: String,
    },
    /// A piece of its arguments.
    ToolArgs {
        /// The call's id.
        call: String,
        /// The piece.
        delta: String,
    },
    /// A piece of what it gave back.
    ToolOutput {
        /// The call's id.
        call: String,
        /// The piece.
        delta: String,
    },
    /// It ended, or its end is not known.
    ToolEnd {
        /// The call's id.
        call: String,
        /// How.
        outcome: ToolOutcome,
    },
    /// A model response ended and was decided.
    ResponseEnded {
        /// Which of the run's responses, from 1.
        ordinal: u32,
        /// Why it ended.
        stop: Stop,
        /// What it cost.
        usage: ModelUsage,
    },
    /// An attempt at a response failed and is made again; its text is void.
    AttemptReset {
        /// Which of the run's responses, from 1.
        ordinal: u32,
    },
    /// The host's state, whole.
    State {
        /// Any JSON.
        snapshot: Value,
    },
}

/// How a tool of ours ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// With a result.
    Ok,
    /// With an error result.
    Error,
    /// Not known: the run ended first.
    Unknown,
}

/// An event that only the emitter makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sealed {
    /// The run is claimed. Always number 1.
    Started {},
    /// The answer begins.
    AnswerStart {
        /// The answer's id.
        message: String,
        /// True if the answer is the model's refusal.
        refusal: bool,
    },
    /// A piece of the answer.
    AnswerDelta {
        /// The answer's id.
        message: String,
        /// True if the answer is the model's refusal.
        refusal: bool,
        /// The piece.
        delta: String,
    },
    /// The answer ends.
    AnswerEnd {
        /// The answer's id.
        message: String,
    },
    /// A call for the client to run begins.
    CallStart {
        /// The call's id.
        call: String,
        /// The tool's name.
        name: String,
        /// The public message that holds all calls of one response.
        parent: String,
    },
    /// A piece of its arguments.
    CallArgs {
        /// The call's id.
        call: String,
        /// The piece.
        delta: String,
    },
    /// Its arguments are whole.
    CallEnd {
        /// The call's id.
        call: String,
    },
    /// Terminal: the turn was done.
    Completed(Completion),
    /// Terminal: the turn waits for a person.
    Interrupted {
        /// What it waits for; at least one.
        interrupts: Vec<Interrupt>,
        /// What the run cost.
        usage: Vec<ModelUsage>,
    },
    /// Terminal: somebody cancelled the run.
    Cancelled {
        /// What the run cost.
        usage: Vec<ModelUsage>,
    },
    /// Terminal: the run failed.
    Failed {
        /// A stable code and a fixed sentence.
        failure: Failure,
        /// Calls of ours whose effect is not known.
        unknown: Vec<String>,
        /// What the run cost.
        usage: Vec<ModelUsage>,
    },
}

/// How a turn was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// The output limit cut the answer.
    pub truncated: bool,
    /// The answer was all commentary, published since an empty answer helps nobody.
    pub fallback: bool,
    /// The client's calls that wait for a result, in order.
    pub pending: Vec<String>,
    /// What the run cost, one entry a model.
    pub usage: Vec<ModelUsage>,
    /// How long it took.
    pub timing: Timing,
}

/// Times of a run, in milliseconds from when it was claimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// To the provider's first token of text.
    pub ttft_ms: Option<Millis>,
    /// To the decision that ended the turn.
    pub total_ms: Millis,
}

/// Tokens of one model in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// The model's name as the provider states it.
    pub model: Option<String>,
    /// The tokens.
    pub tokens: Usage,
}

/// What a client is told of a failure. Never the error's own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Stable.
    pub code: String,
    /// The fixed sentence of the code.
    pub message: String,
    /// The same in the host's log.
    pub reference: String,
}

/// Something that a person must answer before the turn goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    /// Unique in the thread.
    pub id: String,
    /// Why: `tool_call`, `input_required`, `confirmation`, or `framework:name`.
    pub reason: String,
    /// For the person.
    pub message: Option<String>,
    /// The call that waits, if one does.
    pub call: Option<String>,
}

stored_names!(Audience { Operator = "operator", Customer = "customer", Both = "both" });
stored_names!(View { Customer = "customer", Operator = "operator" });
stored_names!(ToolOutcome { Ok = "ok", Error = "error", Unknown = "unknown" });
stored!(Completion { truncated, fallback, pending, usage, timing });
stored!(Timing { ttft_ms, total_ms });
stored!(ModelUsage { model, tokens });
stored!(Failure { code, message, reference });
stored!(Interrupt { id, reason, message, call });

impl Event {
    /// Who may be sent this event.
    pub fn audience(&self) -> Audience {
        match self {
            Event::Plain(plain) => plain.audience(),
            Event::Sealed(_) => Audience::Both,
        }
    }

    /// The piece of text that it carries, if it carries one.
    pub fn delta(&self) -> Option<&str> {
        match self {
            Event::Plain(
                Plain::IntermediateDelta { delta, .. }
                | Plain::NarrationDelta { delta, .. }
                | Plain::ThinkingDelta { delta, .. }
                | Plain::ToolArgs { delta, .. }
                | Plain::ToolOutput { delta, .. },
            )
            | Event::Sealed(Sealed::AnswerDelta { delta, .. } | Sealed::CallArgs { delta, .. }) => Some(delta),
            _ => None,
        }
    }

    /// True for the one event that ends a run.
    pub fn is_terminal(&self) -> bool {
        matches!(
            self,
            Event::Sealed(
                Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. }
            )
        )
    }
}

impl Plain {
    /// Who may be sent this event.
    pub fn audience(&self) -> Audience {
        match self {
            Plain::NarrationStart { .. } | Plain::NarrationDelta { .. } | Plain::NarrationEnd { .. } => {
                Audience::Customer
            }
            Plain::ThinkingStart { public: true, .. }
            | Plain::ThinkingDelta { public: true, .. }
            | Plain::ThinkingEnd { public: true, .. }
            | Plain::State { .. } => Audience::Both,
            _ => Audience::Operator,
        }
    }
}

impl From<Plain> for Event {
    fn from(plain: Plain) -> Self {
        Event::Plain(plain)
    }
}

impl From<Sealed> for Event {
    fn from(sealed: Sealed) -> Self {
        Event::Sealed(sealed)
    }
}

/// Cuts a text into pieces of at most `max` bytes at character borders. An empty text gives none.
pub fn pieces(text: &str, max: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = rest.floor_char_boundary(max.max(4));
        let (piece, tail) = rest.split_at(cut);
        rest = tail;
        Some(piece)
    })
}
