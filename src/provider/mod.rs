//! Providers: one decoder a provider format, and the request that each is sent.

use crate::signal::Signal;

pub mod chat_completions;
pub mod replay;

/// Turns a provider's bytes into signals. The same bytes give the same signals however they are cut.
pub trait Decoder {
    /// Takes a chunk; pushes what it says.
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Signal>);

    /// The stream is over. Pushes what is still due: the end, or [`crate::signal::Fault::Cut`].
    fn finish(&mut self, out: &mut Vec<Signal>);
}
