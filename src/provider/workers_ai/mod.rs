//! Workers AI.

use crate::signal::{Fault, Signal};

/// Decodes one response.
#[derive(Debug, Default)]
pub struct Decoder {}

impl Decoder {
    /// A decoder for a response of which nothing has come yet.
    pub fn new() -> Self {
        Decoder {}
    }
}

impl super::Decoder for Decoder {
    fn feed(&mut self, _: &[u8], _: &mut Vec<Signal>) {}

    fn finish(&mut self, out: &mut Vec<Signal>) {
        out.push(Signal::Error(Fault::Malformed));
    }
}

/// The body of a model call.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] if the format can't carry a part of the input.
pub fn request(ask: &super::Ask<'_>) -> Result<String, crate::Error> {
    super::chat_completions::request_after(ask.model, ask.input, ask.sent, ask.transcript, &ask.input.tools)
}
