//! What any provider's stream says, once its format is gone.

use crate::stored::{stored, stored_names};
use serde_json::Value;

/// One thing a provider's stream said. A decoder in [`crate::provider`] makes them; the turn reads them.
///
/// Order: `ResponseStart`, then items, calls and usage in the order they came, then exactly one
/// `ResponseEnd` or `Error`, and nothing after it. A second `ResponseStart` before the end makes void all
/// that came before it: the provider has begun the response anew in the same stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// A model response begins.
    ResponseStart {
        /// The model's name as the provider states it.
        model: Option<String>,
    },
    /// A message item begins. A format without items sends none: text then opens one by itself.
    ItemStart {
        /// Who speaks. Only [`Role::Assistant`] can be the answer.
        role: Role,
        /// The provider's own mark of what the item is for.
        phase: Phase,
    },
    /// A piece of the open item's text, as long as the provider made it.
    Text(String),
    /// A piece of the model's reasoning that the provider keeps apart from text.
    Reasoning(String),
    /// The open item's text so far was reasoning after all.
    WasReasoning,
    /// A piece of a refusal that the provider keeps apart from text.
    Refusal(String),
    /// The open message item ends.
    ItemEnd {
        /// The item's whole text, where the provider repeats it. Used only if nothing was streamed.
        text: Option<String>,
    },
    /// A function call begins, to be run by us or by the client.
    CallStart {
        /// Position among the response's calls, from 0, dense and unique.
        index: u32,
        /// The provider's id; empty where it gave none.
        id: String,
        /// The function's name; empty if it comes later, with [`Signal::CallName`].
        name: String,
    },
    /// A function call's name, where it came after the call had begun.
    CallName {
        /// The call's position.
        index: u32,
        /// The whole name.
        name: String,
    },
    /// A piece of a call's arguments: JSON text, possibly cut anywhere.
    CallArgs {
        /// The call's position.
        index: u32,
        /// The piece.
        delta: String,
    },
    /// A function call's arguments are whole.
    CallEnd {
        /// The call's position.
        index: u32,
    },
    /// The provider ran a tool of its own inside the response. It is no call for anybody else.
    ProviderTool {
        /// The tool's name.
        name: String,
    },
    /// Tokens counted so far in this response; a later one replaces it.
    Usage(Usage),
    /// The host's state, whole: any JSON. It replaces the one before it.
    State(Value),
    /// What the provider must be sent back unchanged with this response, if the turn goes on: an object whose one
    /// member is named as the format. A later one replaces it. Nobody else reads it, and it never leaves.
    Kept(Value),
    /// The provider's own end mark.
    ResponseEnd(Stop),
    /// The response died. Nothing of it is an answer.
    Error(Fault),
}

/// Who speaks in a message item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The model.
    Assistant,
    /// Anyone else; such an item decides nothing.
    Other,
}

/// A provider's mark of what a message item is for (OpenAI Responses `phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Phase {
    /// No mark: the old rule decides.
    #[default]
    Unmarked,
    /// Narration.
    Commentary,
    /// The answer, if the response completes without a function call.
    FinalAnswer,
}

/// Why a response ended. Whether it called a function is asked of its calls, never of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model was done.
    Complete,
    /// The output limit cut it.
    Length,
    /// The provider's content filter cut it.
    ContentFilter,
    /// The response ended, the turn did not (Anthropic `pause_turn`).
    Pause,
}

/// How a response died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The provider said so inside the stream.
    Reported,
    /// The stream ended without the protocol's own end mark.
    Cut,
    /// The bytes are not of the format, or past its bounds.
    Malformed,
}

/// Tokens of one model response. Absent means that the provider did not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: Option<u64>,
    /// Tokens written.
    pub output: Option<u64>,
    /// Both.
    pub total: Option<u64>,
    /// Of the written ones, those of reasoning.
    pub reasoning: Option<u64>,
    /// Of the read ones, those served from a cache.
    pub cached_input: Option<u64>,
    /// Of the read ones, those written to a cache.
    pub cache_write: Option<u64>,
}

impl Usage {
    /// Both together. What neither counted stays uncounted.
    pub(crate) fn plus(&self, more: &Usage) -> Usage {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Usage {
            input: sum(self.input, more.input),
            output: sum(self.output, more.output),
            total: sum(self.total, more.total),
            reasoning: sum(self.reasoning, more.reasoning),
            cached_input: sum(self.cached_input, more.cached_input),
            cache_write: sum(self.cache_write, more.cache_write),
        }
    }
}

stored!(Usage { input, output, total, reasoning, cached_input, cache_write });

stored_names!(Fault { Reported = "reported", Cut = "cut", Malformed = "malformed" });

stored_names!(Stop {
    Complete = "complete",
    Length = "length",
    ContentFilter = "content_filter",
    Pause = "pause",
});
