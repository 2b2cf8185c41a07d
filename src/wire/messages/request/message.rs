//! The conversation: `system`, and the messages of all roles.

use super::content;
use crate::Error;
use crate::input::{Answer, Call, Message, Part, Word};
use crate::json;
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::approval;
use crate::wire::field::Field;
use serde_json::Value;

/// The conversation, and the answers to approvals. Of those only what stands behind all that the assistant said answers
/// anything: the others were answered by earlier runs. Neither they nor what asked for them is the model's.
pub(super) fn conversation(body: &Field<'_, '_>, limits: &Limits) -> Result<(Vec<Message>, Vec<Answer>), Error> {
    let mut heard = Heard { limits, messages: Vec::new(), answers: Vec::new(), waits: Positions::default() };
    if let Some(system) = body.optional("system") {
        heard.instructed(content::instructions(&system, limits)?);
    }
    let messages = body.required("messages")?;
    let mut empty = true;
    for message in messages.items(limits.messages)? {
        empty = false;
        heard.message(&message)?;
    }
    if empty { Err(messages.must("not be empty")) } else { Ok((heard.messages, heard.answers)) }
}

struct Heard<'l> {
    limits: &'l Limits,
    messages: Vec<Message>,
    answers: Vec<Answer>,
    /// The calls that asked for an approval, each until it is answered.
    waits: Positions,
}

impl Heard<'_> {
    fn instructed(&mut self, text: String) {
        if !text.is_empty() {
            self.messages.push(Message::System(text));
        }
    }

    fn message(&mut self, field: &Field<'_, '_>) -> Result<(), Error> {
        field.object()?;
        let role = field.required("role")?;
        let said = field.required("content")?;
        match role.string()? {
            "user" => self.user(&said),
            "assistant" => self.assistant(&said),
            "system" => {
                self.instructed(content::instructions(&said, self.limits)?);
                Ok(())
            }
            _ => Err(role.must("be one of user, assistant, system")),
        }
    }

    /// Results of tools are messages of their own, in front of what else is said.
    fn user(&mut self, said: &Field<'_, '_>) -> Result<(), Error> {
        let Some(blocks) = content::blocks(said, self.limits)? else {
            self.messages.push(Message::User(content::said(said.string()?)));
            return Ok(());
        };
        let (mut parts, mut results) = (Vec::new(), false);
        for block in blocks {
            match content::kind(&block)?.string()? {
                "tool_result" => {
                    results = true;
                    self.result(&block)?;
                }
                _ => content::part(&block, self.limits, &mut parts)?,
            }
        }
        if !parts.is_empty() || !results {
            self.messages.push(Message::User(parts));
        }
        Ok(())
    }

    /// The model is told in words of a call that went wrong: no other format has a mark for it.
    fn result(&mut self, block: &Field<'_, '_>) -> Result<(), Error> {
        let call = block.required("tool_use_id")?.name(self.limits.id)?;
        let wrong = block.flag("is_error")?.unwrap_or_default();
        let said = block.optional("content");
        let mut content = said.map_or(Ok(Vec::new()), |said| content::result(&said, self.limits))?;
        if let Some(interrupt) = approval::interrupt(call).filter(|_| self.waits.contains(call)) {
            self.waits.remove(call);
            return self.answer(block, interrupt, wrong, &content);
        }
        if wrong {
            match content.first_mut() {
                Some(Part::Text(text)) => text.insert_str(0, "Error: "),
                _ => content.insert(0, Part::Text("Error.".to_owned())),
            }
        }
        self.messages.push(Message::Tool { call: call.to_owned(), content });
        Ok(())
    }

    /// An answer that went wrong is none, and never will be.
    fn answer(&mut self, block: &Field<'_, '_>, interrupt: &str, wrong: bool, content: &[Part]) -> Result<(), Error> {
        let word = match content {
            _ if wrong => Word::Cancelled,
            [Part::Text(text)] => Word::Resolved(Some(json::read::read(text.as_bytes()).map_err(|_| is_json(block))?)),
            _ => return Err(is_json(block)),
        };
        self.answers.push(Answer { interrupt: interrupt.to_owned(), word });
        Ok(())
    }

    /// What it thought is left out: the marks on it are another service's.
    fn assistant(&mut self, said: &Field<'_, '_>) -> Result<(), Error> {
        self.answers.clear();
        let (mut text, mut calls, mut asked) = (String::new(), Vec::new(), false);
        match content::blocks(said, self.limits)? {
            None => text.push_str(said.string()?),
            Some(blocks) => {
                for block in blocks {
                    let kind = content::kind(&block)?;
                    match kind.string()? {
                        "text" => text.push_str(&block.text("text")?),
                        "thinking" | "redacted_thinking" => {}
                        "tool_use" => match call(&block, self.limits)? {
                            call if call.name == approval::TOOL && approval::interrupt(&call.id).is_some() => {
                                asked = true;
                                self.waits.insert(&call.id, 0);
                            }
                            call => calls.push(call),
                        },
                        _ => {
                            return Err(kind.must(
                                "be one of text, tool_use, thinking, redacted_thinking: no other is supported here",
                            ));
                        }
                    }
                }
            }
        }
        if !asked || !text.is_empty() || !calls.is_empty() {
            self.messages.push(Message::Assistant { text, calls, kept: None });
        }
        Ok(())
    }
}

fn is_json(block: &Field<'_, '_>) -> Error {
    block.must("have JSON as its content: it answers an approval")
}

/// Arguments that were no JSON came as a text, and go back as that.
fn call(block: &Field<'_, '_>, limits: &Limits) -> Result<Call, Error> {
    let id = block.required("id")?.name(limits.id)?.to_owned();
    let name = block.required("name")?.name(limits.id)?.to_owned();
    let arguments = match block.optional("input").map(|input| input.value()) {
        None => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(input) => json::text(input),
    };
    Ok(Call { id, name, arguments })
}
