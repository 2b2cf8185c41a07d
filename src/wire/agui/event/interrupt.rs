//! How a run finishes where it did not fail, and what an interrupted one waits for.

use super::{Metadata, object};
use crate::json::{Json, Object};

/// How a run finished. There is none for a failure: that is RUN_ERROR.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<'a> {
    /// Done. A run that waits for calls which the client runs has succeeded too.
    Success {
        /// The calls that were started and not answered, exactly; none is left out.
        pending_tool_call_ids: &'a [String],
    },
    /// Waits for a person.
    Interrupt {
        /// What for, at least one: a client fails on an empty list.
        interrupts: Vec<Interrupt<'a>>,
    },
    /// Stopped. Only for a client that declared 1.0: an older one fails on it.
    Cancelled,
}

impl Json for Outcome<'_> {
    fn write(&self, out: &mut String) {
        let mut outcome = Object::begin(out);
        match self {
            Outcome::Success { pending_tool_call_ids } => {
                outcome.field("type", &"success").list("pendingToolCallIds", pending_tool_call_ids);
            }
            Outcome::Interrupt { interrupts } => {
                outcome.fields(&[("type", &"interrupt"), ("interrupts", interrupts)]);
            }
            Outcome::Cancelled => {
                outcome.field("type", &"cancelled");
            }
        }
        outcome.end();
    }
}

object! {
    /// Something that a person must answer before the thread goes on. The next request of the thread
    /// answers all of them at once, in `resume`.
    Interrupt<'a> {}
    required {
        /// Unique in the thread.
        id: &'a str = "id",
        /// `tool_call`, `input_required`, `confirmation`, or a name of one's own with a namespace.
        reason: &'a str = "reason",
    }
    constant {}
    optional {
        /// For the person.
        message: &'a str = "message",
        /// The call that waits.
        tool_call_id: &'a str = "toolCallId",
        /// The JSON Schema of the answer's payload.
        response_schema: Metadata<'a> = "responseSchema",
        /// Until when it can be answered, as ISO 8601.
        expires_at: &'a str = "expiresAt",
        /// Open by key.
        metadata: Metadata<'a> = "metadata",
        /// The subagent that asks.
        subagent_run_id: &'a str = "subagentRunId",
    }
}
