//! What a Chat Completions service is asked: a run's input and what the run did since → one JSON body.

use super::{parts, settings};
use crate::Error;
use crate::input::{Call, Message, RunInput, Tool};
use crate::json::{self, Json, Object, Raw};
use crate::positions::Positions;
use crate::provider::Ask;
use serde_json::Value;

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
pub fn request(model: &str, input: &RunInput, transcript: &[Message], tools: &[Tool]) -> Result<String, Error> {
    request_after(model, input, &input.messages, transcript, tools)
}

/// The same, where the transcript comes behind these messages of the input alone.
///
/// # Errors
/// As of [`request`].
pub fn request_after(
    model: &str,
    input: &RunInput,
    sent: &[Message],
    transcript: &[Message],
    tools: &[Tool],
) -> Result<String, Error> {
    let encoded = messages(&Ask { model, input, sent, transcript })?;
    Ok(json::object(|body| {
        body.fields(&[("model", &model), ("messages", &encoded), ("stream", &true)]);
        body.object("stream_options", |options| {
            options.field("include_usage", &true);
        });
        body.list("tools", tools);
        settings::write(&input.settings, model, !tools.is_empty(), body);
    }))
}

/// The messages: the input's context, then the conversation [`in_order`].
///
/// # Errors
/// As of [`request`].
pub(in crate::provider) fn messages(ask: &Ask<'_>) -> Result<Vec<Raw>, Error> {
    let context = context(&ask.input.context).map(|text| message("system", &[("content", &text)]));
    let mut encoded: Vec<Raw> = context.into_iter().collect();
    for entry in in_order(ask) {
        encoded.push(entry.encode()?);
    }
    Ok(encoded)
}

/// The context as the text of a system message, a paragraph an entry; none if there is none.
pub(in crate::provider) fn context(entries: &[(String, String)]) -> Option<String> {
    let paragraphs: Vec<String> = entries.iter().map(|(about, value)| format!("{about}:\n{value}")).collect();
    let paragraphs: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
    (!entries.is_empty()).then(|| paragraphs.join("\n\n"))
}

/// A tool without a schema takes no arguments; some services refuse one that does not say so.
impl Json for Tool {
    fn write(&self, out: &mut String) {
        let mut tool = Object::begin(out);
        tool.field("type", &"function").object("function", |function| {
            function.field("name", &self.name);
            match &self.parameters {
                Some(parameters) => function.field("parameters", parameters),
                None => function.field("parameters", &Raw(r#"{"type":"object","properties":{}}"#.to_owned())),
            };
            if !self.description.is_empty() {
                function.field("description", &self.description);
            }
        });
        tool.end();
    }
}

/// Where a message stands: the list's name, and the position in it.
#[derive(Clone, Copy)]
pub(in crate::provider) struct Place(&'static str, usize);

/// A message of the body.
pub(in crate::provider) enum Entry<'a> {
    /// As it came.
    One(Place, &'a Message),
    /// Assistant messages that call tools, as one.
    Calls {
        /// The text of each.
        texts: Vec<&'a str>,
        /// The calls of all.
        calls: Vec<&'a Call>,
    },
}

/// The conversation, with neighbouring calls merged and their results directly behind them.
pub(in crate::provider) fn in_order<'a>(ask: &Ask<'a>) -> Vec<Entry<'a>> {
    let sent = ask.sent.iter().enumerate().map(|(at, message)| (Place("messages", at), message));
    let done = ask.transcript.iter().enumerate().map(|(at, message)| (Place("transcript", at), message));
    let messages: Vec<_> = sent.chain(done).collect();
    let mut results = Results::of(&messages);
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
        Message::Assistant { text, calls, .. } if !calls.is_empty() => Some((text, calls)),
        _ => None,
    }
}

/// The tool results of the conversation, by the call that they answer.
struct Results {
    /// Where the first result of a call is that waits for it.
    first: Positions,
    /// One entry a message: for a result, where the next one of the same call is; past the end if none is.
    next: Vec<usize>,
    /// One entry a message: true for a result that stands behind its call by now.
    taken: Vec<bool>,
}

impl Results {
    fn of(messages: &[(Place, &Message)]) -> Self {
        let count = messages.len();
        let mut results = Results { first: Positions::default(), next: vec![count; count], taken: vec![false; count] };
        for (at, ((_, message), next)) in messages.iter().zip(&mut results.next).enumerate().rev() {
            if let Message::Tool { call, .. } = message {
                *next = results.first.of(call).unwrap_or(count);
                results.first.insert(call, at);
            }
        }
        results
    }

    fn is_taken(&self, at: usize) -> bool {
        self.taken.get(at).copied().unwrap_or(false)
    }

    /// The first result of the call behind that position, if none was taken for it yet.
    fn take(&mut self, call: &str, behind: usize) -> Option<usize> {
        loop {
            let at = self.first.of(call)?;
            self.first.insert(call, *self.next.get(at)?);
            if at >= behind {
                *self.taken.get_mut(at)? = true;
                return Some(at);
            }
        }
    }
}

impl Entry<'_> {
    fn encode(&self) -> Result<Raw, Error> {
        match self {
            Entry::Calls { texts, calls } => Ok(assistant(texts, calls)),
            Entry::One(_, Message::System(text)) => Ok(message("system", &[("content", text)])),
            Entry::One(place, Message::User(content)) => {
                Ok(message("user", &[("content", &parts::content(content, &place.to_string())?)]))
            }
            Entry::One(_, Message::Assistant { text, .. }) => Ok(message("assistant", &[("content", text)])),
            Entry::One(place, Message::Tool { call, content }) => {
                let text = parts::text_only(content, &place.to_string())?;
                Ok(message("tool", &[("tool_call_id", call), ("content", &text)]))
            }
        }
    }
}

fn message(role: &str, fields: &[(&str, &dyn Json)]) -> Raw {
    Raw(json::object(|message| {
        message.field("role", &role).fields(fields);
    }))
}

/// Where there is no text, `content` is null: the form that the services themselves send.
fn assistant(texts: &[&str], calls: &[&Call]) -> Raw {
    let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    let content = if texts.is_empty() { Value::Null } else { Value::from(texts.join("\n\n")) };
    message("assistant", &[("content", &content), ("tool_calls", &calls)])
}

/// Services parse the arguments, so a call without any has an empty object.
impl Json for &Call {
    fn write(&self, out: &mut String) {
        let arguments = if self.arguments.trim().is_empty() { "{}" } else { &self.arguments };
        let mut call = Object::begin(out);
        call.fields(&[("id", &self.id), ("type", &"function")]).object("function", |function| {
            function.fields(&[("name", &self.name), ("arguments", &arguments)]);
        });
        call.end();
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.0, self.1)
    }
}
