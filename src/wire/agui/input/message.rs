//! The messages of a request, of all seven roles.

use super::content::content;
use super::limits::Limits;
use crate::Error;
use crate::input::{Call, Message, Part};
use crate::wire::field::Field;
use serde_json::Value;

/// One message. None for reasoning and activity, which a model is not sent.
pub(super) fn message(field: &Field<'_, '_>, limits: &Limits) -> Result<Option<Message>, Error> {
    field.object()?;
    field.required("id")?.id(limits.id)?;
    field.strings(&["name", "encryptedValue", "subagentRunId"])?;
    field.metadata()?;
    let role = field.required("role")?;
    let message = match role.string()? {
        "developer" | "system" => Message::System(field.text("content")?),
        "user" => Message::User(content(&field.required("content")?, limits)?),
        "assistant" => assistant(field, limits)?,
        "tool" => tool(field, limits)?,
        "reasoning" => {
            field.required("content")?.string()?;
            return Ok(None);
        }
        "activity" => {
            field.required("activityType")?.string()?;
            field.required("content")?.object()?;
            return Ok(None);
        }
        _ => {
            return Err(role.must("be one of developer, system, assistant, user, tool, activity, reasoning"));
        }
    };
    Ok(Some(message))
}

fn assistant(field: &Field<'_, '_>, limits: &Limits) -> Result<Message, Error> {
    let text = match field.optional("content") {
        Some(content) => content.string()?.to_owned(),
        None => String::new(),
    };
    let calls = match field.optional("toolCalls") {
        Some(calls) => calls.list(limits.parts, |item| call(item, limits))?,
        None => Vec::new(),
    };
    Ok(Message::Assistant { text, calls, kept: None })
}

fn call(field: &Field<'_, '_>, limits: &Limits) -> Result<Call, Error> {
    field.object()?;
    let id = field.required("id")?.id(limits.id)?.to_owned();
    field.strings(&["encryptedValue"])?;
    field.metadata()?;
    let kind = field.required("type")?;
    if kind.string()? != "function" {
        return Err(kind.must("be function"));
    }
    let function = field.required("function")?;
    function.object()?;
    let name = function.required("name")?.name(limits.id)?.to_owned();
    let arguments = function.text("arguments")?;
    Ok(Call { id, name, arguments })
}

/// A tool's error is read by the model after what the tool gave back.
fn tool(field: &Field<'_, '_>, limits: &Limits) -> Result<Message, Error> {
    let call = field.required("toolCallId")?.id(limits.id)?.to_owned();
    let mut content = content(&field.required("content")?, limits)?;
    if let Some(error) = field.optional("error") {
        let error = Part::Text(error.string()?.to_owned());
        if error != Part::Text(String::new()) && !content.contains(&error) {
            content.push(error);
        }
    }
    Ok(Message::Tool { call, content })
}

/// Takes the nulls out of a message's optional fields, so that it can be sent back: the client takes a
/// null there for a fault. Metadata and an activity's content are data and stay as they came.
pub(super) fn without_nulls(message: &mut Value) {
    drop_nulls(message);
    for part in array(message, "content") {
        drop_nulls(part);
        part.get_mut("source").into_iter().for_each(drop_nulls);
    }
    for call in array(message, "toolCalls") {
        drop_nulls(call);
        call.get_mut("function").into_iter().for_each(drop_nulls);
    }
}

fn drop_nulls(value: &mut Value) {
    if let Some(map) = value.as_object_mut() {
        for (key, member) in std::mem::take(map) {
            if !member.is_null() {
                map.insert(key, member);
            }
        }
    }
}

fn array<'a>(message: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    message.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}
