//! `UIMessage`s: a role and parts, or `content` of clients before 5.
//!
//! Left out: reasoning, sources, data, and what a provider calls `custom`, which no model is sent; calls whose arguments
//! were not whole. Any other type of part is refused, so that nothing of the conversation vanishes unsaid.

use super::super::WITHDRAWN;
use super::super::continued::{denied, parts, text};
use super::said::{Made, Said, Source, content};
use crate::Error;
use crate::input::{self, Answer, Call, Media, Message, Part, Word};
use crate::json;
use crate::wire::agui::Limits;
use crate::wire::field::Field;
use serde_json::{Map, Value, json};

/// All messages, and the answers in the last one.
pub(super) fn messages(field: &Field<'_, '_>, limits: &Limits) -> Result<Said, Error> {
    let mut said = Said::default();
    let last = field.value().as_array().map_or(0, Vec::len);
    for (at, item) in field.items(limits.messages)?.enumerate() {
        message(&item, at + 1 == last, limits, &mut said)?;
    }
    Ok(said)
}

fn message(field: &Field<'_, '_>, is_last: bool, limits: &Limits, said: &mut Said) -> Result<(), Error> {
    field.object()?;
    let id = field.required("id")?.name(limits.id)?;
    let metadata = field.value().get("metadata").filter(|metadata| metadata.is_object());
    let mut source = Source { id, metadata, made: 0, silent: false };
    let role = field.required("role")?;
    match role.string()? {
        "system" => {
            let text = system(field, limits)?;
            said.plain(Message::System(text.clone()), text.into(), &mut source);
        }
        "user" => {
            let (parts, value) = user(field, limits)?;
            said.plain(Message::User(parts), value, &mut source);
        }
        "assistant" => assistant(field, is_last, limits, &mut source, said)?,
        _ => return Err(role.must("be one of system, user, assistant")),
    }
    Ok(())
}

/// The texts of a message without parts.
fn bare(field: &Field<'_, '_>) -> Result<Option<String>, Error> {
    match field.optional("parts") {
        Some(_) => Ok(None),
        None => match field.optional("content") {
            Some(content) => content.string().map(|text| Some(text.to_owned())),
            None => field.required("parts").map(|_| None),
        },
    }
}

fn system(field: &Field<'_, '_>, limits: &Limits) -> Result<String, Error> {
    if let Some(text) = bare(field)? {
        return Ok(text);
    }
    let mut texts = Vec::new();
    for part in field.required("parts")?.items(limits.parts)? {
        match part.required("type")?.string()? {
            "text" => texts.push(part.text("text")?),
            kind if is_ignored(kind) => {}
            _ => return Err(part.required("type")?.must("be text")),
        }
    }
    Ok(texts.join("\n\n"))
}

/// What a user says, and the same as AG-UI has it.
fn user(field: &Field<'_, '_>, limits: &Limits) -> Result<(Vec<Part>, Value), Error> {
    if let Some(text) = bare(field)? {
        let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(text)] };
        let value = content(&parts);
        return Ok((parts, value));
    }
    let mut said = Vec::new();
    let mut names = Vec::new();
    for part in field.required("parts")?.items(limits.parts)? {
        let kind = part.required("type")?;
        match kind.string()? {
            "text" => said.push(Part::Text(part.text("text")?)),
            "file" => said.push(file(&part)?),
            kind if is_ignored(kind) => continue,
            _ => return Err(kind.must("be text or file")),
        }
        names.push(part.optional("filename").map(|name| name.string()).transpose()?);
    }
    let mut value = content(&said);
    for (part, name) in value.as_array_mut().into_iter().flatten().zip(names) {
        if let (Some(part), Some(name)) = (part.as_object_mut(), name) {
            part.insert("metadata".into(), json!({ "filename": name }));
        }
    }
    Ok((said, value))
}

/// A file: its bytes in a `data:` address, an address, or a provider's reference.
fn file(field: &Field<'_, '_>) -> Result<Part, Error> {
    let mime = field.text("mediaType")?;
    let kind = match mime.split_once('/') {
        Some(("image", _)) => Media::Image,
        Some(("audio", _)) => Media::Audio,
        Some(("video", _)) => Media::Video,
        _ => Media::Document,
    };
    if let Some(reference) = field.optional("providerReference") {
        let id = reference.object()?.values().next().and_then(Value::as_str);
        let value = id.ok_or_else(|| reference.must("name a file"))?.to_owned();
        return Ok(Part::Media { kind, source: input::Source::File { value } });
    }
    let url = field.required("url")?;
    let address = url.string()?;
    let source = match address.strip_prefix("data:") {
        Some(data) => {
            let (kind, value) = data.split_once(',').ok_or_else(|| url.must("hold data behind a comma"))?;
            if !kind.ends_with(";base64") {
                return Err(url.must("hold its data in base64"));
            }
            input::Source::Data { value: value.to_owned(), mime }
        }
        None if address.starts_with("https://") || address.starts_with("http://") => {
            let known = Some(mime).filter(|mime| !mime.ends_with("/*"));
            input::Source::Url { value: address.to_owned(), mime: known }
        }
        None => return Err(url.must("be a data:, https: or http: address")),
    };
    Ok(Part::Media { kind, source })
}

fn is_ignored(kind: &str) -> bool {
    matches!(kind, "reasoning" | "reasoning-file" | "source-url" | "source-document" | "step-start" | "custom")
        || kind.starts_with("data-")
}

fn assistant(
    field: &Field<'_, '_>,
    is_last: bool,
    limits: &Limits,
    source: &mut Source<'_>,
    said: &mut Said,
) -> Result<(), Error> {
    if let Some(text) = bare(field)? {
        said.text(&text, source);
        said.flush(source);
        return Ok(());
    }
    let list = field.required("parts")?;
    let all = list.value().as_array().map(Vec::as_slice).unwrap_or_default();
    if is_last {
        answers(all, limits, said);
    }
    let asked = if said.answers.is_empty() { all.len() } else { own(all) };
    for (at, part) in list.items(limits.parts)?.enumerate() {
        if at == asked {
            said.flush(source);
            source.silent = true;
        }
        let kind = part.required("type")?;
        match kind.string()? {
            "text" => said.text(&part.text("text")?, source),
            "reasoning" => said.reasoning(&part.text("text")?, source),
            "step-start" => said.flush(source),
            WITHDRAWN => said.withdraw(),
            "dynamic-tool" => {
                let name = part.required("toolName")?.name(limits.id)?;
                made(&part, name, limits)?.into_iter().for_each(|made| said.call(made));
            }
            "steering-message" => {
                said.flush(source);
                let id = part.required("id")?.name(limits.id)?;
                let (parts, value) = user(&part, limits)?;
                said.plain(Message::User(parts), value, &mut Source { id, metadata: None, made: 0, silent: false });
            }
            tool if tool.starts_with("tool-") && tool.len() - 5 <= limits.id && tool.len() > 5 => {
                let name = tool.strip_prefix("tool-").unwrap_or_default();
                made(&part, name, limits)?.into_iter().for_each(|made| said.call(made));
            }
            ignored if is_ignored(ignored) => {}
            "file" => return Err(kind.must("not be file in a message of the assistant")),
            _ => return Err(kind.must("be a type of part that is known")),
        }
    }
    said.flush(source);
    Ok(())
}

/// A call with what came of it. None where its arguments were not whole.
fn made(part: &Field<'_, '_>, name: &str, limits: &Limits) -> Result<Option<Made>, Error> {
    let id = part.required("toolCallId")?.name(limits.id)?;
    let state = part.required("state")?;
    let result = match state.string()? {
        "input-streaming" => return Ok(None),
        "input-available" | "approval-requested" | "approval-responded" => None,
        "output-available" => Some(part.value().get("output").cloned().unwrap_or_default()),
        "output-error" => Some(part.text("errorText")?.into()),
        "output-denied" => Some(denied(part.value()).into()),
        _ => return Err(state.must("be a state of a tool's part that is known")),
    };
    let failed = state.value() == "output-error";
    let input = part.optional("input").or_else(|| part.optional("rawInput"));
    let arguments = match input.map(|input| input.value()) {
        None => "{}".to_owned(),
        // What the model wrote was no JSON.
        Some(Value::String(raw)) if failed => raw.clone(),
        Some(input) => json::text(&input),
    };
    let approval = part.optional("approval").map(|approval| approval.object().map(|_| approval.value().clone()));
    let call = Call { id: id.to_owned(), name: name.to_owned(), arguments };
    Ok(Some(Made { call, result, failed, ours: is_ours(part.value()), approval: approval.transpose()? }))
}

/// True for a call that the client does not run.
fn is_ours(part: &Value) -> bool {
    part.get("providerExecuted").and_then(Value::as_bool) == Some(true)
        || part.get("approval").is_some_and(Value::is_object)
}

fn is_call(part: &Value) -> bool {
    text(part, "type").is_some_and(|kind| kind == "dynamic-tool" || kind.starts_with("tool-"))
}

/// Takes the answers of the last step.
fn answers(all: &[Value], limits: &Limits, said: &mut Said) {
    let begin = all.iter().rposition(|part| text(part, "type") == Some("step-start")).map_or(0, |at| at + 1);
    let answered = |part: &&Value| is_call(part) && text(part, "state") == Some("approval-responded");
    for part in all.iter().skip(begin).filter(answered).take(limits.resume) {
        let approval = part.get("approval").unwrap_or(&Value::Null);
        let (Some(id), Some(approved)) = (text(approval, "id"), approval.get("approved").and_then(Value::as_bool))
        else {
            continue;
        };
        if said.answers.iter().any(|answer| answer.interrupt == id) {
            continue;
        }
        let mut payload = Map::from_iter([("approved".to_owned(), approved.into())]);
        if let Some(reason) = text(approval, "reason") {
            payload.insert("reason".into(), reason.into());
        }
        said.answers.push(Answer { interrupt: id.to_owned(), word: Word::Resolved(Some(Value::Object(payload))) });
    }
}

/// Where the parts begin that the run which asks has made: behind the last text and the last call that the client runs.
fn own(all: &[Value]) -> usize {
    let others = |part: &Value| text(part, "type") == Some("text") || (is_call(part) && !is_ours(part));
    all.iter().rposition(others).map_or(0, |at| at + 1)
}

pub(super) fn is_assistants(message: &Value) -> bool {
    text(message, "role") == Some("assistant")
}

/// What the run's id takes of the messages: all from the last one of the user on, without what only the assistant says.
pub(super) fn tail(all: &[Value]) -> Vec<Value> {
    let begin = all.iter().rposition(|message| text(message, "role") == Some("user")).unwrap_or_default();
    let picked = |message: &Value| match is_assistants(message) {
        false => message.clone(),
        true => {
            json!({ "id": message.get("id"), "calls": parts(message).filter(|part| is_call(part)).map(done).collect::<Vec<_>>() })
        }
    };
    all.iter().skip(begin).map(picked).collect()
}

/// What a call came to.
fn done(part: &Value) -> Value {
    json!([part.get("toolCallId"), part.get("state"), part.get("output"), part.get("errorText"), part.get("approval")])
}
