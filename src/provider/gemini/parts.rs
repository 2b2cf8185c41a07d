//! The parts of a response: what each says, and the calls that come in pieces.

use super::arguments::Arguments;
use super::fields::{self, Object};
use super::kept::Kept;
use crate::json::{self, read::mended};
use crate::signal::{Fault, Signal, Stop};
use serde_json::Value;

/// The most calls of one response.
const MAX_CALLS: u32 = 128;

/// The most bytes of a call's id, and of its name.
const MAX_NAME: usize = 1 << 10;

/// The parts of a response so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// How many calls have begun.
    calls: u32,
    open: Option<Open>,
    kept: Kept,
}

/// A call that goes on.
#[derive(Debug)]
struct Open {
    index: u32,
    id: String,
    /// Which of the kept parts it is.
    part: usize,
    arguments: Arguments,
}

impl Parts {
    /// Takes a part.
    ///
    /// # Errors
    /// [`Fault::Malformed`] for a call without a name, for arguments that belong nowhere, and past a bound.
    pub(super) fn read(&mut self, part: &Object, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let signature = part.get("thoughtSignature").filter(|signature| signature.is_string());
        if let Some(call) = fields::object(part, "functionCall") {
            return self.call(call, signature, out);
        }
        if let Some(tool) = tool(part)? {
            out.push(Signal::ProviderTool { name: tool });
            self.kept.other(part);
        } else if part.contains_key("codeExecutionResult") || part.contains_key("toolResponse") {
            self.kept.other(part);
        } else if part.contains_key("inlineData") || part.contains_key("fileData") {
            signature.into_iter().for_each(|_| self.kept.other(part));
        } else {
            let text = fields::text(part, "text").unwrap_or_default();
            let is_thought = fields::flag(part, "thought");
            if !text.is_empty() {
                let text = text.to_owned();
                out.push(if is_thought { Signal::Reasoning(text) } else { Signal::Text(text) });
            }
            self.kept.text(text, is_thought, signature);
        }
        Ok(())
    }

    /// A call, whole or in pieces: a piece has no name, and the last of them does not say that more will come.
    fn call(&mut self, call: &Object, signature: Option<&Value>, out: &mut Vec<Signal>) -> Result<(), Fault> {
        let name = fields::text(call, "name").unwrap_or_default();
        let id = fields::text(call, "id").unwrap_or_default();
        let goes_on = |open: &Open| name.is_empty() || (!id.is_empty() && id == open.id);
        if !self.open.as_ref().is_some_and(goes_on) {
            self.close(out);
            if name.is_empty() && !call.contains_key("args") && !call.contains_key("partialArgs") {
                // The mark behind a call that was whole already.
                return Ok(());
            }
            self.begin(name, id, signature, out)?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        if let Some(signature) = signature {
            self.kept.sign(open.part, signature);
        }
        fields::object(call, "args").into_iter().for_each(|arguments| open.arguments.add(arguments));
        for piece in fields::objects(call, "partialArgs") {
            open.arguments.piece(piece)?;
        }
        if !fields::flag(call, "willContinue") {
            self.close(out);
        }
        Ok(())
    }

    fn begin(&mut self, name: &str, id: &str, sign: Option<&Value>, out: &mut Vec<Signal>) -> Result<(), Fault> {
        if name.is_empty() || self.calls == MAX_CALLS || name.len() > MAX_NAME || id.len() > MAX_NAME {
            return Err(Fault::Malformed);
        }
        let index = self.calls;
        self.calls += 1;
        out.push(Signal::CallStart { index, id: id.to_owned(), name: name.to_owned() });
        let part = self.kept.call(name, id, sign);
        self.open = Some(Open { index, id: id.to_owned(), part, arguments: Arguments::default() });
        Ok(())
    }

    /// The call that goes on is whole.
    fn close(&mut self, out: &mut Vec<Signal>) {
        let Some(Open { index, part, arguments, .. }) = self.open.take() else { return };
        let arguments = mended(arguments.whole());
        let delta = json::text(&arguments);
        self.kept.call_ended(part, arguments, delta.len());
        out.push(Signal::CallArgs { index, delta });
        out.push(Signal::CallEnd { index });
    }

    /// The response is over. Of a call that a limit has cut nobody learns the arguments, since they are not whole.
    pub(super) fn end(&mut self, stop: Stop, out: &mut Vec<Signal>) {
        match self.open.take_if(|_| stop == Stop::Length) {
            Some(Open { index, .. }) => out.push(Signal::CallEnd { index }),
            None => self.close(out),
        }
        let kept = std::mem::take(&mut self.kept);
        if let Some(parts) = kept.whole().filter(|_| self.calls > 0) {
            out.push(Signal::Kept(Value::Object([("gemini".to_owned(), parts)].into_iter().collect())));
        }
    }
}

/// The name of the tool that the provider runs, where the part is its call.
fn tool(part: &Object) -> Result<Option<String>, Fault> {
    if part.contains_key("executableCode") {
        return Ok(Some("code_execution".to_owned()));
    }
    let Some(call) = fields::object(part, "toolCall") else { return Ok(None) };
    let name = fields::text(call, "toolType").unwrap_or_default().to_ascii_lowercase();
    if name.len() > MAX_NAME { Err(Fault::Malformed) } else { Ok(Some(name)) }
}
