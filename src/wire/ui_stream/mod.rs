//! The AI SDK's UI message stream.

use super::{Asked, Context, Names, Serializer};
use crate::event::Event;
use crate::sse::Frame;
use crate::wire::agui::Limits;
use crate::{Error, ErrorKind, Millis};

/// The stream's fold.
#[derive(Debug, Default)]
pub struct Stream {}

impl Serializer for Stream {
    fn frames(&mut self, _: &Context<'_>, _: Millis, _: &Event) -> Result<Vec<Frame>, Error> {
        Err(ErrorKind::Internal.into())
    }
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

/// Waiting.
pub struct Waiting<'a> {
    /// Run.
    pub run: &'a str,
    /// Asked.
    pub interrupts: &'a [crate::event::Interrupt],
}

/// Messages.
pub fn messages(_history: &[serde_json::Value], _waiting: Option<Waiting<'_>>) -> String {
    String::new()
}
