//! The AG-UI 1.0 events that Lastword sends, with the fields that it sets.
//!
//! An absent optional field has no key: the client takes a null there for a fault of the whole run.
//! Chunk events are not modelled, so they can't be sent. The event's cursor is the `id:` line's
//! business and never a field: the client would warn and strip it.

use serde::Serialize;
use serde_json::Value;

/// The largest integer that every JavaScript number holds exactly. The client refuses larger ones.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// The number if a client can read it, else nothing.
pub(super) fn safe(number: u64) -> Option<u64> {
    Some(number).filter(|number| *number <= MAX_SAFE)
}

/// An event with its time; an event of the prelude has none.
#[derive(Serialize)]
pub(super) struct Stamped<'a, 'b> {
    #[serde(flatten)]
    pub event: &'b AgUiEvent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
}

/// An event.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub(super) enum AgUiEvent<'a> {
    RunStarted {
        thread_id: &'a str,
        run_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        protocol_version: Option<&'static str>,
    },
    RunFinished {
        thread_id: &'a str,
        run_id: &'a str,
        /// Absent means success.
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<TokenUsage<'a>>,
    },
    RunError {
        message: &'a str,
        code: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        usage: Vec<TokenUsage<'a>>,
    },
    TextMessageStart {
        message_id: &'a str,
        role: Role,
    },
    TextMessageContent {
        message_id: &'a str,
        delta: &'a str,
    },
    TextMessageEnd {
        message_id: &'a str,
    },
    /// Opens a span; the message inside has the same id.
    ReasoningStart {
        message_id: &'a str,
    },
    ReasoningMessageStart {
        message_id: &'a str,
        role: Role,
    },
    ReasoningMessageContent {
        message_id: &'a str,
        delta: &'a str,
    },
    ReasoningMessageEnd {
        message_id: &'a str,
    },
    ReasoningEnd {
        message_id: &'a str,
    },
    ToolCallStart {
        tool_call_id: &'a str,
        tool_call_name: &'a str,
        parent_message_id: &'a str,
    },
    ToolCallArgs {
        tool_call_id: &'a str,
        delta: &'a str,
    },
    ToolCallEnd {
        tool_call_id: &'a str,
    },
    /// Any JSON, null too: it is data here.
    StateSnapshot {
        snapshot: &'a Value,
    },
}

/// The speaker of a streamed message.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Assistant,
    Reasoning,
}

/// How a run finished, where it did not fail.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum Outcome<'a> {
    Success {
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        pending_tool_call_ids: &'a [String],
    },
    /// At least one.
    Interrupt { interrupts: Vec<Interrupt<'a>> },
    /// Only for a client that declared 1.0: an older one fails on it.
    Cancelled,
}

/// What the run waits for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Interrupt<'a> {
    pub id: &'a str,
    pub reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<&'a str>,
}

/// Tokens of one model. The last three are parts of the totals, not additions to them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenUsage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_input_tokens: Option<u64>,
}

/// A message that the run has said so far, as a snapshot holds it.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum SnapshotMessage<'a> {
    Assistant {
        id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Reasoning {
        id: &'a str,
        content: &'a str,
    },
}

/// A call inside an assistant's message.
#[derive(Serialize)]
pub(super) struct ToolCall<'a> {
    pub id: &'a str,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub function: Function<'a>,
}

/// The function of a call.
#[derive(Serialize)]
pub(super) struct Function<'a> {
    pub name: &'a str,
    /// JSON text, whole or so far.
    pub arguments: &'a str,
}
