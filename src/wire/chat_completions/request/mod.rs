//! The body of a POST to `/v1/chat/completions`, parsed into what the core understands, within bounds.
//!
//! Null is accepted as absent wherever a field is optional. What the client would miss in the answer is refused by
//! name (`n` above 1, sound, log probabilities, tools that are no functions, and `functions`, whose answer would have
//! to be of the old form); what changes nothing in it (`user`,
//! `metadata`, `store`, the service's own switches) is ignored, as unknown fields are.

mod content;
mod message;
mod settings;
mod subject;
mod tools;

use crate::Error;
use crate::input::{Answer, Echo, Message, RunInput, Word};
use crate::json;
use crate::positions::Positions;
use crate::wire::agui::{Limits, echoed, malformed};
use crate::wire::field::Field;
use crate::wire::{Asked, Form, Names, fingerprint};
use serde_json::Value;

/// Understands a request's body.
///
/// # Errors
/// [`crate::ErrorKind::BodyTooLarge`], [`crate::ErrorKind::MalformedJson`], or [`crate::ErrorKind::InvalidInput`] with
/// a detail that names the field (`messages[3].content must be a string or an array of parts.`).
pub fn parse(body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
    limits.check(body)?;
    let value: Value = json::read::read(body).map_err(malformed)?;
    let body = Field::body(&value);
    body.object()?;
    let (messages, resume) = messages(&body.required("messages")?, limits)?;
    let model = body.optional("model").map(|model| model.name(limits.id)).transpose()?;
    settings::refuse(&body)?;
    let input = RunInput {
        thread: names.thread.unwrap_or(names.run).to_owned(),
        run: names.run.to_owned(),
        tools: tools::tools(&body, limits)?,
        context: Vec::new(),
        resume,
        model: model.map(str::to_owned),
        settings: settings::settings(&body, limits)?,
        echo: Echo { messages: echoed(names.run, &messages), ..Echo::default() },
        messages,
        fingerprint: fingerprint::of(&subject::subject(&value)),
        protocol: None,
        exactly_once: false,
    };
    let form = if body.flag("stream")? == Some(true) { Form::Stream } else { Form::Whole };
    let usage = match body.optional("stream_options") {
        Some(options) => {
            options.object()?;
            options.flag("include_usage")? == Some(true)
        }
        None => false,
    };
    Ok(Asked { input, previous: None, form, usage })
}

/// The conversation, and the answers to approvals. Of those only what stands behind all that the assistant said
/// answers anything: the others were answered by earlier runs. Neither they nor what asked for them is the model's.
fn messages(field: &Field<'_, '_>, limits: &Limits) -> Result<(Vec<Message>, Vec<Answer>), Error> {
    let mut reader = message::Reader::new(limits);
    let mut messages = Vec::new();
    let (mut answers, mut seen) = (Vec::new(), Positions::default());
    for item in field.items(limits.messages)? {
        match reader.message(&item)? {
            message::Read::Said(message) => {
                let assistant = matches!(message, Message::Assistant { .. });
                messages.push(message);
                if assistant {
                    (answers, seen) = (Vec::new(), Positions::default());
                }
            }
            message::Read::Asked => (answers, seen) = (Vec::new(), Positions::default()),
            message::Read::Answered(interrupt, payload) => {
                if seen.contains(&interrupt) {
                    return Err(item.must("not answer an approval twice"));
                }
                seen.insert(&interrupt, answers.len());
                answers.push(Answer { interrupt, word: Word::Resolved(Some(payload)) });
            }
        }
    }
    if messages.is_empty() && answers.is_empty() {
        return Err(field.must("not be empty"));
    }
    Ok((messages, answers))
}
