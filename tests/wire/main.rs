//! The wires through the public API: what each event becomes, what a client makes of it, and what a
//! reader that joins is sent.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod chat;
mod client;
mod join;
mod messages;
mod model;
mod order;
mod properties;
mod responses;
mod runs;
mod samples;
mod schema;
mod snapshots;
mod strategies;
mod ui_check;
mod ui_stream;
