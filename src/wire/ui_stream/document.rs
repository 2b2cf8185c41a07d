//! The messages of a chat: AG-UI messages, as a snapshot of a run's thread has them, as `UIMessage`s.
//!
//! One message of the assistant is all that it said between two of others, a step for each response. Its id is the one
//! that the stream of its run began with. Public narration is transient and so no part of a message.

mod ids;
mod parts;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use super::message_id;
use super::terminal::Asked;
use crate::event::Interrupt;
use crate::input::Message;
use crate::json;
use crate::positions::Positions;
use crate::wire::agui::{Limits, heard};
use serde_json::{Map, Value, json};

/// A run that waits for a person.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    /// The run's id.
    pub run: &'a str,
    /// What it asks; nobody has answered yet.
    pub interrupts: &'a [Interrupt],
}

/// The chat as a JSON array of `UIMessage`s, which `useChat({messages})` takes as it is. `history` are AG-UI messages; what
/// is none is left out. `waiting` adds what the newest run waits for.
pub fn messages(history: &[Value], waiting: Option<Waiting<'_>>) -> String {
    let mut chat = Chat::default();
    history.iter().for_each(|message| chat.take(message));
    waiting.into_iter().for_each(|waiting| chat.ask(waiting));
    json::text(&chat.messages.into_iter().map(One::value).collect::<Vec<_>>())
}

#[derive(Default)]
struct Chat {
    messages: Vec<One>,
    /// Where each call stands: its message's and its part's position.
    calls: Positions,
    places: Vec<(usize, usize)>,
}

/// A `UIMessage`.
struct One {
    id: String,
    role: &'static str,
    parts: Vec<Value>,
    metadata: Option<Value>,
    /// Its step says nothing yet.
    fresh: bool,
    /// Its step has a result.
    answered: bool,
}

impl Chat {
    fn take(&mut self, message: &Value) {
        if member(message, "role") == "reasoning" {
            if !ids::is_narration(member(message, "id")) {
                self.assistant(message);
                if self.messages.last().is_some_and(|one| one.answered) {
                    self.step();
                }
                self.push(json!({ "type": "reasoning", "text": member(message, "content"), "state": "done" }));
            }
            return;
        }
        let heard = heard(std::slice::from_ref(message), &Limits::default()).unwrap_or_default();
        match heard.into_iter().next() {
            Some(Message::System(text)) => self.plain("system", message, vec![parts::text(&text)]),
            Some(Message::User(said)) => self.plain("user", message, parts::said(&said, message)),
            Some(Message::Assistant { text, calls, .. }) => {
                self.assistant(message);
                self.step();
                if !text.is_empty() {
                    self.say(parts::text(&text));
                }
                for (at, call) in calls.iter().enumerate() {
                    let raw = message.get("toolCalls").and_then(|calls| calls.get(at));
                    self.call(&call.id, parts::call(call, raw));
                }
            }
            Some(Message::Tool { call, .. }) => self.result(&call, message),
            None => {}
        }
    }

    fn plain(&mut self, role: &'static str, message: &Value, parts: Vec<Value>) {
        let (id, metadata) = (member(message, "id").to_owned(), message.get("metadata").cloned());
        self.messages.push(One { id, role, parts, metadata, fresh: true, answered: false });
    }

    /// What comes belongs to the assistant's message that is last, or begins one.
    fn assistant(&mut self, message: &Value) {
        let id = member(message, "id");
        let base = ids::base(id);
        let goes_on = |one: &One| one.role == ASSISTANT && (one.id == base || ids::is_runs(id));
        if !self.messages.last().is_some_and(goes_on) {
            self.begin(base, message.get("metadata").cloned());
        }
    }

    fn begin(&mut self, id: String, metadata: Option<Value>) {
        self.messages.push(One {
            id,
            role: ASSISTANT,
            parts: vec![parts::step()],
            metadata,
            fresh: true,
            answered: false,
        });
    }

    /// What comes is another response.
    fn step(&mut self) {
        if let Some(one) = self.messages.last_mut().filter(|one| !one.fresh) {
            one.parts.push(parts::step());
            (one.fresh, one.answered) = (true, false);
        }
    }

    fn push(&mut self, part: Value) {
        self.messages.last_mut().into_iter().for_each(|one| one.parts.push(part.clone()));
    }

    fn say(&mut self, part: Value) {
        self.push(part);
        self.messages.last_mut().into_iter().for_each(|one| one.fresh = false);
    }

    fn call(&mut self, id: &str, part: Value) {
        let message = self.messages.len().saturating_sub(1);
        let at = self.messages.last().map_or(0, |one| one.parts.len());
        self.calls.insert(id, self.places.len());
        self.places.push((message, at));
        self.say(part);
    }

    fn part(&mut self, call: &str) -> Option<&mut Map<String, Value>> {
        let (message, at) = *self.places.get(self.calls.of(call)?)?;
        self.messages.get_mut(message)?.parts.get_mut(at)?.as_object_mut()
    }

    /// A result stands in the part of its call. One without a call is not shown.
    fn result(&mut self, call: &str, message: &Value) {
        if let Some(part) = self.part(call) {
            parts::result(part, call, message);
            let last = self.messages.len().saturating_sub(1);
            let place = self.calls.of(call).and_then(|at| self.places.get(at));
            if place.is_some_and(|(at, _)| *at == last) {
                self.messages.last_mut().into_iter().for_each(|one| one.answered = true);
            }
        }
    }

    /// What a run asks, as the stream of it has ended.
    fn ask(&mut self, waiting: Waiting<'_>) {
        if self.messages.last().is_none_or(|one| one.role != ASSISTANT) {
            self.begin(message_id(waiting.run), None);
        }
        self.step();
        for interrupt in waiting.interrupts {
            let asked = Asked::of(interrupt);
            if self.part(&asked.id).is_none() {
                self.call(&asked.id, parts::asked(&asked));
            }
            if let Some(part) = self.part(&asked.id) {
                part.insert("state".into(), "approval-requested".into());
                let mut approval = json!({ "id": interrupt.id });
                if let (Some(message), Some(approval)) = (&interrupt.message, approval.as_object_mut()) {
                    approval.insert("requestReason".into(), message.as_str().into());
                }
                part.insert("approval".into(), approval);
            }
        }
    }
}

const ASSISTANT: &str = "assistant";

impl One {
    fn value(self) -> Value {
        let One { id, role, parts, metadata, .. } = self;
        let mut value = Map::new();
        value.insert("id".into(), id.into());
        value.insert("role".into(), role.into());
        value.insert("parts".into(), parts.into());
        if let Some(metadata) = metadata {
            value.insert("metadata".into(), metadata);
        }
        Value::Object(value)
    }
}

fn member<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
