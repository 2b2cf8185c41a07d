//! Anthropic Messages.

mod blocks;
pub mod decode;
mod fields;
mod parts;
mod request;
mod response;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use decode::Decoder;
pub use request::{MAX_TOKENS, request};
