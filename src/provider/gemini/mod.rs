//! Gemini `streamGenerateContent`.

mod arguments;
pub mod decode;
mod fields;
mod kept;
mod media;
mod parts;
mod request;
mod response;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use decode::Decoder;
pub use request::request;
