//! A request, as RUN_STARTED sends it back.

use super::message::Message;
use super::{Any, Metadata, object};
use crate::json::Json;

object! {
    /// What a client asked. Tools and context are always written: a client before 1.0 fails on an echo
    /// without them.
    RunAgentInput<'a> {}
    required {
        /// The thread's id.
        thread_id: &'a str = "threadId",
        /// The run's id.
        run_id: &'a str = "runId",
        /// The transcript, or what of it is new.
        messages: Vec<Message<'a>> = "messages",
        /// The tools that the client runs.
        tools: Vec<Tool<'a>> = "tools",
        /// What the agent is to know besides.
        context: Vec<ContextEntry<'a>> = "context",
    }
    constant {}
    optional {
        /// `MAJOR.MINOR`.
        protocol_version: &'a str = "protocolVersion",
        /// The run that this one branches from.
        parent_run_id: &'a str = "parentRunId",
        /// The shared state.
        state: Any<'a> = "state",
        /// For the agent's own use.
        forwarded_props: Any<'a> = "forwardedProps",
        /// Answers to the thread's open interrupts.
        resume: Vec<Resume<'a>> = "resume",
    }
}

object! {
    /// A tool that the client runs.
    Tool<'a> {}
    required {
        /// Its name.
        name: &'a str = "name",
        /// What it does.
        description: &'a str = "description",
    }
    constant {}
    optional {
        /// The JSON Schema of its arguments.
        parameters: Any<'a> = "parameters",
        /// Open by key.
        metadata: Metadata<'a> = "metadata",
    }
}

object! {
    /// Something that the agent is to know.
    ContextEntry<'a> {}
    required {
        /// What it is.
        description: &'a str = "description",
        /// Its value.
        value: &'a str = "value",
    }
    constant {}
    optional {}
}

object! {
    /// The answer to one interrupt.
    Resume<'a> {}
    required {
        /// Which.
        interrupt_id: &'a str = "interruptId",
        /// Whether it was answered at all. A denial is an answer whose payload says so.
        status: ResumeStatus = "status",
    }
    constant {}
    optional {
        /// The answer.
        payload: Any<'a> = "payload",
        /// Open by key.
        metadata: Metadata<'a> = "metadata",
    }
}

/// Whether an interrupt was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeStatus {
    /// Yes.
    Resolved,
    /// No, and it won't be.
    Cancelled,
}

impl Json for ResumeStatus {
    fn write(&self, out: &mut String) {
        let name = match self {
            ResumeStatus::Resolved => "resolved",
            ResumeStatus::Cancelled => "cancelled",
        };
        name.write(out);
    }
}
