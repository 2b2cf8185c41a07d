//! Clean text through the filter: the rules that are on by default find nothing.

use super::clean;
use lastword::redact::{OutputFilter, Settings};

/// What the filter makes of a text, in pieces of four characters or so, with what it held back in the mean.
fn through(text: &str) -> (OutputFilter, String, f64) {
    let mut filter = OutputFilter::new(&Settings::default()).unwrap();
    let (mut out, mut held, mut pieces) = (String::new(), 0, 0);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.char_indices().nth(4).map_or(rest.len(), |(at, _)| at));
        out += &filter.push(piece);
        held += filter.held();
        pieces += 1;
        rest = after;
    }
    out += &filter.flush();
    (filter, out, held as f64 / f64::from(pieces))
}

fn quiet(text: &str) {
    assert!(text.len() >= clean::LENGTH);
    let (filter, out, held) = through(text);
    let found: Vec<_> = filter.spans().map(|span| (span.rule, &text[span.start as usize..span.end as usize])).collect();
    assert!(found.is_empty(), "{found:?}");
    assert!(out == text);
    assert_eq!(filter.counts().count(), 0);
    assert!(held < 6.0, "{held} bytes are held back in the mean");
}

#[test]
fn english_text_is_left_as_it_is() {
    quiet(&clean::english());
}

#[test]
fn portuguese_text_is_left_as_it_is() {
    quiet(&clean::portuguese());
}

#[test]
fn the_texts_are_full_of_what_looks_like_something() {
    for text in [clean::english(), clean::portuguese()] {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let signs = text.bytes().filter(|byte| b"@:/.-+()".contains(byte)).count();
        assert!(digits > 20_000 && signs > 14_000, "{digits} digits, {signs} signs");
        for part in
            ["@2x.png", "task-", "-----BEGIN", "Bearer", "::", "978-", "sk-", "192.168.", "data:image", "%", "| "]
        {
            assert!(text.contains(part), "{part}");
        }
    }
}
