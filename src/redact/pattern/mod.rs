//! Patterns: from their text to one deterministic automaton over bytes.
//!
//! Used twice: `build.rs` compiles `rules.txt` with it, and a user's own patterns are compiled at run
//! time. So nothing in here may use the rest of the crate.

mod dfa;

pub(crate) use dfa::Dfa;
