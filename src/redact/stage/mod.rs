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
pub(crate) use links::{Links, is_host};

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

/// Where the first byte stands that is `wanted`, which no byte from the space to the tilde is: those are passed by
/// eight at a time.
fn find(bytes: &[u8], wanted: impl Fn(usize, u8) -> bool) -> Option<usize> {
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let (eights, _) = rest.as_chunks();
        at += 8 * eights.iter().take_while(|eight| is_plain(u64::from_le_bytes(**eight))).count();
        let end = bytes.len().min(at + 8);
        for (index, byte) in (at..end).zip(bytes.get(at..end)?) {
            if wanted(index, *byte) {
                return Some(index);
            }
        }
        at = end;
    }
    None
}

/// True if all eight bytes stand between the space and the tilde: then none has its highest bit set, nor has it so
/// once 32 is taken from it, or 1 is added.
fn is_plain(eight: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    (eight | eight.wrapping_sub(0x20 * ONES) | eight.wrapping_add(ONES)) & (0x80 * ONES) == 0
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
