//! OpenAI Responses, as OpenAI and the services that call themselves compatible speak it.

pub mod decode;
mod fields;
mod item;
mod items;
mod kept;
mod parts;
mod request;
mod response;
mod telling;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use decode::Decoder;
pub use request::request;
