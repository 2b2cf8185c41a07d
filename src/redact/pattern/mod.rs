//! Patterns: from their text to one deterministic automaton over bytes.
//!
//! Used twice: `build.rs` compiles `rules.txt` with it, and a user's own patterns are compiled at run
//! time. So nothing in here may use the rest of the crate.
//!
//! The syntax is a part of JavaScript's:
//!
//! | written | matches |
//! |---|---|
//! | `a`, `é`, `日` | the character itself |
//! | `.` | any character but `\n` |
//! | `[a-z_]`, `[^a-z]` | one character of a class, or one that is not of it |
//! | `\d \w \s`, `\D \W \S` | `[0-9]`, `[A-Za-z0-9_]`, `[\t\n\v\f\r ]`, and what is not of them; in classes too |
//! | `\t \n \r \f \v \xHH \uHHHH \u{H…}` | a character by its name or number |
//! | `\.`, `\-`, `\/`, `\ ` … | punctuation or a space as it is |
//! | `(…)`, `(?:…)` | a group |
//! | `(?i:…)`, and `(?i)` in front of all | without regard to the case of ASCII letters |
//! | `x\|y` | either |
//! | `x? x* x+ x{2} x{2,} x{2,5}` | repetition, at most 256 times where it is counted; a `?` behind is ignored |
//! | `^ $` | the start of the text, its end |
//! | `\b \B` | a border of a word, and no border; `[A-Za-z0-9_]` and all that is not ASCII make up words |
//! | `(?<=[…]) (?<![…])` | the byte before is of the class, or it is not |
//! | `(?=[…]) (?![…])` | the byte behind is of the class, or it is not |
//!
//! A look-around's class holds of the characters that are not ASCII either all or none. Everything is a match that can be: there
//! are no preferences, so lazy and greedy are one. Refused are references to groups, names of groups, other
//! look-around, `\p`, other flags, what matches the empty text or can't match at all, and what grows too
//! large.

mod class;
mod dfa;
mod nfa;
mod parse;
mod subset;
mod utf8;

pub(crate) use class::ByteSet;
pub(crate) use dfa::Dfa;

/// The longest pattern, in bytes.
pub(crate) const MOST_BYTES: usize = 1000;
/// The most nodes that one pattern may come to.
const MOST_NODES: u16 = 4000;
/// The deepest nesting of groups.
const MOST_DEPTH: usize = 64;
/// The highest count of a repetition.
const MOST_COUNT: u32 = 256;
/// How many steps the making of one state may take in the mean.
const STEPS_A_STATE: usize = 8192;

/// A pattern to compile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The number of its rule. Several sources may be of one rule.
    pub(crate) rule: u16,
    /// The pattern.
    pub(crate) pattern: &'a str,
    /// A class, such as `[A-Za-z0-9_]`: the byte before a match is not of it.
    pub(crate) not_after: Option<&'a str>,
    /// A class: the byte behind a match is not of it.
    pub(crate) not_before: Option<&'a str>,
}

/// Why a pattern can't be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatternError {
    /// The index of the source.
    pub(crate) source: usize,
    /// The byte in its pattern, or in its class for a guard.
    pub(crate) at: usize,
    /// What is wrong there.
    pub(crate) reason: &'static str,
}

/// What is wrong, and at which byte.
type Refused = (usize, &'static str);

/// One automaton that finds the matches of all sources.
///
/// # Errors
///
/// With the first source that can't be compiled, or the one at which there came to be more than `most_states`
/// states.
pub(crate) fn compile(sources: &[Source<'_>], most_states: usize) -> Result<Dfa, PatternError> {
    let mut nfa = nfa::Nfa::default();
    for (source, it) in sources.iter().enumerate() {
        parse::source(&mut nfa, it).map_err(|(at, reason)| PatternError { source, at, reason })?;
    }
    let refused = |(source, reason)| PatternError { source, at: 0, reason };
    subset::determine(&nfa, most_states).map_err(refused)
}

/// The bytes of a class of ASCII characters, such as `[A-Za-z0-9_]`; of the others all or none.
///
/// # Errors
///
/// If it is no such class.
#[allow(dead_code)] // It is for build.rs.
pub(crate) fn bytes(class: &str) -> Result<ByteSet, PatternError> {
    parse::class(class).map(|side| side.bytes).map_err(|(at, reason)| PatternError { source: 0, at, reason })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
