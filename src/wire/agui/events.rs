//! The AG-UI 1.0 events that Lastword sends, with the fields that it sets.
//!
//! An absent optional field has no key: the client takes a null there for a fault of the whole run.
//! Chunk events are not modelled, so they can't be sent. The event's cursor is the `id:` line's
//! business and never a field: the client would warn and strip it.

use crate::event;
use crate::json::{self, Json, Object};
use crate::signal::Usage;
use serde_json::Value;

/// The largest integer that every JavaScript number holds exactly. The client refuses larger ones.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// The number if a client can read it, else nothing.
pub(super) fn safe(number: u64) -> Option<u64> {
    Some(number).filter(|number| *number <= MAX_SAFE)
}

/// An event.
pub(super) enum AgUiEvent<'a> {
    RunStarted {
        thread_id: &'a str,
        run_id: &'a str,
        protocol_version: Option<&'static str>,
    },
    RunFinished {
        thread_id: &'a str,
        run_id: &'a str,
        /// Absent means success.
        outcome: Option<Outcome<'a>>,
        usage: Vec<TokenUsage<'a>>,
    },
    RunError {
        message: &'a str,
        code: &'a str,
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
#[derive(Clone, Copy)]
pub(super) enum Role {
    Assistant,
    Reasoning,
}

/// How a run finished, where it did not fail.
pub(super) enum Outcome<'a> {
    Success {
        pending_tool_call_ids: &'a [String],
    },
    /// At least one.
    Interrupt {
        interrupts: &'a [event::Interrupt],
    },
    /// Only for a client that declared 1.0: an older one fails on it.
    Cancelled,
}

/// What the run waits for.
struct Interrupt<'a>(&'a event::Interrupt);

/// Tokens of one model. The last three that are written are parts of the totals, not additions to them.
pub(super) struct TokenUsage<'a> {
    pub model: Option<&'a str>,
    pub tokens: &'a Usage,
}

/// A message that the run has said so far, as a snapshot holds it.
pub(super) enum SnapshotMessage<'a> {
    Assistant { id: &'a str, content: Option<&'a str>, tool_calls: Vec<ToolCall<'a>> },
    Reasoning { id: &'a str, content: &'a str },
}

/// A call inside an assistant's message.
pub(super) struct ToolCall<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// JSON text, whole or so far.
    pub arguments: &'a str,
}

impl AgUiEvent<'_> {
    /// The event as one line of JSON, with its time; an event of the prelude has none.
    pub(super) fn line(&self, timestamp: Option<u64>) -> String {
        json::object(|event| {
            self.write(event);
            event.field("timestamp", &timestamp);
        })
    }

    fn write(&self, event: &mut Object<'_>) {
        match self {
            AgUiEvent::RunStarted { thread_id, run_id, protocol_version } => {
                put(event, "RUN_STARTED", &[("threadId", thread_id), ("runId", run_id)]);
                event.field("protocolVersion", protocol_version);
            }
            AgUiEvent::RunFinished { thread_id, run_id, outcome, usage } => {
                put(event, "RUN_FINISHED", &[("threadId", thread_id), ("runId", run_id), ("outcome", outcome)]);
                event.list("usage", usage);
            }
            AgUiEvent::RunError { message, code, usage } => {
                put(event, "RUN_ERROR", &[("message", message), ("code", code)]);
                event.list("usage", usage);
            }
            AgUiEvent::TextMessageStart { message_id, role } => {
                put(event, "TEXT_MESSAGE_START", &[("messageId", message_id), ("role", role)]);
            }
            AgUiEvent::TextMessageContent { message_id, delta } => {
                put(event, "TEXT_MESSAGE_CONTENT", &[("messageId", message_id), ("delta", delta)]);
            }
            AgUiEvent::TextMessageEnd { message_id } => {
                put(event, "TEXT_MESSAGE_END", &[("messageId", message_id)]);
            }
            AgUiEvent::ReasoningStart { message_id } => put(event, "REASONING_START", &[("messageId", message_id)]),
            AgUiEvent::ReasoningMessageStart { message_id, role } => {
                put(event, "REASONING_MESSAGE_START", &[("messageId", message_id), ("role", role)]);
            }
            AgUiEvent::ReasoningMessageContent { message_id, delta } => {
                put(event, "REASONING_MESSAGE_CONTENT", &[("messageId", message_id), ("delta", delta)]);
            }
            AgUiEvent::ReasoningMessageEnd { message_id } => {
                put(event, "REASONING_MESSAGE_END", &[("messageId", message_id)]);
            }
            AgUiEvent::ReasoningEnd { message_id } => put(event, "REASONING_END", &[("messageId", message_id)]),
            AgUiEvent::ToolCallStart { tool_call_id, tool_call_name, parent_message_id } => {
                put(event, "TOOL_CALL_START", &[("toolCallId", tool_call_id), ("toolCallName", tool_call_name)]);
                event.field("parentMessageId", parent_message_id);
            }
            AgUiEvent::ToolCallArgs { tool_call_id, delta } => {
                put(event, "TOOL_CALL_ARGS", &[("toolCallId", tool_call_id), ("delta", delta)]);
            }
            AgUiEvent::ToolCallEnd { tool_call_id } => put(event, "TOOL_CALL_END", &[("toolCallId", tool_call_id)]),
            AgUiEvent::StateSnapshot { snapshot } => put(event, "STATE_SNAPSHOT", &[("snapshot", *snapshot)]),
        }
    }
}

fn put(event: &mut Object<'_>, kind: &str, data: &[(&str, &dyn Json)]) {
    event.field("type", &kind).fields(data);
}

impl Json for Role {
    fn write(&self, out: &mut String) {
        let name = match self {
            Role::Assistant => "assistant",
            Role::Reasoning => "reasoning",
        };
        name.write(out);
    }
}

impl Json for Outcome<'_> {
    fn write(&self, out: &mut String) {
        let mut outcome = Object::begin(out);
        match self {
            Outcome::Success { pending_tool_call_ids } => {
                outcome.field("type", &"success").list("pendingToolCallIds", pending_tool_call_ids);
            }
            Outcome::Interrupt { interrupts } => {
                let interrupts: Vec<_> = interrupts.iter().map(Interrupt).collect();
                outcome.fields(&[("type", &"interrupt"), ("interrupts", &interrupts)]);
            }
            Outcome::Cancelled => {
                outcome.field("type", &"cancelled");
            }
        }
        outcome.end();
    }
}

impl Json for Interrupt<'_> {
    fn write(&self, out: &mut String) {
        let event::Interrupt { id, reason, message, call } = self.0;
        let mut interrupt = Object::begin(out);
        interrupt.fields(&[("id", id), ("reason", reason), ("message", message), ("toolCallId", call)]).end();
    }
}

impl Json for TokenUsage<'_> {
    fn write(&self, out: &mut String) {
        let tokens = self.tokens;
        let counts = [
            ("inputTokens", tokens.input),
            ("outputTokens", tokens.output),
            ("totalTokens", tokens.total),
            ("reasoningTokens", tokens.reasoning),
            ("cachedInputTokens", tokens.cached_input),
            ("cacheWriteInputTokens", tokens.cache_write),
        ];
        let mut usage = Object::begin(out);
        usage.field("model", &self.model);
        for (name, count) in counts {
            usage.field(name, &count.and_then(safe));
        }
        usage.end();
    }
}

impl Json for SnapshotMessage<'_> {
    fn write(&self, out: &mut String) {
        let mut message = Object::begin(out);
        match self {
            SnapshotMessage::Assistant { id, content, tool_calls } => {
                message.fields(&[("role", &"assistant"), ("id", id), ("content", content)]);
                message.list("toolCalls", tool_calls);
            }
            SnapshotMessage::Reasoning { id, content } => {
                message.fields(&[("role", &"reasoning"), ("id", id), ("content", content)]);
            }
        }
        message.end();
    }
}

impl Json for ToolCall<'_> {
    fn write(&self, out: &mut String) {
        let mut call = Object::begin(out);
        call.fields(&[("id", &self.id), ("type", &"function")]);
        call.object("function", |function| {
            function.fields(&[("name", &self.name), ("arguments", &self.arguments)]);
        });
        call.end();
    }
}
