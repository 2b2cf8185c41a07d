//! Lastword stands between a language model's agent and the person who reads it.
//!
//! A turn of an agent is many messages: narration, apologies for a failed tool, prose reasoning,
//! and at last an answer. Lastword publishes the answer and nothing else, keeps a durable record
//! so that a run happens once and can be read again after any disconnect, and speaks the wires
//! that clients already read.
//!
//! Everything in this crate outside [`driver`] and the bindings is pure: no clock, no randomness,
//! no I/O and no `async`. `ARCHITECTURE.md` is the map.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod bytes;
mod digest;
pub mod driver;
pub mod error;
pub mod event;
pub mod executor;
pub mod http;
pub mod input;
mod json;
mod positions;
pub mod profile;
pub mod provider;
pub mod redact;
pub mod run;
pub mod signal;
pub mod sse;
mod stored;
pub mod turn;
pub mod wire;

mod bind;

pub use error::{Error, ErrorKind};

/// Milliseconds since the Unix epoch, or a span of milliseconds. Always an argument, never read here.
pub type Millis = u64;

/// The version of this package, as `/health` and the record report it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
