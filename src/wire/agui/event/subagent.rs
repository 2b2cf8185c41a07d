//! Agents that an agent runs. An id names one invocation and is never used again in the run.

use super::{Any, event};
use crate::json::{Json, Object};

event! {
    /// A subagent begins.
    SubagentStarted<'a> = "SUBAGENT_STARTED"
    required {
        /// The invocation's id.
        subagent_run_id: &'a str = "subagentRunId",
        /// The subagent's name.
        name: &'a str = "name",
    }
    optional {
        /// What it is for.
        description: &'a str = "description",
        /// The subagent that runs it.
        parent_subagent_run_id: &'a str = "parentSubagentRunId",
        /// The call that runs it.
        parent_tool_call_id: &'a str = "parentToolCallId",
        /// The message that it belongs to.
        parent_message_id: &'a str = "parentMessageId",
    }
}

event! {
    /// A subagent is done, or waits.
    SubagentFinished<'a> = "SUBAGENT_FINISHED"
    required {
        /// The invocation's id.
        subagent_run_id: &'a str = "subagentRunId",
    }
    optional {
        /// What it came to.
        result: Any<'a> = "result",
        /// How. Absent means success.
        outcome: SubagentOutcome<'a> = "outcome",
    }
}

event! {
    /// A subagent failed.
    SubagentError<'a> = "SUBAGENT_ERROR"
    required {
        /// The invocation's id.
        subagent_run_id: &'a str = "subagentRunId",
        /// A sentence for the person.
        message: &'a str = "message",
    }
    optional {
        /// Stable.
        code: &'a str = "code",
    }
}

/// How a subagent finished.
#[derive(Clone, Debug, PartialEq)]
pub enum SubagentOutcome<'a> {
    /// Done.
    Success,
    /// Waits for a person.
    Suspended {
        /// The run's interrupts that it waits for.
        interrupt_ids: &'a [String],
    },
}

impl Json for SubagentOutcome<'_> {
    fn write(&self, out: &mut String) {
        let mut outcome = Object::begin(out);
        match self {
            SubagentOutcome::Success => outcome.field("type", &"success"),
            SubagentOutcome::Suspended { interrupt_ids } => {
                outcome.field("type", &"suspended").list("interruptIds", interrupt_ids)
            }
        };
        outcome.end();
    }
}
