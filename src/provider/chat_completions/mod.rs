//! OpenAI Chat Completions, as OpenAI and the many services that call themselves compatible speak it.

mod calls;
pub mod decode;
mod fields;
pub(in crate::provider) mod parts;
pub(in crate::provider) mod request;
mod response;
mod settings;
#[cfg(all(test, not(target_arch = "wasm32")))]
pub(crate) mod tests;

pub use decode::{Decoder, MAX_BODY, MAX_EVENT};
pub(in crate::provider) use request::messages;
pub use request::{request, request_after};
pub use response::Response;
