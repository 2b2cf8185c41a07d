//! OpenAI Responses.

use super::{Asked, Context, Document, Names, Output, Serializer};
use crate::event::Event;
use crate::sse::Frame;
use crate::wire::agui::Limits;
use crate::{Error, ErrorKind, Millis};
use serde_json::Value;

/// The stream's fold.
#[derive(Debug, Default)]
pub struct Stream {}

impl Stream {
    /// Sends back what the request said.
    pub fn new(_request: Option<&Value>) -> Self {
        Stream {}
    }
}

impl Serializer for Stream {
    fn frames(&mut self, _: &Context<'_>, _: Millis, _: &Event) -> Result<Vec<Frame>, Error> {
        Err(ErrorKind::Internal.into())
    }
}

/// The whole answer.
pub fn document(_cx: &Context<'_>, _request: Option<&Value>, _output: &Output, _at: Millis) -> Document {
    Document { status: 500, body: String::new() }
}

/// The reader's own failure.
pub fn failure(error: &Error) -> Frame {
    Frame::new(error.message())
}

/// Understands a request's body.
///
/// # Errors
/// As of [`crate::wire::agui::parse`].
pub fn parse(_: &[u8], _: &Names<'_>, _: &Limits) -> Result<Asked, Error> {
    Err(ErrorKind::Internal.into())
}

/// The run that a response's id names.
pub fn run_of(id: &str) -> Option<&str> {
    id.strip_prefix("resp_").filter(|run| !run.is_empty())
}

/// Deleted.
pub fn deleted(_id: &str) -> String {
    String::new()
}

/// Items.
pub fn input_items(_run: &str, _messages: &[Value], _ascending: bool, _after: Option<&str>, _limit: usize) -> String {
    String::new()
}

/// References.
pub fn references(_body: &[u8]) -> Vec<String> {
    Vec::new()
}

/// Resolved.
pub fn resolved(body: &[u8], _documents: &[String]) -> Vec<u8> {
    body.to_vec()
}

/// Compact.
pub mod compact {
    pub use super::parse;
}

/// Goes on.
pub fn goes_on(_input: &crate::input::RunInput) -> bool {
    false
}
