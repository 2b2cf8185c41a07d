//! The body of a POST.
//!
//! Null is accepted as left out. Unknown fields are ignored, and so is what changes nothing of the answer. What a
//! client would miss is refused by name: hosted tools, stored prompts, log probabilities, items of kinds that a model
//! can't be given here.

mod content;
mod fields;
mod items;
mod subject;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod tools;

use super::summary::TASK;
use crate::Error;
use crate::input::{Echo, Message, Part, RunInput, Settings, TextForm};
use crate::json;
use crate::wire::agui::{Limits, echoed, malformed};
use crate::wire::field::Field;
use crate::wire::fingerprint;
use crate::wire::{Asked, Form, Names};
use fields::{flag, kept, string, whole};
use serde_json::{Map, Value, json};

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An answer.
    Answer,
    /// A summary of the conversation, in its place.
    Compact,
}

/// Understands a request's body.
///
/// # Errors
/// [`crate::ErrorKind::BodyTooLarge`], [`crate::ErrorKind::MalformedJson`], or [`crate::ErrorKind::InvalidInput`] with
/// a detail that names the field (`input[2].content[0].image_url must be a string.`).
pub fn parse(body: &[u8], names: &Names<'_>, limits: &Limits) -> Result<Asked, Error> {
    understand(body, names, limits, Purpose::Answer)
}

/// The same for either purpose.
pub(super) fn understand(body: &[u8], names: &Names<'_>, limits: &Limits, purpose: Purpose) -> Result<Asked, Error> {
    limits.check(body)?;
    let value: Value = json::read::read(body).map_err(malformed)?;
    let body = Field::body(&value);
    body.object()?;
    let mut echo = Map::new();
    let model = match (purpose, body.optional("model")) {
        (Purpose::Compact, None) => Some(body.required("model")?),
        (_, model) => model,
    };
    let model = model.map(|model| model.name(limits.id)).transpose()?;
    kept(&mut echo, "model", model);
    let previous = previous(&body, limits, &mut echo)?;
    let conversation = conversation(&body, limits, &mut echo)?;
    let instructions = string(&body, "instructions")?;
    kept(&mut echo, "instructions", instructions);
    let mut read = match body.optional("input") {
        Some(input) => items::read(&input, limits)?,
        None if previous.is_some() || conversation.is_some() => items::Read::default(),
        None => items::read(&body.required("input")?, limits)?,
    };
    let (settings, tools, form) = match purpose {
        Purpose::Answer => {
            refuse(&body)?;
            let form = form(&body, &mut echo)?;
            let (tools, choice) = tools::read(&body, limits, &mut echo)?;
            let settings = Settings { tool_choice: choice, ..settings(&body, &mut echo)? };
            (settings, tools, form)
        }
        Purpose::Compact => {
            kept(&mut echo, "compact", Some(true));
            kept(&mut echo, "prompt_cache_key", string(&body, "prompt_cache_key")?);
            (Settings::default(), Vec::new(), Form::Whole)
        }
    };
    let messages = echoed(names.run, &read.messages);
    let fingerprint = fingerprint::of(&subject::subject(&messages, &read.answers, &echo));
    if purpose == Purpose::Compact {
        read.messages.push(Message::User(vec![Part::Text(TASK.to_owned())]));
    }
    if let Some(instructions) = instructions {
        read.messages.insert(0, Message::System(instructions.to_owned()));
    }
    let input = RunInput {
        thread: names.thread.or(conversation).unwrap_or(names.run).to_owned(),
        run: names.run.to_owned(),
        messages: read.messages,
        tools,
        context: Vec::new(),
        resume: read.answers,
        model: model.map(str::to_owned),
        settings,
        echo: Echo { messages, state: None, request: Some(Value::Object(echo)) },
        fingerprint,
        protocol: None,
        exactly_once: false,
    };
    Ok(Asked { input, previous: previous.map(str::to_owned), form, usage: true })
}

/// `previous_response_id`: the run behind it.
fn previous<'v>(
    body: &Field<'_, 'v>,
    limits: &Limits,
    echo: &mut Map<String, Value>,
) -> Result<Option<&'v str>, Error> {
    let Some(field) = body.optional("previous_response_id") else { return Ok(None) };
    let id = field.name(limits.id)?;
    let run = super::run_of(id).ok_or_else(|| field.must("be the id of a response"))?;
    kept(echo, "previous_response_id", Some(id));
    Ok(Some(run))
}

/// `conversation`: its id names the thread.
fn conversation<'v>(
    body: &Field<'_, 'v>,
    limits: &Limits,
    echo: &mut Map<String, Value>,
) -> Result<Option<&'v str>, Error> {
    let Some(field) = body.optional("conversation") else { return Ok(None) };
    if body.optional("previous_response_id").is_some() {
        return Err(field.must("be left out where previous_response_id is given"));
    }
    let id = match field.value() {
        Value::Object(_) => field.required("id")?.name(limits.id)?,
        Value::String(_) => field.name(limits.id)?,
        _ => return Err(field.must("be a string, or an object with an id")),
    };
    kept(echo, "conversation", Some(json!({ "id": id })));
    Ok(Some(id))
}

/// What a client would miss.
fn refuse(body: &Field<'_, '_>) -> Result<(), Error> {
    let left_out = |field: Field<'_, '_>, why: &str| Err(field.must(format_args!("be left out: {why}")));
    if let Some(prompt) = body.optional("prompt") {
        return left_out(prompt, "no prompts are stored here");
    }
    if let Some(management) = body.optional("context_management") {
        return left_out(management, "use /v1/responses/compact");
    }
    if let Some(logprobs) = body.optional("top_logprobs").filter(|field| field.value().as_u64() != Some(0)) {
        return left_out(logprobs, "log probabilities are not available");
    }
    let Some(include) = body.optional("include") else { return Ok(()) };
    for item in include.items(INCLUDED.len() + 1)? {
        if !INCLUDED.contains(&item.string()?) {
            return Err(item.must(format_args!("be one of {}", INCLUDED.join(", "))));
        }
    }
    Ok(())
}

/// What `include` may name: parts of what is there if there is any, and of items that there are none of.
const INCLUDED: [&str; 7] = [
    "reasoning.encrypted_content",
    "message.input_image.image_url",
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
];

/// How the answer is to come, and what of the rest a Response repeats without it changing anything.
fn form(body: &Field<'_, '_>, echo: &mut Map<String, Value>) -> Result<Form, Error> {
    let stream = flag(body, "stream")?.unwrap_or(false);
    let background = flag(body, "background")?;
    let store = flag(body, "store")?;
    if let (Some(true), Some(false), Some(field)) = (background, store, body.optional("background")) {
        return Err(field.must("be false where store is false"));
    }
    kept(echo, "background", background);
    kept(echo, "store", store);
    if let Some(metadata) = body.optional("metadata") {
        kept(echo, "metadata", Some(Value::Object(metadata.object()?.clone())));
    }
    for key in ["user", "safety_identifier", "prompt_cache_key"] {
        kept(echo, key, string(body, key)?);
    }
    kept(echo, "max_tool_calls", whole(body, "max_tool_calls")?);
    body.strings(&["service_tier"])?;
    // What does not fit fails with the provider's word, whichever of the two is asked for.
    if let Some(truncation) = body.optional("truncation")
        && !matches!(truncation.string()?, "auto" | "disabled")
    {
        return Err(truncation.must("be auto or disabled"));
    }
    if let Some(options) = body.optional("stream_options") {
        options.object()?;
        flag(&options, "include_obfuscation")?;
    }
    Ok(match (stream, background) {
        (true, _) => Form::Stream,
        (false, Some(true)) => Form::Now,
        (false, _) => Form::Whole,
    })
}

fn settings(body: &Field<'_, '_>, echo: &mut Map<String, Value>) -> Result<Settings, Error> {
    let mut settings = Settings {
        temperature: body.number("temperature")?,
        top_p: body.number("top_p")?,
        presence_penalty: body.number("presence_penalty")?,
        frequency_penalty: body.number("frequency_penalty")?,
        max_output: whole(body, "max_output_tokens")?,
        parallel_calls: flag(body, "parallel_tool_calls")?,
        ..Settings::default()
    };
    kept(echo, "temperature", settings.temperature.clone());
    kept(echo, "top_p", settings.top_p.clone());
    kept(echo, "presence_penalty", settings.presence_penalty.clone());
    kept(echo, "frequency_penalty", settings.frequency_penalty.clone());
    kept(echo, "max_output_tokens", settings.max_output);
    kept(echo, "parallel_tool_calls", settings.parallel_calls);
    if let Some(text) = body.optional("text") {
        text.object()?;
        let format = text.optional("format");
        settings.form = format.as_ref().map_or(Ok(None), text_form)?;
        let mut told = Map::new();
        let plain = || json!({ "type": "text" });
        kept(&mut told, "format", Some(format.map_or_else(plain, |format| format.value().clone())));
        kept(&mut told, "verbosity", string(&text, "verbosity")?);
        kept(echo, "text", Some(Value::Object(told)));
    }
    if let Some(reasoning) = body.optional("reasoning") {
        reasoning.object()?;
        let effort = string(&reasoning, "effort")?;
        settings.effort = effort.map(str::to_owned);
        let summary = string(&reasoning, "summary")?;
        reasoning.strings(&["generate_summary"])?;
        kept(echo, "reasoning", Some(json!({ "effort": effort, "summary": summary })));
    }
    Ok(settings)
}

/// `text.format`.
fn text_form(format: &Field<'_, '_>) -> Result<Option<TextForm>, Error> {
    format.object()?;
    let kind = format.required("type")?;
    Ok(match kind.string()? {
        "text" => None,
        "json_object" => Some(TextForm::Json),
        "json_schema" => {
            let schema = format.required("schema")?;
            schema.object()?;
            format.strings(&["description"])?;
            Some(TextForm::Schema {
                name: format.text("name")?,
                schema: schema.value().clone(),
                strict: flag(format, "strict")?,
            })
        }
        _ => return Err(kind.must("be one of text, json_object, json_schema")),
    })
}
