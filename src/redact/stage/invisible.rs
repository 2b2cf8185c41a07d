//! Characters that nobody sees.
//!
//! They smuggle text past readers (tags, variation selectors), hide a secret from the rules (a zero-width space in
//! a token) or show a text in another order than it has (bidi). All are removed: every character that Unicode calls
//! default ignorable, the embeddings, overrides and isolates of bidi, and the marks of interlinear annotation. What
//! real text needs stays, each only where it has an effect:
//!
//! - **Emoji.** U+FE0E and U+FE0F behind an emoji or a symbol that has both forms (©, ↔, ☀). U+FE0F between a digit,
//!   `#` or `*` and U+20E3. U+200D between two emoji. Of tags, only the flag of a region: U+1F3F4, two letters, one to
//!   three letters or digits, U+E007F.
//! - **Joiners** U+200C and U+200D between characters of the scripts that they shape: those written joined up (Arabic,
//!   Syriac, N'Ko, Mongolian, …) and those of India and its neighbours. Also with nothing behind: both after a virama
//!   (Malayalam's older chillus, a visible Devanagari virama), U+200D after a joined-up letter (ه‍ as an abbreviation).
//!   Between a Latin and a Persian letter a joiner has no effect, so it goes.
//! - **Marks of direction** U+200E, U+200F, U+061C next to a character of a right-to-left script.
//! - **Mongolian.** Its variation selectors behind its letters, its vowel separator U+180E between them.
//! - **Han.** U+E0100 to U+E011F behind an ideograph, since Japanese names are written with them and none beyond is
//!   in use; U+FE00 to U+FE02 there too, as Unicode's own variants of compatibility ideographs.
//! - **Hebrew.** U+034F between two of its points, whose order it keeps.
//!
//! Hangul's fillers all go. Syllables and single letters need none; only a display of incomplete old syllables
//! would, and they pass for a blank anywhere else. U+200B goes in Khmer and Thai too: it only offers a line break. U+1BCA0 to
//! U+1BCA3 (shorthand) and U+1D173 to U+1D17A (music) only lay out signs.
//!
//! An invisible character that stays always touches one beyond ASCII that has a use for it. So none stands inside of anything in
//! ASCII, and a rule's guard sees no other class of character there than without it. Between two visible characters
//! a removed one is as if it were not there; only a run of tags that is no flag goes as a whole.
//!
//! Held back is what waits for the next character: one character, or the tags of a flag, at most 20 bytes.

mod context;

use super::Stage;
use context::Context;

/// Removes what is invisible.
#[derive(Default)]
pub(crate) struct Invisible {
    /// What stands before.
    before: Context,
    /// What waits for the next character.
    held: String,
    /// What that must be for `held` to stay; none if `held` is tags.
    needs: Context,
    count: u64,
}

impl Invisible {
    /// Takes an invisible character.
    fn hidden(&mut self, c: char, out: &mut String) {
        if matches!(c, '\u{e0000}'..='\u{e007f}') {
            return self.tag(c, out);
        }
        if !self.held.is_empty() {
            self.count += 1;
            return;
        }
        let plain = !self.before.any(Context::VARIED);
        let (stays, needs) = match c {
            '\u{200d}' if self.before.any(Context::EMOJI) => (false, Context::EMOJI),
            '\u{200d}' if self.before.any(Context::CURSIVE) => (true, Context::NONE),
            '\u{200c}' | '\u{200d}' if self.before.any(Context::VIRAMA) => (true, Context::NONE),
            '\u{200c}' | '\u{200d}' if self.before.any(Context::JOINED) => (false, Context::JOINED),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => (self.before.any(Context::RIGHT_TO_LEFT), Context::RIGHT_TO_LEFT),
            '\u{fe0f}' if self.before.any(Context::KEY) => (false, Context::KEYCAP),
            '\u{fe0e}' | '\u{fe0f}' => (plain && self.before.any(Context::EMOJI), Context::NONE),
            '\u{180b}'..='\u{180d}' | '\u{180f}' => (plain && self.before.any(Context::MONGOLIAN), Context::NONE),
            '\u{180e}' if self.before.any(Context::MONGOLIAN) => (false, Context::MONGOLIAN),
            '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e011f}' => {
                (plain && self.before.any(Context::IDEOGRAPH), Context::NONE)
            }
            '\u{34f}' if self.before.any(Context::HEBREW_POINT) => (false, Context::HEBREW_POINT),
            _ => (false, Context::NONE),
        };
        if stays {
            out.push(c);
            self.before = self.before.behind(c);
        } else if needs == Context::NONE {
            self.count += 1;
        } else {
            self.held.push(c);
            self.needs = needs;
        }
    }

    /// Takes a tag, which is of a flag or goes.
    fn tag(&mut self, c: char, out: &mut String) {
        let tags = self.held();
        let opened = self.before.any(Context::BLACK_FLAG) && (tags == 0 || self.needs == Context::NONE);
        let fits = match c {
            '\u{e0061}'..='\u{e007a}' => tags < 5,
            '\u{e0030}'..='\u{e0039}' => (2..5).contains(&tags),
            '\u{e007f}' => tags > 2,
            _ => false,
        };
        if opened && fits {
            self.held.push(c);
            self.needs = Context::NONE;
            if c == '\u{e007f}' {
                out.push_str(&self.held);
                self.held.clear();
                self.before = Context::NONE;
            }
            return;
        }
        self.count += 1;
        if opened {
            self.drop_held();
            // What follows of the run is of no flag either.
            self.before = Context::EMOJI;
        }
    }

    fn drop_held(&mut self) {
        self.count += self.held() as u64;
        self.held.clear();
    }

    /// How many characters are held: tags, of four bytes each, or a single character.
    fn held(&self) -> usize {
        self.held.len().div_ceil(4)
    }
}

/// True of the characters that this stage knows.
pub(super) fn hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The first bytes of those characters, from 0xC2 on.
const LEADS: u64 = {
    let (leads, mut bits, mut at) = ([0xc2_u8, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3], 0, 0);
    while let Some((lead, _)) = leads.split_at(at).1.split_first() {
        bits |= 1 << (*lead - 0xc2);
        at += 1;
    }
    bits
};

/// The first invisible character and where it stands.
fn first(text: &str) -> Option<(usize, char)> {
    let at_place = |at: usize| text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| hidden(*c));
    let leads = |byte: u8| byte >= 0xc2 && LEADS >> (byte - 0xc2) & 1 == 1;
    let at = super::find(text.as_bytes(), |at, byte| leads(byte) && at_place(at).is_some())?;
    Some((at, at_place(at)?))
}

impl Stage for Invisible {
    fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            let found = first(rest);
            let (seen, behind) = found.and_then(|(at, _)| rest.split_at_checked(at)).unwrap_or((rest, ""));
            if let Some(next) = seen.chars().next() {
                if !self.held.is_empty() && Context::of(next).any(self.needs) {
                    out.push_str(&self.held);
                    self.held.clear();
                }
                self.drop_held();
                out.push_str(seen);
                self.before = seen.chars().next_back().map_or(Context::NONE, Context::of);
            }
            rest = behind;
            if let Some((_, c)) = found {
                self.hidden(c, out);
                rest = behind.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }

    fn flush(&mut self, _out: &mut String) {
        self.drop_held();
        self.before = Context::NONE;
    }

    fn reset(&mut self) {
        self.held.clear();
        self.before = Context::NONE;
    }

    fn passes(&self, text: &str) -> bool {
        let after = text.chars().next_back().map_or(self.before, Context::of);
        self.held.is_empty() && after == self.before && first(text).is_none()
    }

    fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
