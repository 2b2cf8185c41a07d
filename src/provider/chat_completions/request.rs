//! What a Chat Completions service is asked: a run's input and what the run did since → one JSON body.

use super::fields::Object;
use super::parts;
use crate::Error;
use crate::input::{Call, Message, RunInput, Tool};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// The body of `POST …/chat/completions` for the run's next response, streamed and with usage.
///
/// The messages are the input's context as a system message, the input's messages, and the
/// `transcript` of what this run said and called so far. `tools` are all that the model may call.
///
/// What a client sends back is put in the order that services accept: neighbouring assistant
/// messages that call tools become one with all the calls, and the result of each call stands
/// directly behind it. Nothing is left out: a result without a call, or a call without a result,
/// is for the service to refuse.
///
/// # Errors
///
/// [`crate::ErrorKind::UnsupportedPart`] for a part that the format cannot express, with its
/// place: `messages[2].content[0]`, or `transcript[2].content[0]` for a result of this run.
pub fn request(model: &str, input: &RunInput, transcript: &[Message], tools: &[Tool]) -> Result<Value, Error> {
    let sent = input.messages.iter().enumerate().map(|(at, message)| (Place("messages", at), message));
    let done = transcript.iter().enumerate().map(|(at, message)| (Place("transcript", at), message));
    let messages: Vec<_> = sent.chain(done).collect();

    let mut encoded: Vec<Value> = context(&input.context).into_iter().collect();
    for entry in in_order(&messages) {
        encoded.push(entry.encode()?);
    }
    let mut body = object([
        ("model", json!(model)),
        ("messages", json!(encoded)),
        ("stream", json!(true)),
        ("stream_options", json!({ "include_usage": true })),
    ]);
    if !tools.is_empty() {
        body.insert("tools".to_owned(), tools.iter().map(tool).collect());
    }
    Ok(Value::Object(body))
}

/// The context as a system message, a paragraph an entry.
fn context(entries: &[(String, String)]) -> Option<Value> {
    let paragraphs: Vec<String> = entries.iter().map(|(about, value)| format!("{about}:\n{value}")).collect();
    (!entries.is_empty()).then(|| json!({ "role": "system", "content": paragraphs.join("\n\n") }))
}

/// A tool without a schema takes no arguments; some services refuse one that does not say so.
fn tool(tool: &Tool) -> Value {
    let nothing = || json!({ "type": "object", "properties": {} });
    let mut function =
        object([("name", json!(tool.name)), ("parameters", tool.parameters.clone().unwrap_or_else(nothing))]);
    if !tool.description.is_empty() {
        function.insert("description".to_owned(), json!(tool.description));
    }
    json!({ "type": "function", "function": function })
}

/// Where a message stands: the list's name, and the position in it.
#[derive(Clone, Copy)]
struct Place(&'static str, usize);

/// A message of the body.
enum Entry<'a> {
    /// As it came.
    One(Place, &'a Message),
    /// Assistant messages that call tools, as one.
    Calls { texts: Vec<&'a str>, calls: Vec<&'a Call> },
}

/// Merges neighbouring calls and puts their results directly behind them.
fn in_order<'a>(messages: &[(Place, &'a Message)]) -> Vec<Entry<'a>> {
    let mut results = Results::of(messages);
    let mut entries = Vec::with_capacity(messages.len());
    let mut rest = messages.iter().enumerate().peekable();
    while let Some((at, &(place, message))) = rest.next() {
        let Some((text, calls)) = calling(message) else {
            if !results.is_taken(at) {
                entries.push(Entry::One(place, message));
            }
            continue;
        };
        let mut texts = vec![text];
        let mut calls: Vec<&Call> = calls.iter().collect();
        while let Some((text, more)) = rest.peek().and_then(|(_, (_, next))| calling(next)) {
            texts.push(text);
            calls.extend(more);
            rest.next();
        }
        let behind: Vec<usize> = calls.iter().filter_map(|call| results.take(&call.id, at)).collect();
        entries.push(Entry::Calls { texts, calls });
        entries.extend(
            behind.into_iter().filter_map(|at| messages.get(at)).map(|&(place, result)| Entry::One(place, result)),
        );
    }
    entries
}

/// The text and the calls of an assistant message that calls tools.
fn calling(message: &Message) -> Option<(&str, &[Call])> {
    match message {
        Message::Assistant { text, calls } if !calls.is_empty() => Some((text, calls)),
        _ => None,
    }
}

/// The tool results of the conversation, by the call that they answer.
struct Results<'a> {
    /// Positions in the conversation, rising.
    waiting: BTreeMap<&'a str, VecDeque<usize>>,
    /// One entry a message: true for a result that stands behind its call by now.
    taken: Vec<bool>,
}

impl<'a> Results<'a> {
    fn of(messages: &[(Place, &'a Message)]) -> Self {
        let mut waiting: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for (at, (_, message)) in messages.iter().enumerate() {
            if let Message::Tool { call, .. } = message {
                waiting.entry(call).or_default().push_back(at);
            }
        }
        Results { waiting, taken: vec![false; messages.len()] }
    }

    fn is_taken(&self, at: usize) -> bool {
        self.taken.get(at).copied().unwrap_or(false)
    }

    /// The first result of the call behind that position, if none was taken for it yet.
    fn take(&mut self, call: &str, behind: usize) -> Option<usize> {
        let waiting = self.waiting.get_mut(call)?;
        while waiting.front().is_some_and(|at| *at < behind) {
            waiting.pop_front();
        }
        let at = waiting.pop_front()?;
        if let Some(taken) = self.taken.get_mut(at) {
            *taken = true;
        }
        Some(at)
    }
}

impl Entry<'_> {
    fn encode(&self) -> Result<Value, Error> {
        match self {
            Entry::Calls { texts, calls } => Ok(assistant(texts, calls)),
            Entry::One(_, Message::System(text)) => Ok(json!({ "role": "system", "content": text })),
            Entry::One(place, Message::User(content)) => {
                Ok(json!({ "role": "user", "content": parts::content(content, &place.to_string())? }))
            }
            Entry::One(_, Message::Assistant { text, .. }) => Ok(json!({ "role": "assistant", "content": text })),
            Entry::One(place, Message::Tool { call, content }) => {
                let text = parts::text_only(content, &place.to_string())?;
                Ok(json!({ "role": "tool", "tool_call_id": call, "content": text }))
            }
        }
    }
}

/// Where there is no text, `content` is null: the form that the services themselves send.
fn assistant(texts: &[&str], calls: &[&Call]) -> Value {
    let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    let content = (!texts.is_empty()).then(|| texts.join("\n\n"));
    let calls: Vec<Value> = calls.iter().map(|call| encode_call(call)).collect();
    json!({ "role": "assistant", "content": content, "tool_calls": calls })
}

/// Services parse the arguments, so a call without any has an empty object.
fn encode_call(call: &Call) -> Value {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Object {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.0, self.1)
    }
}
