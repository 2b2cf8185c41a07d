//! Every fault at every moment: each answer that a store can give to each operation of a run, of a join and of
//! a resume, and a host that is lost, readers that go and a cancel at every border, alone and in pairs. One
//! checker holds every promise that a machine could break.
//!
//! These are 7,343 cases. `LASTWORD_FAULTS=all` plays 63,441: every scenario over every store, whoever comes after,
//! and the pairs of all of them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod borders;
mod check;
mod fault;
mod host;
mod lost;
mod plain;
mod play;
mod scenario;
mod store;
