//! A stream whose format the first bytes tell.

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
