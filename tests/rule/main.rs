//! The publishing rule from the provider's bytes to both views: every row on its recording, and random
//! interleavings of signals against a model of the rule.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod chunking;
#[path = "../wire/client.rs"]
mod client;
#[path = "../common/mod.rs"]
mod common;
mod host;
mod joins;
mod model;
mod properties;
mod rows;
#[path = "../wire/schema.rs"]
mod schema;
mod script;
