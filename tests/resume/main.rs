//! Interrupts, the runs that go on from them, and input that is sent again, over the blocking driver.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod approvals;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod once;
mod races;
mod resent;
mod support;
