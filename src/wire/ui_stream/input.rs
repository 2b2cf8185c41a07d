//! What `DefaultChatTransport` posts: `{id, messages, trigger, messageId}`, and what apps add to it.
//!
//! `id` is the chat, and so the thread. Of what apps add, `model`, `system` and `tools` are understood; the client sends
//! no schemas of its tools by itself. Other members are the app's own business and are ignored.
//!
//! **The run's id** is derived, 32 hex digits: a hash of the chat, `messageId`, `model`, and of all from the
//! last message of the user on: that message, and of the assistant's behind it their ids, the results and the answers to
//! approvals. So the same POST again is the same run, and a tool's result or an edited message a run of its own.
//! `regenerate-message` is another run each time, since the client posts the same for the second as for the first: its
//! id is the `Idempotency-Key`, or a fresh one.
//!
//! **Approvals**: an answer is taken from the last step of the last message, where that is the assistant's. All that the
//! run which asks has put into that message is left out of what the model is sent, since the turn has it already.

mod message;
mod said;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod tools;

use super::continued::Continued;
use crate::Error;
use crate::digest;
use crate::input::{Answer, Echo, Message, RunInput, Settings, Word};
use crate::json;
use crate::wire::agui::{Limits, malformed};
use crate::wire::field::Field;
use crate::wire::fingerprint::{self, Canon};
use crate::wire::{Asked, Names};
use said::Said;
use serde_json::{Value, json};

/// The digits of a run's id.
const DIGITS: usize = 32;

/// Understands a request's body.
///
/// # Errors
/// As of [`crate::wire::agui::parse`].
pub fn parse(body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
    limits.check(body)?;
    let value = json::read::read(body).map_err(malformed)?;
    let body = Field::body(&value);
    body.object()?;
    let chat = body.required("id")?.name(limits.id)?;
    let trigger = body.optional("trigger").map(|field| trigger(&field)).transpose()?.unwrap_or(SUBMIT);
    let message = body.optional("messageId").map(|field| field.id(limits.id)).transpose()?;
    let model = body.optional("model").map(|field| field.name(limits.id)).transpose()?;
    let system = body.optional("system").map(|field| field.string()).transpose()?;
    let tools = body.optional("tools").map_or(Ok(Vec::new()), |field| tools::tools(&field, limits))?;
    let field = body.required("messages")?;
    let said = message::messages(&field, limits)?;

    let all = field.value().as_array().map(Vec::as_slice).unwrap_or_default();
    let run = match trigger {
        SUBMIT => run(&json!({
            "chat": chat, "message": message, "model": model, "tail": message::tail(all),
        })),
        _ => names.run.to_owned(),
    };
    let fingerprint = fingerprint(&said, system, model, &tools);
    let request = all.last().filter(|last| message::is_assistants(last)).map(Continued::request);
    let Said { mut messages, echo, answers, .. } = said;
    if let Some(system) = system.filter(|system| !system.is_empty()) {
        messages.insert(0, Message::System(system.to_owned()));
    }
    Ok(Asked::streamed(RunInput {
        thread: chat.to_owned(),
        run,
        messages,
        tools,
        context: Vec::new(),
        resume: answers,
        model: model.map(str::to_owned),
        settings: Settings::default(),
        echo: Echo { messages: echo, state: None, request },
        fingerprint,
        protocol: None,
        exactly_once: false,
    }))
}

const SUBMIT: &str = "submit-message";

fn trigger<'v>(field: &Field<'_, 'v>) -> Result<&'v str, Error> {
    match field.string()? {
        trigger @ (SUBMIT | "regenerate-message") => Ok(trigger),
        _ => Err(field.must("be submit-message or regenerate-message")),
    }
}

fn run(subject: &Value) -> String {
    digest::hex(&["lastword-ui-run/1\n", &json::text(&Canon(subject))]).chars().take(DIGITS).collect()
}

/// Of what users, tools and instructions say, the answers to approvals, the tools and the model.
fn fingerprint(said: &Said, system: Option<&str>, model: Option<&str>, tools: &[crate::input::Tool]) -> String {
    let resume: Vec<Value> = said.answers.iter().map(answer).collect();
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters }))
        .collect();
    fingerprint::of(&json::text(&Canon(&json!({
        "messages": said.subject, "model": model, "resume": resume, "system": system, "tools": tools,
    }))))
}

fn answer(answer: &Answer) -> Value {
    let payload = match &answer.word {
        Word::Resolved(payload) => payload.clone(),
        Word::Cancelled => None,
    };
    json!({ "id": answer.interrupt, "payload": payload })
}
