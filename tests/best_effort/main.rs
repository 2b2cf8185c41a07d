//! Runs on a store that many instances share: one that compares and swaps, and one that is as weak as
//! Workers KV may be, with reads that are up to a minute old and in no order, one write a second to a key,
//! and answers that get lost.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
mod crowd;
mod deletion;
mod faults;
mod kv;
mod races;
mod reading;
mod rules;
mod world;
