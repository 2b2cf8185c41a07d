//! Reasoning: a span, and messages inside it.

use super::event;
use crate::json::Json;

event! {
    /// A span of reasoning begins. A message inside may have the same id.
    ReasoningStart<'a> = "REASONING_START"
    required {
        /// The span's id.
        message_id: &'a str = "messageId",
    }
    optional {
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A message of reasoning begins.
    ReasoningMessageStart<'a> = "REASONING_MESSAGE_START"
    required {
        /// The message's id.
        message_id: &'a str = "messageId",
    }
    constant { "role" = "reasoning" }
    optional {
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A piece of an open message of reasoning.
    ReasoningMessageContent<'a> = "REASONING_MESSAGE_CONTENT"
    required {
        /// The message's id.
        message_id: &'a str = "messageId",
        /// The piece.
        delta: &'a str = "delta",
    }
    optional {
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A message of reasoning ends.
    ReasoningMessageEnd<'a> = "REASONING_MESSAGE_END"
    required {
        /// The message's id.
        message_id: &'a str = "messageId",
    }
    optional {
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// Start, piece and end of a message in one.
    ReasoningMessageChunk<'a> = "REASONING_MESSAGE_CHUNK"
    required {}
    optional {
        /// The message's id; absent in a chunk that goes on.
        message_id: &'a str = "messageId",
        /// The piece.
        delta: &'a str = "delta",
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A span ends. A client of 1.0 fails on one that is open at RUN_FINISHED.
    ReasoningEnd<'a> = "REASONING_END"
    required {
        /// The span's id.
        message_id: &'a str = "messageId",
    }
    optional {
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// Reasoning that only its provider can read, for the client to send back.
    ReasoningEncryptedValue<'a> = "REASONING_ENCRYPTED_VALUE"
    required {
        /// What it belongs to.
        subtype: EncryptedSubject = "subtype",
        /// The id of that.
        entity_id: &'a str = "entityId",
        /// The value.
        encrypted_value: &'a str = "encryptedValue",
    }
    optional {
        /// The subagent that reasons.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

/// What an encrypted value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptedSubject {
    /// A tool call.
    ToolCall,
    /// A message.
    Message,
}

impl Json for EncryptedSubject {
    fn write(&self, out: &mut String) {
        let name = match self {
            EncryptedSubject::ToolCall => "tool-call",
            EncryptedSubject::Message => "message",
        };
        name.write(out);
    }
}
