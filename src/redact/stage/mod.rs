//! What is done to a text before rules are matched, one stage after the other: escapes, invisible characters, links.
//!
//! In this order none hides from another. The escapes go first and overlook an invisible character inside of a
//! sequence; what they give has no control character. The invisible characters are then judged by what will really
//! stand beside them, and taking one away can't make an escape. So the first two, run again on what they gave, change
//! nothing.

mod escapes;
mod invisible;
mod links;

pub(crate) use escapes::Escapes;
pub(crate) use invisible::Invisible;
pub(crate) use links::Links;

/// A stage: text in, text out. Its output must not depend on how the input was cut, and everything that it
/// has given must be a prefix of what it will have given.
pub(crate) trait Stage {
    /// Takes a piece and appends what is certain by now.
    fn push(&mut self, text: &str, out: &mut String);
    /// Ends the text: appends what was held back. The stage is then as new.
    fn flush(&mut self, out: &mut String);
    /// Drops what was held back, unseen. The stage is then as new.
    fn reset(&mut self);
    /// True if the next piece passes as it is: nothing is held back, and nothing in the piece is this
    /// stage's business. Then the piece needs no copy.
    fn passes(&self, text: &str) -> bool;
    /// How many things it has removed or changed since it was made.
    fn count(&self) -> u64;
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
