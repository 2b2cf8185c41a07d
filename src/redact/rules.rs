//! The built-in rules, as `build.rs` has made them from `rules.txt`.

use super::check::Check;
use super::pattern::{ByteSet, Dfa};
use super::table;

/// A built-in rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name, as in `[REDACTED:name]`.
    pub name: &'static str,
    /// The groups by which it can be named too, besides `all`.
    pub groups: &'static [&'static str],
    /// It is on if nothing says otherwise.
    pub on: bool,
    /// What must hold of a match besides.
    pub(crate) check: Option<Check>,
    /// The index of the automaton that finds it, in [`machines`].
    pub(crate) machine: u8,
    /// What stands before what its automaton finds.
    pub(crate) lookback: Option<Lookback>,
    /// The most bytes of a match; none if there is no bound.
    pub longest: Option<u16>,
    /// The most bytes that it holds back until it has decided; none if there is no bound.
    pub gap: Option<u16>,
    /// How many bytes it may hold back, if it differs from what is so for all.
    pub max_hold: Option<u16>,
}

/// What a match begins with: from one to `most` bytes of a class. The automaton starts behind them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookback {
    /// The bytes.
    pub(crate) class: ByteSet,
    /// The most of them.
    pub(crate) most: u16,
    /// No match starts behind a byte of these.
    pub(crate) not_after: ByteSet,
}

include!(concat!(env!("OUT_DIR"), "/rules_generated.rs"));

/// The built-in rules. Their order is their rank, the index is the number of the rule.
pub fn rules() -> &'static [Rule] {
    RULES
}

/// The automata of the built-in rules: the first finds all that are bounded, each other is of one rule.
pub(crate) fn machines() -> Vec<Dfa> {
    // They were unpacked once by the build already, so none is left out.
    MACHINES.iter().map(|packed| table::unpack(packed).unwrap_or_default()).collect()
}
