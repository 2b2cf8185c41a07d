//! `RunAgentInput`: parsed into what the core understands, within bounds.
//!
//! Required: `threadId`, `runId`, `messages`. Null is accepted as absent wherever a field is optional.
//! Unknown fields are ignored, unknown roles and part types are not: what can't be given to a model
//! must not vanish unsaid. Half a surrogate pair (`"\ud83d"`), which browsers send, becomes U+FFFD.

mod content;
mod limits;
mod message;
mod subject;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use limits::Limits;

use crate::input::{Answer, Echo, Message, Protocol, RunInput, Settings, Tool, Word};
use crate::json;
use crate::positions::Positions;
use crate::wire::field::Field;
use crate::wire::fingerprint;
use crate::{Error, ErrorKind};
use serde_json::Value;

/// Parses the body of a run's POST.
///
/// # Errors
/// [`ErrorKind::BodyTooLarge`], [`ErrorKind::MalformedJson`], or [`ErrorKind::InvalidInput`] with a
/// detail that names the field (`messages[3].content must be a string or an array of parts.`).
pub fn parse(body: &[u8], limits: &Limits) -> Result<RunInput, Error> {
    limits.check(body)?;
    let mut value: Value = json::read::read(body).map_err(malformed)?;
    let input = read(&Field::body(&value), limits)?;
    Ok(RunInput { echo: echo(&mut value), ..input })
}

/// An input that is kept and compared with others, and of which no model is asked: its messages are echoed as they
/// come, and not understood. Its fingerprint is what [`parse`] gives it.
///
/// # Errors
/// As of [`parse`], of what is looked at: the ids, the version, and that messages have ids and roles.
pub fn keep(body: &[u8], limits: &Limits) -> Result<RunInput, Error> {
    limits.check(body)?;
    let mut value: Value = json::read::read(body).map_err(malformed)?;
    let body = Field::body(&value);
    body.object()?;
    for message in body.required("messages")?.items(limits.messages)? {
        message.required("id")?.id(limits.id)?;
        message.required("role")?.string()?;
    }
    let model = body.optional("forwardedProps").map_or(Ok(None), |props| model(&props, limits))?;
    let input = RunInput {
        thread: body.required("threadId")?.name(limits.id)?.to_owned(),
        run: body.required("runId")?.name(limits.id)?.to_owned(),
        messages: Vec::new(),
        tools: Vec::new(),
        context: Vec::new(),
        resume: Vec::new(),
        model: model.map(str::to_owned),
        settings: Settings::default(),
        echo: Echo::default(),
        fingerprint: fingerprint::of(&subject::subject(body.value(), model)),
        protocol: body.optional("protocolVersion").map(|field| protocol(&field)).transpose()?,
        exactly_once: false,
    };
    Ok(RunInput { echo: echo(&mut value), ..input })
}

/// Where the JSON breaks; never a piece of it.
pub(crate) fn malformed(error: serde_json::Error) -> Error {
    Error::with(ErrorKind::MalformedJson, format!("Line {}, column {}.", error.line(), error.column()))
}

/// Everything but the echo.
fn read(body: &Field<'_, '_>, limits: &Limits) -> Result<RunInput, Error> {
    body.object()?;
    let thread = body.required("threadId")?.name(limits.id)?;
    let run = body.required("runId")?.name(limits.id)?;
    if let Some(parent) = body.optional("parentRunId") {
        parent.id(limits.id)?;
    }
    let protocol = body.optional("protocolVersion").map(|field| protocol(&field)).transpose()?;
    let messages = messages(&body.required("messages")?, limits)?;
    let tools = body.optional("tools").map_or(Ok(Vec::new()), |field| tools(&field, limits))?;
    let context = body.optional("context").map_or(Ok(Vec::new()), |field| context(&field, limits))?;
    let resume = body.optional("resume").map_or(Ok(Vec::new()), |field| answers(&field, limits))?;
    let props = body.optional("forwardedProps");
    let model = props.as_ref().map_or(Ok(None), |field| model(field, limits))?;
    let exactly_once = props.as_ref().map_or(Ok(false), exactly_once)?;
    Ok(RunInput {
        thread: thread.to_owned(),
        run: run.to_owned(),
        messages,
        tools,
        context,
        resume,
        model: model.map(str::to_owned),
        settings: Settings::default(),
        echo: Echo::default(),
        fingerprint: fingerprint::of(&subject::subject(body.value(), model)),
        protocol,
        exactly_once,
    })
}

/// The messages and the state, moved out of the body, since they can be most of it.
fn echo(body: &mut Value) -> Echo {
    let mut take = |key| body.get_mut(key).map(Value::take);
    let state = take("state").filter(|state| !state.is_null());
    let mut messages = match take("messages") {
        Some(Value::Array(messages)) => messages,
        _ => Vec::new(),
    };
    messages.iter_mut().for_each(message::without_nulls);
    Echo { messages, state, request: None }
}

fn messages(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Message>, Error> {
    let mut messages = Vec::new();
    for item in field.items(limits.messages)? {
        messages.extend(message::message(&item, limits)?);
    }
    Ok(messages)
}

/// Messages that were echoed, as a model is to read them.
///
/// # Errors
/// As of [`parse`].
pub(crate) fn heard(messages: &[Value], limits: &Limits) -> Result<Vec<Message>, Error> {
    let mut heard = Vec::new();
    for value in messages {
        heard.extend(message::message(&Field::body(value), limits)?);
    }
    Ok(heard)
}

fn tools(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Tool>, Error> {
    let mut names = Positions::default();
    let mut tools = Vec::new();
    for item in field.items(limits.tools)? {
        item.object()?;
        let field = item.required("name")?;
        let name = field.name(limits.id)?;
        if names.contains(name) {
            return Err(field.must("not be the name of another tool"));
        }
        names.insert(name, tools.len());
        item.metadata()?;
        tools.push(Tool {
            name: name.to_owned(),
            description: item.text("description")?,
            parameters: item.optional("parameters").map(|parameters| parameters.value().clone()),
        });
    }
    Ok(tools)
}

fn context(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<(String, String)>, Error> {
    field.list(limits.context, |item| {
        item.object()?;
        Ok((item.text("description")?, item.text("value")?))
    })
}

/// `resume`: answers to interrupts. Whether they are open, and whether the payload fits, the thread knows.
fn answers(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Answer>, Error> {
    let mut ids = Positions::default();
    let mut answers = Vec::new();
    for item in field.items(limits.resume)? {
        item.object()?;
        let id = item.required("interruptId")?;
        let interrupt = id.id(limits.id)?;
        if ids.contains(interrupt) {
            return Err(id.must("not be answered twice"));
        }
        ids.insert(interrupt, answers.len());
        if let Some(metadata) = item.optional("metadata") {
            metadata.object()?;
        }
        let status = item.required("status")?;
        let word = match status.string()? {
            "resolved" => Word::Resolved(item.optional("payload").map(|payload| payload.value().clone())),
            "cancelled" => Word::Cancelled,
            _ => return Err(status.must("be resolved or cancelled")),
        };
        answers.push(Answer { interrupt: interrupt.to_owned(), word });
    }
    Ok(answers)
}

/// `forwardedProps.model`: any other shape of `forwardedProps` is the client's own business.
fn model<'v>(field: &Field<'_, 'v>, limits: &Limits) -> Result<Option<&'v str>, Error> {
    field.optional("model").map(|model| model.name(limits.id)).transpose()
}

/// `forwardedProps.exactlyOnce`: how a run is to be kept, not what it is, so it is no part of the fingerprint.
fn exactly_once(field: &Field<'_, '_>) -> Result<bool, Error> {
    let Some(asked) = field.optional("exactlyOnce") else { return Ok(false) };
    match asked.value().as_str() {
        Some("required") => Ok(true),
        _ => Err(asked.must("be required, or left out")),
    }
}

/// `MAJOR.MINOR`. A higher major version is one whose rules we do not know.
fn protocol(field: &Field<'_, '_>) -> Result<Protocol, Error> {
    let malformed = || field.must("be of the form MAJOR.MINOR");
    let (major, minor) = field.string()?.split_once('.').ok_or_else(malformed)?;
    let (major, minor) = (number(major).ok_or_else(malformed)?, number(minor).ok_or_else(malformed)?);
    if major > Protocol::V1.major {
        return Err(field.must(format_args!("be {}.x or older", Protocol::V1.major)));
    }
    Ok(Protocol { major, minor })
}

fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
