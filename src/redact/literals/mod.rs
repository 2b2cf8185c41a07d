//! Literals of the user's own: known values and blocked terms, many at once.
//!
//! One automaton finds all of them (Aho and Corasick's): a tree of the literals whose nodes fall back to the
//! longest other beginning of a literal that the text ends with. So it knows at every byte where the earliest
//! literal that is still possible starts, which is all that a stream has to hold back.
//!
//! - **Known values** are compared byte by byte, anywhere in the text, in the forms of [`encodings`].
//! - **Blocked terms** are compared character by character after Unicode's full case folding (`ß` is `ss`, `ſ`
//!   is `s`, `ς` is `σ`; `ı` is no `i`; nothing else is normalised), as whole words, and a match covers whole
//!   characters. White space in a term stands for one to [`RUN`] characters of any white space, around it for
//!   nothing.
//!
//! A whole word: beside a letter or digit of the term's edge stands none in the text. A letter or digit is one
//! of `[A-Za-z0-9]` and every character from U+00C0 to U+1FFF: the scripts whose words stand apart. `_` is none,
//! since Markdown writes `_so_`. What lies above has quotation marks, dashes, symbols, and the scripts that write without spaces, where a term must be
//! found within a sentence; it never stands against a match. The left neighbour is judged as it is folded, the
//! right one by its first byte.

mod cursor;
mod encodings;
mod fold;
mod fold_table;
mod tree;

use super::settings::MAX_VALUE;
pub(crate) use cursor::Cursor;
use tree::Tree;

/// The fewest bytes of a known value, and of each of its forms.
pub(crate) const SHORTEST: usize = 6;
/// The most characters of a blocked term, when it is folded.
pub(crate) const LONGEST_TERM: usize = 256;
/// The most characters of white space that stand for white space in a term.
pub(crate) const RUN: u8 = 16;

/// A set of literals, made ready. Immutable; a [`Cursor`] goes over a text.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    tree: Tree,
    /// Terms: characters are folded, and words are whole.
    terms: bool,
    /// The bytes that a match can begin with, a bit each.
    begins: [u64; 4],
    /// The most bytes of a match.
    longest: usize,
    /// One less than the number of starts that a cursor remembers, a power of two.
    ring: usize,
}

/// Why a literal can't be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Which one of the list it is.
    pub(crate) entry: usize,
    /// In a few words.
    pub(crate) reason: &'static str,
}

/// What ends at one place: of all literals that end there, the longest one's span and the smallest rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Where the longest one begins.
    pub(crate) start: u64,
    /// Where all end: behind the last byte.
    pub(crate) end: u64,
    /// The smallest rule.
    pub(crate) rule: u16,
}

impl Literals {
    /// Known values, each with its rule.
    ///
    /// # Errors
    /// A value that is too short or too long, or with which there are too many.
    pub(crate) fn values(values: &[(u16, &str)]) -> Result<Self, Refused> {
        let mut all = Literals::default();
        for (entry, (rule, value)) in values.iter().enumerate() {
            let refused = |reason| Refused { entry, reason };
            let value = value.trim();
            if value.len() < SHORTEST {
                return Err(refused("a value needs at least 6 bytes"));
            }
            if value.len() > MAX_VALUE {
                return Err(refused("a value may have at most 8192 bytes"));
            }
            let mut fits = true;
            encodings::each(value, &mut |form| {
                if form.len() >= SHORTEST && fits {
                    all.longest = all.longest.max(form.len());
                    fits = all.tree.insert(&mut form.bytes().map(u32::from), *rule);
                }
            });
            if !fits {
                return Err(refused("the values are too many or too long together"));
            }
        }
        all.link();
        Ok(all)
    }

    /// Blocked terms, each with its rule.
    ///
    /// # Errors
    /// A term that is empty or too long, or with which there are too many.
    pub(crate) fn terms(terms: &[(u16, &str)]) -> Result<Self, Refused> {
        let mut all = Literals { terms: true, ..Literals::default() };
        for (entry, (rule, term)) in terms.iter().enumerate() {
            let refused = |reason| Refused { entry, reason };
            let symbols = fold::term(term);
            if symbols.is_empty() {
                return Err(refused("a term is empty"));
            }
            if symbols.len() > LONGEST_TERM {
                return Err(refused("a term may have at most 256 characters"));
            }
            all.longest = all.longest.max(symbols.iter().map(|symbol| fold::width(*symbol)).sum());
            all.ring = all.ring.max(symbols.len().next_power_of_two() - 1);
            if !all.tree.insert(&mut symbols.into_iter(), *rule) {
                return Err(refused("the terms are too many or too long together"));
            }
        }
        all.link();
        fold::each_first(&mut |byte, symbol| {
            if all.tree.first(symbol) != tree::ROOT {
                begin_with(&mut all.begins, byte);
            }
        });
        Ok(all)
    }

    /// Makes the tree ready, and notes which bytes its literals begin with.
    fn link(&mut self) {
        self.tree.link(self.terms);
        for node in self.tree.nodes.iter().filter(|node| node.depth == 1) {
            let byte = if self.terms { fold::lead(node.symbol) } else { node.symbol as u8 };
            begin_with(&mut self.begins, byte);
        }
    }

    /// True if there is nothing to find.
    pub(crate) fn is_empty(&self) -> bool {
        self.longest == 0
    }

    /// The most bytes that a match can have, possibly a little more.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// True if a match can begin with the byte. While a cursor is [idle](Cursor::is_idle) all other bytes may
    /// be left out, see [`Cursor::skip`].
    pub(crate) fn begins(&self, byte: u8) -> bool {
        self.begins.get(usize::from(byte >> 6)).is_some_and(|bits| bits >> (byte & 63) & 1 == 1)
    }
}

fn begin_with(begins: &mut [u64; 4], byte: u8) {
    if let Some(bits) = begins.get_mut(usize::from(byte >> 6)) {
        *bits |= 1 << (byte & 63);
    }
}

/// True for what counts as a letter or digit beside a word, by its code point.
fn is_word(symbol: u32) -> bool {
    match u8::try_from(symbol) {
        Ok(byte @ 0..0x80) => byte.is_ascii_alphanumeric(),
        _ => (0xC0..0x2000).contains(&symbol),
    }
}

/// The same, by a character's first byte.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || (0xC3..=0xE1).contains(&byte)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
