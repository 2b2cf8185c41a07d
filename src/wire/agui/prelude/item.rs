//! What a prelude holds of a run: texts, reasoning, calls, and the results of calls.

use crate::json::Json;
use crate::wire::agui::deltas;
use crate::wire::agui::event::{ActivityMessage, AssistantMessage, ReasoningMessage, ToolCall};
use crate::wire::agui::step::{Kind, Scope, Shown};
use crate::wire::pieces;

/// A message of the run.
pub(super) enum Message<'a> {
    Assistant(AssistantMessage<'a>),
    Reasoning(ReasoningMessage<'a>),
    Activity(ActivityMessage<'a>),
}

impl Json for Message<'_> {
    fn write(&self, out: &mut String) {
        match self {
            Message::Assistant(message) => message.write(out),
            Message::Reasoning(message) => message.write(out),
            Message::Activity(message) => message.write(out),
        }
    }
}

/// What an item costs besides its texts, in memory and in the snapshot's frame.
const ITEM: usize = 160;

/// The bytes that an item takes in the snapshot's frame without its text, at most.
pub(super) fn frame_size(ids: &[&str]) -> usize {
    ITEM + ids.iter().map(|id| pieces::text_len(id)).sum::<usize>()
}

/// A text, a reasoning or a call, as far as it has come.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub kind: Kind,
    pub id: String,
    /// Of a call; else empty.
    name: String,
    /// The message that holds it: its own id unless it is a call.
    pub owner: String,
    pub text: String,
    pub open: bool,
}

impl Item {
    pub(super) fn new(scope: Scope<'_>) -> Self {
        let (kind, id) = scope.key();
        let (name, owner) = match scope {
            Scope::Call { name, parent, .. } => (name, parent),
            Scope::Text(_) | Scope::Reasoning(_) => ("", id),
        };
        let (id, name, owner) = (id.to_owned(), name.to_owned(), owner.to_owned());
        Item { kind, id, name, owner, text: String::new(), open: true }
    }

    pub(super) fn size(&self) -> usize {
        ITEM + self.id.len() + self.name.len() + self.owner.len() + self.text.len()
    }

    pub(super) fn frame_size(&self) -> usize {
        frame_size(&[&self.id, &self.name, &self.owner])
    }

    fn scope(&self) -> Scope<'_> {
        match self.kind {
            Kind::Text => Scope::Text(&self.id),
            Kind::Reasoning => Scope::Reasoning(&self.id),
            Kind::Call => Scope::Call { id: &self.id, name: &self.name, parent: &self.owner },
        }
    }

    /// The message that the client makes for it, with this part of its text.
    pub(super) fn message<'a>(&'a self, text: &'a str) -> Message<'a> {
        let own = AssistantMessage::new(&self.owner);
        match self.kind {
            Kind::Text => Message::Assistant(AssistantMessage { content: Some(text), ..own }),
            Kind::Reasoning => Message::Reasoning(ReasoningMessage::new(&self.owner, text)),
            Kind::Call => Message::Assistant(AssistantMessage { tool_calls: Some(vec![self.call(text)]), ..own }),
        }
    }

    pub(super) fn call<'a>(&'a self, arguments: &'a str) -> ToolCall<'a> {
        ToolCall::new(&self.id, &self.name, arguments)
    }

    /// The frames that open the scope again where it is open, and say what the snapshot had no room for.
    pub(super) fn reopen(&self, rest: &str, frames: &mut Vec<String>) {
        if !self.open && rest.is_empty() {
            return;
        }
        frames.extend(self.scope().start(None));
        frames.extend(deltas(self.kind, &self.id, rest, None));
        if !self.open {
            frames.extend(self.kind.end(&self.id, None));
        }
    }
}

/// What a call of ours gave back.
#[derive(Clone, Debug)]
pub(super) struct Output {
    message: String,
    call: String,
    content: String,
}

impl Output {
    pub(super) fn new(shown: Shown<'_>) -> Self {
        let own = str::to_owned;
        Output { message: own(shown.message), call: own(shown.call), content: own(shown.content) }
    }

    pub(super) fn size(&self) -> usize {
        ITEM + self.message.len() + self.call.len() + self.content.len()
    }

    pub(super) fn line(&self) -> String {
        Shown { message: &self.message, call: &self.call, content: &self.content }.line(None)
    }
}
