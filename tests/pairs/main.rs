//! Every provider format's recordings × every wire: the recording's bytes go through a real run into the store, and each
//! wire is read from there by a small client of its own, which knows nothing but its format. What was published, what
//! was called and how it failed must be the same on all of them.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod clients;
mod compare;
mod frames;
mod matrix;
mod play;
mod recordings;
mod told;
