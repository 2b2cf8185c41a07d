//! Tool calls and their results.

use super::content::Content;
use super::event;

event! {
    /// A call begins. With a known id it goes on where it ended.
    ToolCallStart<'a> = "TOOL_CALL_START"
    required {
        /// The call's id.
        tool_call_id: &'a str = "toolCallId",
        /// The tool's name.
        tool_call_name: &'a str = "toolCallName",
    }
    optional {
        /// The assistant's message that holds it. The client makes one with this id if it has none; without it, one
        /// with the call's id.
        parent_message_id: &'a str = "parentMessageId",
        /// The subagent that calls.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A piece of an open call's arguments.
    ToolCallArgs<'a> = "TOOL_CALL_ARGS"
    required {
        /// The call's id.
        tool_call_id: &'a str = "toolCallId",
        /// A piece of JSON text.
        delta: &'a str = "delta",
    }
    optional {
        /// The subagent that calls.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A call's arguments are whole.
    ToolCallEnd<'a> = "TOOL_CALL_END"
    required {
        /// The call's id.
        tool_call_id: &'a str = "toolCallId",
    }
    optional {
        /// The subagent that calls.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// Start, piece and end in one. The first of a call needs its id and the tool's name.
    ToolCallChunk<'a> = "TOOL_CALL_CHUNK"
    required {}
    optional {
        /// The call's id; absent in a chunk that goes on.
        tool_call_id: &'a str = "toolCallId",
        /// The tool's name.
        tool_call_name: &'a str = "toolCallName",
        /// The assistant's message that holds it.
        parent_message_id: &'a str = "parentMessageId",
        /// A piece of JSON text.
        delta: &'a str = "delta",
        /// The subagent that calls.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// What a call gave: a tool's message, which the client places behind the message that holds the
    /// call. Two results of one call are two messages.
    ToolCallResult<'a> = "TOOL_CALL_RESULT"
    required {
        /// The id of the tool's message.
        message_id: &'a str = "messageId",
        /// The call's id.
        tool_call_id: &'a str = "toolCallId",
        /// The result. Clients before 1.0 take text alone.
        content: Content<'a> = "content",
    }
    constant { "role" = "tool" }
    optional {
        /// The subagent that called.
        subagent_run_id: &'a str = "subagentRunId",
    }
}
