//! What an event of a run means in AG-UI: the one table that the live stream and the prelude share.

use super::event::{
    ReasoningEnd, ReasoningMessageContent, ReasoningMessageEnd, ReasoningMessageStart, ReasoningStart, Role,
    TextMessageContent, TextMessageEnd, TextMessageStart, ToolCallArgs, ToolCallEnd, ToolCallResult, ToolCallStart,
};
use crate::Millis;
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
    /// A text that has ended was no answer: its id.
    Withdraw(&'a str),
    /// A call of ours gave this back.
    Result(Shown<'a>),
    /// The run works on: the activity's id, and the step.
    Working(&'a str, u32),
    /// The state is now this.
    State(&'a Value),
    /// The run ends.
    Terminal(&'a Sealed),
}

/// A result that the customer is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    /// The message that holds it.
    pub message: &'a str,
    /// The call.
    pub call: &'a str,
    pub content: &'a str,
}

/// What has a start, pieces and an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An assistant's message.
    Text,
    /// A reasoning message, alone in a span of the same id.
    Reasoning,
    /// A call: one that the client runs, or one of ours that is shown.
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
        Plain::ShownCallStart { call, name, parent } => Step::Open(Scope::Call { id: call, name, parent }),
        Plain::ShownCallArgs { call, delta } => Step::Say(Kind::Call, call, delta),
        Plain::ShownCallEnd { call } => Step::Close(Kind::Call, call),
        Plain::ShownCallResult { call, message, content, .. } => Step::Result(Shown { message, call, content }),
        Plain::Working { message, step } => Step::Working(message, *step),
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
        Sealed::AnswerWithdrawn { message } => Step::Withdraw(message),
        Sealed::CallStart { call, name, parent } => Step::Open(Scope::Call { id: call, name, parent }),
        Sealed::CallArgs { call, delta } => Step::Say(Kind::Call, call, delta),
        Sealed::CallEnd { call } => Step::Close(Kind::Call, call),
        Sealed::Completed(_) | Sealed::Interrupted { .. } | Sealed::Cancelled { .. } | Sealed::Failed { .. } => {
            Step::Terminal(sealed)
        }
    }
}

impl Shown<'_> {
    pub(super) fn line(&self, at: Option<Millis>) -> String {
        ToolCallResult::new(self.message, self.call, self.content.into()).at(at).line()
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

    /// The frames that open the scope, outermost first.
    pub(super) fn start(self, at: Option<Millis>) -> Vec<String> {
        match self {
            Scope::Text(id) => {
                vec![TextMessageStart { role: Some(Role::Assistant), ..TextMessageStart::new(id) }.at(at).line()]
            }
            Scope::Reasoning(id) => {
                vec![ReasoningStart::new(id).at(at).line(), ReasoningMessageStart::new(id).at(at).line()]
            }
            Scope::Call { id, name, parent } => {
                let start = ToolCallStart { parent_message_id: Some(parent), ..ToolCallStart::new(id, name) };
                vec![start.at(at).line()]
            }
        }
    }
}

impl Kind {
    /// The frame that carries a piece.
    pub(super) fn delta(self, id: &str, delta: &str, at: Option<Millis>) -> String {
        match self {
            Kind::Text => TextMessageContent::new(id, delta).at(at).line(),
            Kind::Reasoning => ReasoningMessageContent::new(id, delta).at(at).line(),
            Kind::Call => ToolCallArgs::new(id, delta).at(at).line(),
        }
    }

    /// The frames that close the scope, innermost first.
    pub(super) fn end(self, id: &str, at: Option<Millis>) -> Vec<String> {
        match self {
            Kind::Text => vec![TextMessageEnd::new(id).at(at).line()],
            Kind::Reasoning => vec![ReasoningMessageEnd::new(id).at(at).line(), ReasoningEnd::new(id).at(at).line()],
            Kind::Call => vec![ToolCallEnd::new(id).at(at).line()],
        }
    }
}
