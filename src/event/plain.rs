//! Events without effect: what may be written before the end.

use super::{Audience, ModelUsage};
use crate::signal::Stop;
use crate::stored::stored_names;
use serde_json::Value;

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
        /// Where in it, in bytes and rising, another frame of its own begins. Empty where it is told as it comes.
        cuts: Vec<u32>,
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
    /// A call of ours is shown to the customer too, by option: it begins.
    ShownCallStart {
        /// The call's id.
        call: String,
        /// The tool's name.
        name: String,
        /// The public message that holds all calls of one response.
        parent: String,
    },
    /// A piece of its arguments.
    ShownCallArgs {
        /// The call's id.
        call: String,
        /// The piece.
        delta: String,
    },
    /// Its arguments are whole.
    ShownCallEnd {
        /// The call's id.
        call: String,
    },
    /// What it gave back. More than [`super::PIECE`] is cut there, and ends with an ellipsis.
    ShownCallResult {
        /// The call's id.
        call: String,
        /// The id of the message that holds the result.
        message: String,
        /// The result.
        content: String,
        /// How the call ended.
        outcome: ToolOutcome,
    },
    /// The run works on: it calls the model, or runs tools. Said to the customer by option, without
    /// any content.
    Working {
        /// The same in all of a run.
        message: String,
        /// How many such steps the run has begun.
        step: u32,
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

stored_names!(ToolOutcome { Ok = "ok", Error = "error", Unknown = "unknown" });

impl Plain {
    /// Who may be sent this event.
    pub fn audience(&self) -> Audience {
        match self {
            Plain::NarrationStart { .. }
            | Plain::NarrationDelta { .. }
            | Plain::NarrationEnd { .. }
            | Plain::ShownCallStart { .. }
            | Plain::ShownCallArgs { .. }
            | Plain::ShownCallEnd { .. }
            | Plain::ShownCallResult { .. }
            | Plain::Working { .. } => Audience::Customer,
            Plain::ThinkingStart { public: true, .. }
            | Plain::ThinkingDelta { public: true, .. }
            | Plain::ThinkingEnd { public: true, .. }
            | Plain::State { .. } => Audience::Both,
            _ => Audience::Operator,
        }
    }
}
