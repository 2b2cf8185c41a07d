//! What the messages of a request come to: the conversation for the model, the same as AG-UI messages, and what makes
//! two requests the same.

use super::super::part::text;
use crate::input::{Answer, Call, Message, Part};
use crate::wire::agui::echoed;
use serde_json::{Map, Value, json};

/// The fold of a request's messages.
#[derive(Default)]
pub(super) struct Said {
    pub(super) messages: Vec<Message>,
    /// As AG-UI messages, under the client's own ids.
    pub(super) echo: Vec<Value>,
    /// What users, tools and instructions say.
    pub(super) subject: Vec<Value>,
    pub(super) answers: Vec<Answer>,
    step: Step,
}

/// A part of an assistant's message: one response, as far as one can see that.
#[derive(Default)]
struct Step {
    text: String,
    calls: Vec<Made>,
}

/// A call of an assistant's message.
pub(super) struct Made {
    pub(super) call: Call,
    pub(super) result: Option<Value>,
    pub(super) failed: bool,
    /// The client does not run it.
    pub(super) ours: bool,
    /// A person's approval, as the part has it.
    pub(super) approval: Option<Value>,
}

/// Where the messages made of one `UIMessage` go, and under which ids.
pub(super) struct Source<'v> {
    pub(super) id: &'v str,
    pub(super) metadata: Option<&'v Value>,
    /// How many messages were made.
    pub(super) made: usize,
    /// The model has what comes now already.
    pub(super) silent: bool,
}

impl Said {
    /// A message of the system or of a user. One that says nothing is none.
    pub(super) fn plain(&mut self, message: Message, content: Value, source: &mut Source<'_>) {
        let role = if matches!(message, Message::System(_)) { "system" } else { "user" };
        self.subject.push(json!({ "role": role, "content": content }));
        self.echo(source, role, Map::from_iter([("content".to_owned(), content)]));
        self.messages.push(message);
    }

    /// Reasoning, which a model is not sent.
    pub(super) fn reasoning(&mut self, text: &str, source: &mut Source<'_>) {
        self.flush(source);
        if !text.is_empty() {
            self.echo(source, "reasoning", Map::from_iter([("content".to_owned(), text.into())]));
        }
    }

    /// Text of the assistant: a message of its own.
    pub(super) fn text(&mut self, text: &str, source: &mut Source<'_>) {
        self.flush(source);
        self.step.text.push_str(text);
    }

    /// The last text was no answer.
    pub(super) fn withdraw(&mut self) {
        self.step.text.clear();
    }

    /// A call of the assistant.
    pub(super) fn call(&mut self, made: Made) {
        self.step.calls.push(made);
    }

    /// Ends a message of the assistant. A call without a result is not said to the model, which could not go on from it.
    pub(super) fn flush(&mut self, source: &mut Source<'_>) {
        let Step { text: said, calls } = std::mem::take(&mut self.step);
        if said.is_empty() && calls.is_empty() {
            return;
        }
        let mut message = Map::new();
        if !said.is_empty() {
            message.insert("content".into(), said.as_str().into());
        }
        if !calls.is_empty() {
            message.insert("toolCalls".into(), calls.iter().map(Made::echoed).collect());
        }
        self.echo(source, "assistant", message);
        let told: Vec<Call> = calls.iter().filter(|made| made.result.is_some()).map(|made| made.call.clone()).collect();
        let says = !said.is_empty() || !told.is_empty();
        if says && !source.silent {
            self.messages.push(Message::Assistant { text: said, calls: told, kept: None });
        }
        for made in calls {
            self.result(made, source);
        }
    }

    fn result(&mut self, made: Made, source: &Source<'_>) {
        let Made { call, result: Some(result), failed, ours, .. } = made else { return };
        let said = text(&result);
        let content: Vec<Part> = if said.is_empty() { Vec::new() } else { vec![Part::Text(said.clone())] };
        if !ours {
            self.subject.push(json!({ "role": "tool", "call": call.id, "content": said, "failed": failed }));
        }
        let kind = if ours { "r" } else { "o" };
        let mut message = Map::from_iter([
            ("id".to_owned(), format!("{}-{kind}-{}", source.id, call.id).into()),
            ("role".to_owned(), "tool".into()),
            ("toolCallId".to_owned(), call.id.as_str().into()),
        ]);
        match failed {
            true => {
                message.insert("content".into(), "".into());
                message.insert("error".into(), said.into());
            }
            false => {
                message.insert("content".into(), said.into());
            }
        }
        if !result.is_string() {
            message.insert("metadata".into(), json!({ "json": true }));
        }
        self.echo.push(Value::Object(message));
        if !source.silent {
            self.messages.push(Message::Tool { call: call.id, content });
        }
    }

    /// The first message that is made of one has its id and its metadata.
    fn echo(&mut self, source: &mut Source<'_>, role: &str, mut message: Map<String, Value>) {
        source.made += 1;
        let id = match (source.made, role) {
            (1, _) => source.id.to_owned(),
            (number, "reasoning") => format!("{}-q{number}", source.id),
            (number, _) => format!("{}-s{number}", source.id),
        };
        message.insert("id".into(), id.into());
        message.insert("role".into(), role.into());
        if let Some(metadata) = source.metadata.filter(|_| source.made == 1) {
            message.insert("metadata".into(), metadata.clone());
        }
        self.echo.push(Value::Object(message));
    }
}

impl Made {
    fn echoed(&self) -> Value {
        let Call { id, name, arguments } = &self.call;
        let mut call = json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
        if let (Some(approval), Some(call)) = (&self.approval, call.as_object_mut()) {
            call.insert("metadata".into(), json!({ "approval": approval }));
        }
        call
    }
}

/// A user's parts as AG-UI has them.
pub(super) fn content(parts: &[Part]) -> Value {
    let message = echoed("", &[Message::User(parts.to_vec())]);
    message.first().and_then(|message| message.get("content")).cloned().unwrap_or_default()
}
