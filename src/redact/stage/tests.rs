//! The escapes and the invisible characters together, as a filter runs them.

use super::{Escapes, Invisible, Stage};

mod hostile;
mod texts;

/// Both stages, one after the other.
#[derive(Default)]
pub(super) struct Both(Escapes, Invisible);

impl Both {
    fn push(&mut self, text: &str, out: &mut String) {
        let mut between = String::new();
        self.0.push(text, &mut between);
        self.1.push(&between, out);
    }

    fn flush(&mut self, out: &mut String) {
        let mut between = String::new();
        self.0.flush(&mut between);
        self.1.push(&between, out);
        self.1.flush(out);
    }

    /// As a filter does it: what passes is not copied by the stage.
    fn push_or_pass(&mut self, text: &str, out: &mut String) {
        let mut between = String::new();
        if self.0.passes(text) {
            between.push_str(text);
        } else {
            self.0.push(text, &mut between);
        }
        if self.1.passes(&between) {
            out.push_str(&between);
        } else {
            self.1.push(&between, out);
        }
    }
}

pub(super) fn whole(text: &str) -> String {
    let (mut both, mut out) = (Both::default(), String::new());
    both.push(text, &mut out);
    both.flush(&mut out);
    out
}

/// What pieces come to, with what had been given after each.
pub(super) fn pieces<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, Vec<String>) {
    let (mut both, mut out, mut given) = (Both::default(), String::new(), Vec::new());
    for piece in pieces {
        both.push_or_pass(piece, &mut out);
        given.push(out.clone());
    }
    both.flush(&mut out);
    (out, given)
}

/// Holds that a text comes to this, whole, in single characters and in two pieces cut anywhere.
#[track_caller]
pub(super) fn comes_to(text: &str, expected: &str) {
    assert_eq!(whole(text), expected, "whole: {}", text.escape_unicode());
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let single = borders.windows(2).map(|ends| &text[ends[0]..ends[1]]);
    let cuts = borders.iter().map(|border| vec![&text[..*border], &text[*border..]]);
    for cut in cuts.chain([single.collect()]) {
        let (out, given) = pieces(cut.iter().copied());
        assert_eq!(out, expected, "{cut:?}");
        assert!(given.iter().all(|given| expected.starts_with(given.as_str())), "{cut:?} gave {given:?}");
    }
}

#[test]
fn every_byte_that_is_not_plain_is_found_wherever_it_stands() {
    for length in 0..40 {
        for at in 0..length {
            for byte in (0..=u8::MAX).filter(|byte| !(b' '..=b'~').contains(byte)) {
                for filler in *b" ~a" {
                    let mut bytes = vec![filler; length];
                    bytes[at] = byte;
                    assert_eq!(super::find(&bytes, |_, other| other == byte), Some(at), "{byte} at {at} of {length}");
                    assert_eq!(super::find(&bytes, |index, _| index > at && bytes[index] != filler), None);
                }
            }
        }
    }
}
