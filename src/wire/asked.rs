//! What a POST asks for, besides its run.

use super::agui::{Limits, heard};
use crate::Error;
use crate::input::RunInput;
use crate::json;
use serde_json::Value;

/// A request that begins a run, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The run's input.
    pub input: RunInput,
    /// The run whose conversation comes before the input's messages, where the request names one.
    pub previous: Option<String>,
    /// How the client wants its answer.
    pub form: Form,
    /// It asks for usage in the stream, where the wire leaves that to it.
    pub usage: bool,
}

/// How a client wants a run's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As a stream of events.
    #[default]
    Stream,
    /// As one document, once the run has ended.
    Whole,
    /// As one document, at once, however the run stands.
    Now,
}

crate::stored::stored_names!(Form { Stream = "stream", Whole = "whole", Now = "now" });

/// Names for what a request on a wire without them begins.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The run's id.
    pub run: &'a str,
    /// The thread's id, where something beside the body names one. A request that names none of its own is in a thread
    /// that is named as its run.
    pub thread: Option<&'a str>,
}

impl Asked {
    /// A run that is answered as a stream.
    pub fn streamed(input: RunInput) -> Self {
        Asked { input, previous: None, form: Form::Stream, usage: false }
    }

    /// True if it goes on with its thread's newest run: it names a conversation.
    pub fn goes_on(&self) -> bool {
        let conversation = self.input.echo.request.as_ref().and_then(|request| request.get("conversation"));
        conversation.is_some_and(|conversation| !conversation.is_null())
    }

    /// The same behind a conversation: its messages, as they were echoed, come first, but for the request's own
    /// instructions, which stand in front of all.
    ///
    /// # Errors
    /// As of [`super::agui::parse`], for a conversation that has grown past the limits.
    pub fn behind(mut self, history: Vec<Value>, limits: &Limits) -> Result<Self, Error> {
        let size: usize = history.iter().map(|message| json::text(message).len()).sum();
        limits.check_size(size)?;
        let request = self.input.echo.request.as_ref();
        let instructed = request.is_some_and(|request| request.get("instructions").is_some());
        let mut said = self.input.messages.split_off(usize::from(instructed).min(self.input.messages.len()));
        let mut messages = std::mem::take(&mut self.input.messages);
        messages.extend(heard(&history, limits)?);
        messages.append(&mut said);
        let mut echo = history;
        echo.append(&mut self.input.echo.messages);
        self.input.messages = messages;
        self.input.echo.messages = echo;
        Ok(self)
    }
}

/// The run's id that a body names, on wires without one: `metadata.idempotency_key`.
pub fn idempotency_key(body: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"\"idempotency_key\"";
    body.windows(NAME.len()).any(|window| window == NAME).then_some(())?;
    let body = json::read::read(body).ok()?;
    body.get("metadata")?.get("idempotency_key")?.as_str().map(str::to_owned)
}
