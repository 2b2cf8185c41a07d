//! Drivers: dumb loops that perform the machines' actions and feed back what came of them.
//!
//! This room may know time and block; no rule of the product lives here. The loop on promises is
//! the Worker's, in the binding.

mod blocking;
mod simulated;
mod tools;

pub use blocking::{Blocking, Chunk, Host};
pub use simulated::{Simulated, collect, pull};
pub use tools::{no_such_tool, recorded};
