//! Streamed text of a message.

use super::event;
use crate::json::Json;

/// The speaker of a streamed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The application's developer.
    Developer,
    /// The system.
    System,
    /// The agent. What an absent role means.
    Assistant,
    /// The person.
    User,
}

impl Json for Role {
    fn write(&self, out: &mut String) {
        let name = match self {
            Role::Developer => "developer",
            Role::System => "system",
            Role::Assistant => "assistant",
            Role::User => "user",
        };
        name.write(out);
    }
}

event! {
    /// A message begins. With a known id it goes on where it ended.
    TextMessageStart<'a> = "TEXT_MESSAGE_START"
    required {
        /// The message's id.
        message_id: &'a str = "messageId",
    }
    optional {
        /// Who speaks.
        role: Role = "role",
        /// The speaker's name.
        name: &'a str = "name",
        /// The subagent that speaks.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A piece of an open message, which the client appends.
    TextMessageContent<'a> = "TEXT_MESSAGE_CONTENT"
    required {
        /// The message's id.
        message_id: &'a str = "messageId",
        /// The piece. Clients before 0.0.59 refuse an empty one.
        delta: &'a str = "delta",
    }
    optional {
        /// The subagent that speaks.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A message ends, before RUN_FINISHED.
    TextMessageEnd<'a> = "TEXT_MESSAGE_END"
    required {
        /// The message's id.
        message_id: &'a str = "messageId",
    }
    optional {
        /// The subagent that speaks.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// Start, piece and end in one. The first of a message needs its id. Never mix it with the other
    /// three for the same message.
    TextMessageChunk<'a> = "TEXT_MESSAGE_CHUNK"
    required {}
    optional {
        /// The message's id; absent in a chunk that goes on.
        message_id: &'a str = "messageId",
        /// Who speaks.
        role: Role = "role",
        /// The piece.
        delta: &'a str = "delta",
        /// The speaker's name.
        name: &'a str = "name",
        /// The subagent that speaks.
        subagent_run_id: &'a str = "subagentRunId",
    }
}
