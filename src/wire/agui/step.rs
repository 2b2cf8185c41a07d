//! What an event of a run means in AG-UI: the one table that the live stream and the prelude share.

use super::events::{AgUiEvent, Role};
use crate::event::{Event, Plain, Sealed};
use serde_json::Value;

/// What an event does to the client's view.
pub(super) enum Step<'a> {
    /// Nothing that a customer is sent.
    Nothing,
    /// The run begins.
    Begin,
    /// A text, a reasoning or a call begins.
    Open(Scope<'a>),
    /// It goes on: its kind, its id, and a piece.
    Say(Kind, &'a str, &'a str),
    /// It ends: its kind and its id.
    Close(Kind, &'a str),
    /// The state is now this.
    State(&'a Value),
    /// The run ends.
    Terminal(&'a Sealed),
}

/// What has a start, pieces and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An assistant's message.
    Text,
    /// A reasoning message, alone in a span of the same id.
    Reasoning,
    /// A call that the client runs.
    Call,
}

/// What a scope is opened with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// An assistant's message, by id.
    Text(&'a str),
    /// A reasoning message, by id.
    Reasoning(&'a str),
    /// A call.
    Call {
        /// Its id.
        id: &'a str,
        /// Its tool.
        name: &'a str,
        /// The assistant's message that holds it.
        parent: &'a str,
    },
}

/// The table. Steps, tools of ours, held text and thinking that is not public are no customer's.
pub(super) fn step(event: &Event) -> Step<'_> {
    match event {
        Event::Plain(plain) => plain_step(plain),
        Event::Sealed(sealed) => sealed_step(sealed),
    }
}

fn plain_step(plain: &Plain) -> Step<'_> {
    match plain {
        Plain::NarrationStart { message } | Plain::ThinkingStart { message, public: true } => {
            Step::Open(Scope::Reasoning(message))
        }
        Plain::NarrationDelta { message, delta } | Plain::ThinkingDelta { message, public: true, delta } => {
            Step::Say(Kind::Reasoning, message, delta)
        }
        Plain::NarrationEnd { message } | Plain::ThinkingEnd { message, public: true } => {
            Step::Close(Kind::Reasoning, message)
        }
        Plain::State { snapshot } => Step::State(snapshot),
        Plain::IntermediateStart { .. }
        | Plain::IntermediateDelta { .. }
        | Plain::IntermediateEnd { .. }
        | Plain::Decided { .. }
        | Plain::ThinkingStart { .. }
        | Plain::ThinkingDelta { .. }
        | Plain::ThinkingEnd { .. }
        | Plain::ToolStart { .. }
        | Plain::ToolArgs { .. }
        | Plain::ToolOutput { .. }
        | Plain::ToolEnd { .. }
        | Plain::ResponseEnded { .. }
        | Plain::AttemptReset { .. } => Step::Nothing,
    }
}

fn sealed_step(sealed: &Sealed) -> Step<'_> {
    match sealed {
        Sealed::Started {} => Step::Begin,
        Sealed::AnswerStart { message, .. } => Step::Open(Scope::Text(message)),
        Sealed::AnswerDelta { message, delta, .. } => Step::Say(Kind::Text, message, delta),
        Sealed::AnswerEnd { message } => Step::Close(Kind::Text, message),
        Sealed::AnswerWithdrawn { .. } => Step::Nothing,
        Sealed::CallStart { call, name, parent } => Step::Open(Scope::Call { id: call, name, parent }),
        Sealed::CallArgs { call, delta } => Step::Say(Kind::Call, call, delta),
        Sealed::CallEnd { call } => Step::Close(Kind::Call, call),
        Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
            Step::Terminal(sealed)
        }
    }
}

impl<'a> Scope<'a> {
    /// The kind and the id.
    pub(super) fn key(self) -> (Kind, &'a str) {
        match self {
            Scope::Text(id) => (Kind::Text, id),
            Scope::Reasoning(id) => (Kind::Reasoning, id),
            Scope::Call { id, .. } => (Kind::Call, id),
        }
    }

    /// The events that open the scope, outermost first.
    pub(super) fn start(self) -> Vec<AgUiEvent<'a>> {
        match self {
            Scope::Text(message_id) => vec![AgUiEvent::TextMessageStart { message_id, role: Role::Assistant }],
            Scope::Reasoning(message_id) => vec![
                AgUiEvent::ReasoningStart { message_id },
                AgUiEvent::ReasoningMessageStart { message_id, role: Role::Reasoning },
            ],
            Scope::Call { id, name, parent } => {
                vec![AgUiEvent::ToolCallStart { tool_call_id: id, tool_call_name: name, parent_message_id: parent }]
            }
        }
    }
}

impl Kind {
    /// The event that carries a piece.
    pub(super) fn delta<'a>(self, id: &'a str, delta: &'a str) -> AgUiEvent<'a> {
        match self {
            Kind::Text => AgUiEvent::TextMessageContent { message_id: id, delta },
            Kind::Reasoning => AgUiEvent::ReasoningMessageContent { message_id: id, delta },
            Kind::Call => AgUiEvent::ToolCallArgs { tool_call_id: id, delta },
        }
    }

    /// The events that close the scope, innermost first.
    pub(super) fn end(self, id: &str) -> Vec<AgUiEvent<'_>> {
        match self {
            Kind::Text => vec![AgUiEvent::TextMessageEnd { message_id: id }],
            Kind::Reasoning => {
                vec![AgUiEvent::ReasoningMessageEnd { message_id: id }, AgUiEvent::ReasoningEnd { message_id: id }]
            }
            Kind::Call => vec![AgUiEvent::ToolCallEnd { tool_call_id: id }],
        }
    }
}
