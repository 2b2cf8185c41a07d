//! What earlier versions have stored, read by today's code: the folders here hold all values of a few threads, each as
//! the code of its time wrote them, and the frames that this code read from them.
//!
//! `v1-early`: before there were ordinals, interrupts and states. `v1`: the last head of version 1. `v2`: before
//! there were wires with memory. `v2-wires`: of today, written by `write` where it is not there yet.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod fixtures;
mod newer;
mod read;
mod write;
