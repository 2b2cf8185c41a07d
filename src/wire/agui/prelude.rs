//! What a reader that joins without a cursor is sent before the tail.
//!
//! The protocol has no cursor, and a client appends every delta it is sent, also one that it has
//! already. So a joiner gets snapshots: RUN_STARTED, the state, all messages with the partial text of
//! what is still open, and then a START again for each open scope, after which the tail's deltas
//! append to where the snapshot ends.

use super::event::{AssistantMessage, Message, ReasoningMessage, StateSnapshot, ToolCall};
use super::step::{Kind, Scope, Step, step};
use super::{deltas, run_started, withdrawn};
use crate::event::{Event, View};
use crate::input::Echo;
use crate::json::{self, Json};
use crate::positions::Positions;
use crate::wire::{Context, WHOLE_FRAME, Wire, pieces};
use crate::{Error, ErrorKind};
use serde_json::Value;

/// The most bytes of a run's own text that a prelude holds: 8 MiB.
const HELD: usize = 8 << 20;

/// What an item costs besides its texts, in memory and in the snapshot's frame.
const ITEM: usize = 160;

/// The fold of a run's public events up to a cut, and its frames.
///
/// Holds at most 8 MiB of what the run said. Past that, the oldest finished reasoning is dropped; if
/// that does not help, [`Prelude::frames`] is an error, since half a transcript must not pass for a
/// whole one. The input's messages are as large as the request's own limit.
#[derive(Clone, Debug)]
pub struct Prelude {
    /// The input's messages as JSON, comma between them.
    input: String,
    state: Option<Value>,
    /// The text that is there and is no answer; a run has one at most.
    withdrawn: Option<String>,
    items: Vec<Item>,
    held: usize,
    overflow: bool,
}

/// A text, a reasoning or a call, as far as it has come.
#[derive(Clone, Debug)]
struct Item {
    kind: Kind,
    id: String,
    /// Of a call; else empty.
    name: String,
    /// The message that holds it: its own id unless it is a call.
    owner: String,
    text: String,
    open: bool,
}

impl Prelude {
    /// A prelude of a run that was given this input.
    pub fn new(echo: &Echo) -> Self {
        let messages = json::text(&echo.messages);
        let input = messages.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or_default().to_owned();
        Prelude { input, state: echo.state.clone(), withdrawn: None, items: Vec::new(), held: 0, overflow: false }
    }

    /// Takes the next committed event, in order, up to the cut. What is not a customer's changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if !View::Customer.sees(event.audience()) {
            return;
        }
        match step(event) {
            Step::Open(scope) => self.open(scope),
            Step::Say(kind, id, text) => self.say(kind, id, text),
            Step::Close(kind, id) => self.find(kind, id).into_iter().for_each(|item| item.open = false),
            Step::Withdraw(id) => self.withdrawn = Some(id.to_owned()),
            Step::State(snapshot) => self.state = Some(snapshot.clone()),
            Step::Begin | Step::Terminal(_) | Step::Nothing => {}
        }
    }

    /// The frames, without timestamps: they are no events of the run.
    ///
    /// # Errors
    /// [`ErrorKind::RecordTooNew`] for a profile of a newer serializer;
    /// [`ErrorKind::StreamInterrupted`] if the run said more than a prelude holds.
    pub fn frames(&self, cx: &Context<'_>) -> Result<Vec<String>, Error> {
        Wire::AgUi.check_version(cx.profile)?;
        if self.overflow {
            return Err(Error::new(ErrorKind::StreamInterrupted));
        }
        let mut frames = vec![run_started(cx).line()];
        if let Some(snapshot) = &self.state {
            frames.push(StateSnapshot::new(snapshot).line());
        }
        let shown = self.shown();
        frames.push(self.messages_snapshot(&shown));
        for (item, (_, rest)) in self.items.iter().zip(shown) {
            item.reopen(rest, &mut frames);
        }
        frames.extend(self.withdrawn.as_deref().map(|id| withdrawn(id, None)));
        Ok(frames)
    }

    fn open(&mut self, scope: Scope<'_>) {
        let (kind, id) = scope.key();
        if let Some(item) = self.find(kind, id) {
            item.open = true;
            return;
        }
        let item = Item::new(scope);
        if self.make_room(item.size()) {
            self.items.push(item);
        }
    }

    fn say(&mut self, kind: Kind, id: &str, text: &str) {
        if self.make_room(text.len())
            && let Some(item) = self.find(kind, id)
        {
            item.text.push_str(text);
        }
    }

    /// The item, searched from the newest: what goes on is nearly always the last.
    fn find(&mut self, kind: Kind, id: &str) -> Option<&mut Item> {
        self.items.iter_mut().rev().find(|item| item.kind == kind && item.id == id)
    }

    /// Counts what is about to be held. Drops finished reasoning down to half of the bound, so that
    /// dropping costs little however long the run goes on.
    fn make_room(&mut self, size: usize) -> bool {
        self.held += size;
        if self.held > HELD && !self.overflow {
            let mut excess = self.held.saturating_sub(HELD / 2);
            self.items.retain(|item| {
                let drop = excess > 0 && item.kind == Kind::Reasoning && !item.open;
                excess = if drop { excess.saturating_sub(item.size()) } else { excess };
                !drop
            });
            self.held = size + self.items.iter().map(Item::size).sum::<usize>();
        }
        self.overflow |= self.held > HELD;
        !self.overflow
    }

    /// Each item's text in two: what the snapshot holds of it, and what follows as deltas because the
    /// snapshot's frame has no room for it.
    fn shown(&self) -> Vec<(&str, &str)> {
        let fixed: usize = self.items.iter().map(Item::frame_size).sum();
        let mut room = WHOLE_FRAME.saturating_sub(self.input.len() + fixed);
        let mut shown = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let parts = pieces::split_to_fit(&item.text, room);
            room = room.saturating_sub(pieces::text_len(parts.0));
            shown.push(parts);
        }
        shown
    }

    fn messages_snapshot(&self, shown: &[(&str, &str)]) -> String {
        let mut frame = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":[{}"#, self.input);
        let mut first = self.input.is_empty();
        for message in self.messages(shown) {
            if !std::mem::take(&mut first) {
                frame.push(',');
            }
            message.write(&mut frame);
        }
        frame.push_str("]}");
        frame
    }

    /// The run's messages in the order in which the client would have made them: a call goes to the
    /// message that holds it, which it makes if it is the first.
    fn messages<'a>(&'a self, shown: &[(&'a str, &'a str)]) -> Vec<Message<'a>> {
        let mut messages = Vec::new();
        let mut owners = Positions::default();
        for (item, (text, _)) in self.items.iter().zip(shown) {
            let known = owners.of(&item.owner).and_then(|index| messages.get_mut(index));
            match (item.kind, known) {
                (Kind::Call, Some(Message::Assistant(owner))) => {
                    owner.tool_calls.get_or_insert_default().push(item.call(text));
                }
                (Kind::Text, Some(Message::Assistant(owner))) => owner.content = Some(text),
                _ => {
                    owners.insert(&item.owner, messages.len());
                    messages.push(item.message(text));
                }
            }
        }
        messages
    }
}

impl Item {
    fn new(scope: Scope<'_>) -> Self {
        let (kind, id) = scope.key();
        let (name, owner) = match scope {
            Scope::Call { name, parent, .. } => (name, parent),
            Scope::Text(_) | Scope::Reasoning(_) => ("", id),
        };
        let (id, name, owner) = (id.to_owned(), name.to_owned(), owner.to_owned());
        Item { kind, id, name, owner, text: String::new(), open: true }
    }

    fn size(&self) -> usize {
        ITEM + self.id.len() + self.name.len() + self.owner.len() + self.text.len()
    }

    /// The bytes that the item takes in the snapshot's frame without its text, at most.
    fn frame_size(&self) -> usize {
        ITEM + pieces::text_len(&self.id) + pieces::text_len(&self.name) + pieces::text_len(&self.owner)
    }

    fn scope(&self) -> Scope<'_> {
        match self.kind {
            Kind::Text => Scope::Text(&self.id),
            Kind::Reasoning => Scope::Reasoning(&self.id),
            Kind::Call => Scope::Call { id: &self.id, name: &self.name, parent: &self.owner },
        }
    }

    fn message<'a>(&'a self, text: &'a str) -> Message<'a> {
        let own = AssistantMessage::new(&self.owner);
        match self.kind {
            Kind::Text => Message::Assistant(AssistantMessage { content: Some(text), ..own }),
            Kind::Reasoning => Message::Reasoning(ReasoningMessage::new(&self.owner, text)),
            Kind::Call => Message::Assistant(AssistantMessage { tool_calls: Some(vec![self.call(text)]), ..own }),
        }
    }

    fn call<'a>(&'a self, arguments: &'a str) -> ToolCall<'a> {
        ToolCall::new(&self.id, &self.name, arguments)
    }

    /// The frames that open the scope again where it is open, and say what the snapshot had no room for.
    fn reopen(&self, rest: &str, frames: &mut Vec<String>) {
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
