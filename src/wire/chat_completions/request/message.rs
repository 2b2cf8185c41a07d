//! The messages of a request, of all six roles.

use super::content;
use crate::Error;
use crate::input::{Call, Message};
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::approval;
use crate::wire::field::Field;
use serde_json::Value;

/// What a message is.
pub(super) enum Read {
    /// A part of the conversation.
    Said(Message),
    /// The assistant asking for approvals, and nothing besides.
    Asked,
    /// A person's answer to an approval: the interrupt, and what they said.
    Answered(String, Value),
}

/// Reads messages one after the other. The old form of calls has no ids, so they are given some, and a result is
/// that of the last call.
pub(super) struct Reader<'l> {
    limits: &'l Limits,
    /// How many calls of the old form there were.
    old: usize,
    /// The calls by which approvals were asked for.
    asked: Positions,
}

impl<'l> Reader<'l> {
    pub(super) fn new(limits: &'l Limits) -> Self {
        Reader { limits, old: 0, asked: Positions::default() }
    }

    pub(super) fn message(&mut self, field: &Field<'_, '_>) -> Result<Read, Error> {
        field.object()?;
        let role = field.required("role")?;
        Ok(Read::Said(match role.string()? {
            "system" | "developer" => Message::System(content::text(&field.required("content")?, self.limits)?),
            "user" => Message::User(content::parts(&field.required("content")?, self.limits)?),
            "assistant" => return self.assistant(field),
            "tool" => return self.tool(field),
            "function" => self.function(field)?,
            _ => return Err(role.must("be one of system, developer, user, assistant, tool, function")),
        }))
    }

    fn assistant(&mut self, field: &Field<'_, '_>) -> Result<Read, Error> {
        if let Some(audio) = field.optional("audio") {
            return Err(audio.must("be left out: sound is not supported"));
        }
        let mut text = match field.optional("content") {
            Some(content) => content::said(&content, self.limits)?,
            None => String::new(),
        };
        if let Some(refusal) = field.optional("refusal").filter(|_| text.is_empty()) {
            text = refusal.string()?.to_owned();
        }
        let mut calls = Vec::new();
        let mut asks = false;
        if let Some(list) = field.optional("tool_calls") {
            for item in list.items(self.limits.parts)? {
                let call = call(&item, self.limits)?;
                match call.name == approval::TOOL && approval::interrupt(&call.id).is_some() {
                    true => {
                        asks = true;
                        self.asked.insert(&call.id, 0);
                    }
                    false => calls.push(call),
                }
            }
        }
        if let Some(function) = field.optional("function_call") {
            self.old += 1;
            calls.push(called(&function, self.old_id(), self.limits)?);
        }
        match asks && calls.is_empty() && text.is_empty() {
            true => Ok(Read::Asked),
            false => Ok(Read::Said(Message::Assistant { text, calls, kept: None })),
        }
    }

    fn tool(&self, field: &Field<'_, '_>) -> Result<Read, Error> {
        let call = field.required("tool_call_id")?.id(self.limits.id)?;
        let said = field.required("content")?;
        if let Some(interrupt) = approval::interrupt(call).filter(|_| self.asked.contains(call)) {
            let text = content::text(&said, self.limits)?;
            let payload = serde_json::from_str(&text).map_err(|_| said.must("be JSON: it answers an approval"))?;
            return Ok(Read::Answered(interrupt.to_owned(), payload));
        }
        let content = content::parts(&said, self.limits)?;
        Ok(Read::Said(Message::Tool { call: call.to_owned(), content }))
    }

    fn function(&self, field: &Field<'_, '_>) -> Result<Message, Error> {
        field.required("name")?.name(self.limits.id)?;
        let content = match field.optional("content") {
            Some(content) => content::parts(&content, self.limits)?,
            None => Vec::new(),
        };
        Ok(Message::Tool { call: self.old_id(), content })
    }

    fn old_id(&self) -> String {
        format!("function_{}", self.old)
    }
}

fn call(field: &Field<'_, '_>, limits: &Limits) -> Result<Call, Error> {
    field.object()?;
    let id = field.required("id")?.name(limits.id)?.to_owned();
    if let Some(kind) = field.optional("type")
        && kind.string()? != "function"
    {
        return Err(kind.must("be function"));
    }
    called(&field.required("function")?, id, limits)
}

fn called(field: &Field<'_, '_>, id: String, limits: &Limits) -> Result<Call, Error> {
    field.object()?;
    let name = field.required("name")?.name(limits.id)?.to_owned();
    Ok(Call { id, name, arguments: field.text("arguments")? })
}
