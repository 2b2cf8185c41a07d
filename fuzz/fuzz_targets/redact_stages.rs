//! Any text with terminal escapes and invisible characters, in any pieces, through a filter without rules: no panic,
//! what one piece comes to, each output a prefix of the next, no control character left, and nothing to do again.
//!
//! The first byte of the input is the size of a piece, in characters. A byte behind it is a scrap of
//! which hostile text is made, or a character.

#![no_main]

use lastword::redact::{OutputFilter, Settings};
use libfuzzer_sys::fuzz_target;

const SCRAPS: [&str; 64] = [
    "\u{1b}",
    "[",
    "]",
    "\\",
    "\u{7}",
    "\u{9b}",
    "\u{9c}",
    "\u{9d}",
    "\u{90}",
    "\u{18}",
    "P",
    "(",
    "m",
    "3",
    ";",
    "\n",
    "\u{200b}",
    "\u{200c}",
    "\u{200d}",
    "\u{200e}",
    "\u{200f}",
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{2062}",
    "\u{feff}",
    "\u{ad}",
    "\u{34f}",
    "\u{61c}",
    "\u{180b}",
    "\u{180e}",
    "\u{3164}",
    "\u{fe00}",
    "\u{fe0e}",
    "\u{fe0f}",
    "\u{e0001}",
    "\u{e0067}",
    "\u{e0062}",
    "\u{e0031}",
    "\u{e007f}",
    "\u{e0100}",
    "\u{e01ef}",
    "\u{20e3}",
    "#",
    "👩",
    "🏽",
    "🏴",
    "❤",
    "©",
    "字",
    "م",
    "ש",
    "\u{5c1}",
    "क",
    "\u{94d}",
    "ക",
    "\u{d4d}",
    "ᠠ",
    "ᄀ",
    "é",
    "“",
    "\u{85}",
    "\0",
    " ",
];

fuzz_target!(|input: &[u8]| {
    let [size, scraps @ ..] = input else { return };
    let text: String = scraps.iter().map(|byte| scrap(*byte)).collect();
    let characters: Vec<char> = text.chars().collect();
    let pieces = |size: usize| characters.chunks(size.max(1)).map(|piece| piece.iter().collect::<String>());

    let whole = filtered([text.clone()], None);
    filtered(pieces(1), Some(&whole));
    filtered(pieces(usize::from(*size)), Some(&whole));
    filtered([whole.clone()], Some(&whole));
    assert!(!whole.chars().any(|c| c.is_control() && !"\t\n\r".contains(c)), "{}", whole.escape_unicode());
});

fn scrap(byte: u8) -> String {
    SCRAPS.get(usize::from(byte)).map_or_else(|| char::from(byte).to_string(), |scrap| (*scrap).to_owned())
}

/// What the pieces come to. Every output so far must be a prefix of what is expected, if that is given.
fn filtered(pieces: impl IntoIterator<Item = String>, expected: Option<&str>) -> String {
    let settings = Settings { rules: vec![("all".to_owned(), false)], ..Settings::default() };
    let mut filter = OutputFilter::new(&settings).expect("the settings are fine");
    let mut out = String::new();
    let mut check = |more: String| {
        out.push_str(&more);
        assert!(expected.is_none_or(|expected| expected.starts_with(out.as_str())));
    };
    pieces.into_iter().for_each(|piece| check(filter.push(&piece)));
    check(filter.flush());
    assert!(expected.is_none_or(|expected| expected == out));
    out
}
