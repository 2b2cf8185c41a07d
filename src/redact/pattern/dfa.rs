//! The automaton.

/// A deterministic automaton over bytes, anchored where it starts, which finds the end of every match.
///
/// It says of a match one byte late: with the byte behind it, or with the end of input, which is a class
/// of its own. So a match may depend on what follows it. What stands before its start decides from which
/// state it starts.
///
/// Every state but 0 can still come to a match or says of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dfa {
    /// The class of each byte, 256 of them, below `classes`.
    pub(crate) class: Vec<u8>,
    /// How many classes of bytes there are; the class of the end of input is this number.
    pub(crate) classes: usize,
    /// `next[state * (classes + 1) + class]`; state 0 is dead.
    pub(crate) next: Vec<u16>,
    /// The state to start from, by the class of the byte before; by `classes` where there is none.
    pub(crate) start: Vec<u16>,
    /// By state: which set of rules has matched the bytes before the one that led here; 0 is none.
    pub(crate) matched: Vec<u16>,
    /// Sets of rules, each ascending by number; the first is empty.
    pub(crate) sets: Vec<Vec<u16>>,
}
