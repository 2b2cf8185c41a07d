//! The output filter through its public interface.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cases;
mod clean;
mod corpus;
mod links;
mod oracle;
mod quiet;
mod stages;
