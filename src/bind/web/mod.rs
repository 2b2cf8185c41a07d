//! What the bindings for JavaScript hosts share: the loop on promises, streamed bodies, and the front that answers
//! requests. Where values are kept, and how a thread is reached, each binding says itself.

pub mod begin;
pub mod chat;
pub mod driver;
pub mod envelope;
pub mod fresh;
pub mod front;
pub mod given;
pub mod history;
pub mod home;
pub mod host;
mod inbox;
pub mod list;
mod look;
pub mod model;
pub mod own;
pub mod platform;
pub mod reader;
mod redaction;
mod setup;
pub mod source;
#[cfg(feature = "js")]
pub mod space;
#[cfg(feature = "js")]
pub mod store;
pub mod thread;
pub mod threads;
mod tools;
mod waiters;
mod watch;
mod whole;
