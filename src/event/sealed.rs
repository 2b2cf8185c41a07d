//! Events with effect, and what the terminal ones tell of a run.

use super::Interrupt;
use crate::signal::Usage;
use crate::stored::stored;
use crate::{ErrorKind, Millis};

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
    /// An answer that streamed early has ended, and turned out to be none.
    AnswerWithdrawn {
        /// Its id.
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
    /// To the first piece of the answer that a reader could be sent.
    pub answer_ms: Option<Millis>,
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

impl Failure {
    /// The kind of the error; none for a code that this version does not know.
    pub(crate) fn kind(&self) -> Option<ErrorKind> {
        ErrorKind::ALL.iter().copied().find(|kind| kind.code() == self.code)
    }

    /// The code's fixed sentence, with the reference under which the host's log has the cause.
    pub(crate) fn sentence(&self) -> String {
        match self.reference.as_str() {
            "" => self.message.clone(),
            reference => format!("{} (reference {reference})", self.message),
        }
    }
}

stored!(Completion { truncated, fallback, pending, usage, timing });
stored!(Timing { ttft_ms, answer_ms, total_ms });
stored!(ModelUsage { model, tokens });
stored!(Failure { code, message, reference });
