//! The body of a POST to `/v1/messages`, parsed into what the core understands, within bounds.
//!
//! Null is accepted as absent wherever a field is optional. What the client would miss in the answer is refused by
//! name: tools of the service's own and what they gave, citations, containers, MCP servers. What changes nothing in it
//! (`metadata`, cache marks, `service_tier`, the service's own switches) is ignored, as unknown fields are, and so is
//! `top_k`, which no other format has.

mod content;
mod message;
mod settings;
mod subject;
mod tools;

use crate::Error;
use crate::input::{Echo, RunInput};
use crate::json;
use crate::wire::agui::{Limits, echoed, malformed};
use crate::wire::field::Field;
use crate::wire::{Asked, Form, Names, fingerprint};
use serde_json::Value;

/// Understands a request's body.
///
/// # Errors
/// [`crate::ErrorKind::BodyTooLarge`], [`crate::ErrorKind::MalformedJson`], or [`crate::ErrorKind::InvalidInput`] with
/// a detail that names the field (`messages[3].content must be a string or an array of blocks.`).
pub fn parse(body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
    limits.check(body)?;
    let value: Value = json::read::read(body).map_err(malformed)?;
    let body = Field::body(&value);
    body.object()?;
    settings::refuse(&body)?;
    let model = body.required("model")?.name(limits.id)?;
    let (messages, resume) = message::conversation(&body, limits)?;
    let tools = body.optional("tools").map_or(Ok(Vec::new()), |tools| tools::tools(&tools, limits))?;
    let settings = settings::settings(&body, limits)?;
    let echo = Echo { messages: echoed(names.run, &messages), ..Echo::default() };
    let form = if body.flag("stream")? == Some(true) { Form::Stream } else { Form::Whole };
    let input = RunInput {
        thread: names.thread.unwrap_or(names.run).to_owned(),
        run: names.run.to_owned(),
        fingerprint: fingerprint::of(&subject::subject(&value, &echo.messages, &resume)),
        messages,
        tools,
        context: Vec::new(),
        resume,
        model: Some(model.to_owned()),
        settings,
        echo,
        protocol: None,
        exactly_once: false,
    };
    Ok(Asked { input, previous: None, form, usage: true })
}
