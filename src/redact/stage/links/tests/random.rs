//! Random text of hostile pieces.

use super::*;

const PARTS: &[&str] = &[
    "![",
    "[",
    "](",
    ")",
    "(",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "```",
    "```\n",
    "\n```\n",
    "~~~\n",
    "\n",
    "\n\n",
    "    ",
    "  ",
    "\n- ",
    "\n> ",
    "\n1. ",
    "https://evil.com",
    "//evil.com",
    "https://ok.com",
    "https://ok.com/a",
    "https://img.ok/a",
    "https:",
    "/",
    "\\",
    "&#58;",
    "&colon;",
    "&#104;ttps://evil.com",
    "<a href=",
    "<img src=",
    "<div ",
    "<div>\n",
    "</div>",
    "\n<div>\n",
    "\n<pre>\n",
    "<!--",
    "-->",
    "<b title=\"",
    "<b title='",
    "style=",
    "url(//evil.com)",
    "\n[x]: ",
    "[x]",
    "=",
    "x",
    " ",
    "\t",
    "\r",
    "\r\n",
    "\n$$\n",
    "$",
    "|",
    "*",
    "_",
    "www.",
    "http",
    "evil.com",
    "@",
    "javascript:",
    "data:",
    "é",
    "[^1]",
    "\n[^1]: ",
    "\n# ",
    "\n---\n",
    "!",
    "![a](//evil.com)",
    "[a](//evil.com)",
    "![a](https://img.ok/a)",
    " \"t\")",
    "~",
    ".",
    ",",
    ":",
    "<x ",
    "/>",
    "srcset=",
    "on=",
    "\\)",
    "[x](/a)",
    "&amp;",
    "?q#",
];

/// A small generator; the numbers are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

#[test]
fn random_text_is_the_same_in_pieces_and_read_again_and_shows_a_reader_no_address() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut changed = 0;
    for round in 0..50_000 {
        let most = if round % 10 == 0 { 40 } else { 12 };
        let text: String = (0..1 + random.below(most)).map(|_| PARTS[random.below(PARTS.len())]).collect();
        let mut links = both();
        let out = whole(&mut links, &text);
        changed += usize::from(out != text);
        let step = 1 + random.below(9);
        let mut ends: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < text.len() {
            at += 1 + random.below(step);
            ends.extend(Some(at).filter(|at| *at < text.len() && text.is_char_boundary(*at)));
        }
        in_pieces(&mut links, &text, ends.into_iter(), &out);
        assert_eq!(whole(&mut links, &out), out, "read again, {text:?}");
        assert_eq!(leaks(&out), Vec::<String>::new(), "{text:?} gave {out:?}");
    }
    assert!(changed > 25_000, "{changed}");
}
