//! OpenAI Chat Completions.

use super::{Asked, Context, Document, Names, Output, Serializer};
use crate::event::Event;
use crate::sse::Frame;
use crate::wire::agui::Limits;
use crate::{Error, ErrorKind, Millis};

/// The stream's fold.
#[derive(Debug, Default)]
pub struct Stream {}

impl Stream {
    /// With or without the client having asked for usage.
    pub fn new(_usage: bool) -> Self {
        Stream {}
    }
}

impl Serializer for Stream {
    fn frames(&mut self, _: &Context<'_>, _: Millis, _: &Event) -> Result<Vec<Frame>, Error> {
        Err(ErrorKind::Internal.into())
    }
}

/// The whole answer.
pub fn document(_cx: &Context<'_>, _output: &Output, _at: Millis) -> Document {
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
