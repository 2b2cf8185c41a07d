//! `input`: a string, or a list of items.
//!
//! What the model said and called are items of their own; here they are one message, as providers want them.

use super::content;
use crate::Error;
use crate::input::{Answer, Call, Message, Part, Word};
use crate::json;
use crate::wire::agui::Limits;
use crate::wire::approval;
use crate::wire::field::Field;
use crate::wire::responses::summary;

/// What the items say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Read {
    pub(super) messages: Vec<Message>,
    /// Answers to approvals, where they are what came last: older ones were answered in their own turn.
    pub(super) answers: Vec<Answer>,
}

pub(super) fn read(field: &Field<'_, '_>, limits: &Limits) -> Result<Read, Error> {
    let mut read = Read::default();
    if let Some(text) = field.value().as_str() {
        read.messages.push(Message::User(vec![Part::Text(text.to_owned())]));
        return Ok(read);
    }
    if !field.value().is_array() {
        return Err(field.must("be a string or an array of items"));
    }
    for item in field.items(limits.messages)? {
        read.item(&item, limits)?;
    }
    Ok(read)
}

/// The types of items that a request may hold.
const TYPES: &str = "message, function_call, function_call_output, reasoning, compaction, item_reference";

impl Read {
    fn item(&mut self, field: &Field<'_, '_>, limits: &Limits) -> Result<(), Error> {
        field.object()?;
        let kind = field.optional("type");
        let named = match &kind {
            Some(kind) => kind.string()?,
            None if field.optional("role").is_some() => "message",
            None if field.optional("id").is_some() => "item_reference",
            None => field.required("type")?.string()?,
        };
        match named {
            "message" => self.message(field, limits),
            "function_call" => self.call(field, limits),
            "function_call_output" => self.result(field, limits),
            "reasoning" => Ok(()),
            "compaction" | "compaction_summary" => {
                let content = field.required("encrypted_content")?;
                let summary = summary::summary(content.string()?)
                    .ok_or_else(|| content.must("be what /v1/responses/compact has given"))?;
                self.says(Message::System(format!("Summary of the conversation so far:\n{summary}")));
                Ok(())
            }
            "item_reference" => {
                let id = field.required("id")?;
                match id.name(limits.id)? {
                    id if id.starts_with("rs_") => Ok(()),
                    _ => Err(id.must("be the id of an item of a stored response")),
                }
            }
            _ => Err(kind.as_ref().unwrap_or(field).must(format_args!("be one of {TYPES}"))),
        }
    }

    fn says(&mut self, message: Message) {
        self.answers.clear();
        self.messages.push(message);
    }

    fn message(&mut self, field: &Field<'_, '_>, limits: &Limits) -> Result<(), Error> {
        field.strings(&["id", "status", "phase"])?;
        let role = field.required("role")?;
        let content = field.required("content")?;
        match role.string()? {
            "user" => {
                let parts = content::parts(&content, limits)?;
                self.says(Message::User(parts));
            }
            "system" | "developer" => {
                let text = content::text(&content, limits)?;
                self.says(Message::System(text));
            }
            "assistant" => {
                let said = content::text(&content, limits)?;
                self.answers.clear();
                // Between calls and their results providers take no message.
                match self.messages.last_mut() {
                    Some(Message::Assistant { text, calls, .. }) if !calls.is_empty() => {
                        if !text.is_empty() && !said.is_empty() {
                            text.push('\n');
                        }
                        text.push_str(&said);
                    }
                    // An answer that was empty, or withdrawn.
                    _ if said.is_empty() => {}
                    _ => self.messages.push(Message::Assistant { text: said, calls: Vec::new(), kept: None }),
                }
            }
            _ => return Err(role.must("be one of user, assistant, system, developer")),
        }
        Ok(())
    }

    fn call(&mut self, field: &Field<'_, '_>, limits: &Limits) -> Result<(), Error> {
        field.strings(&["id", "status"])?;
        let id = field.required("call_id")?.name(limits.id)?;
        let name = field.required("name")?.name(limits.id)?.to_owned();
        let arguments = field.text("arguments")?;
        if approval::interrupt(id).is_some() {
            return Ok(());
        }
        self.answers.clear();
        let call = Call { id: id.to_owned(), name, arguments };
        match self.messages.last_mut() {
            Some(Message::Assistant { calls, .. }) => calls.push(call),
            _ => self.messages.push(Message::Assistant { text: String::new(), calls: vec![call], kept: None }),
        }
        Ok(())
    }

    fn result(&mut self, field: &Field<'_, '_>, limits: &Limits) -> Result<(), Error> {
        field.strings(&["id", "status"])?;
        let id = field.required("call_id")?;
        let call = id.name(limits.id)?;
        let output = field.required("output")?;
        let content = content::parts(&output, limits)?;
        let Some(interrupt) = approval::interrupt(call) else {
            self.messages.push(Message::Tool { call: call.to_owned(), content });
            return Ok(());
        };
        if self.answers.iter().any(|answer| answer.interrupt == interrupt) {
            return Err(id.must("not be answered twice"));
        }
        let said = content.iter().map(|part| if let Part::Text(text) = part { text.as_str() } else { "" });
        let said = json::read::read(said.collect::<String>().as_bytes()).ok().filter(|said| said.is_object());
        let said = said.ok_or_else(|| output.must(r#"be a JSON object, as {"approved":true}"#))?;
        self.answers.push(Answer { interrupt: interrupt.to_owned(), word: Word::Resolved(Some(said)) });
        Ok(())
    }
}
