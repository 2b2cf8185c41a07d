//! Random rules and texts against the definition, by characters and in random pieces.

use super::definition;
use super::{Make, Written};
use crate::redact::settings::{Mode, Overflow, Style};

/// Numbers that look random, the same every time.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

const BOUNDED: &[&str] = &[
    "ab",
    "abc",
    "bca?",
    "aa",
    "a(?:b|ca){1,3}",
    "1(?:-?1){2,4}",
    "11",
    "1-1",
    "é1|ab1",
    "(?:é|a){2,4}c",
    "c[a-c]{2,}",
    "[ab]-[ab]",
    "a.b",
    "[^a ]c",
    "b+1",
    "\\bab\\b",
    "a$",
    "^b.",
    "-{2}a*",
];
const UNBOUNDED: &[&str] = &["a[bc ]*1", "-[^-]*-", "b(?:c+1)+", "1[1 ]*é", "a.*a", "ab?c*-"];
const PIECES: &[&str] =
    &["a", "b", "c", "1", "-", " ", "é", "@", ".", "ab", "aa", "1-1", "abc", "a@b", "日", "ca", "bc", "\n"];

/// Some rules of the lists, and how they are to be taken.
fn make(numbers: &mut Numbers) -> Make {
    let mut make = Make::default();
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in &names[..1 + numbers.below(names.len())] {
        let mut rule = Written::new(name, "");
        let guards = [None, None, Some("[ab]"), Some("[1-]"), Some("[a-cé\u{80}-\u{10FFFF}]")];
        let guards = &guards[..guards.len() - 1];
        rule.not_after = numbers.one(guards);
        rule.not_before = numbers.one(guards);
        let styles = [
            Style::Label,
            Style::Label,
            Style::SameLength,
            Style::Fixed("#".to_owned()),
            Style::LastFour,
            Style::Token,
        ];
        rule.style = numbers.one(&styles);
        match numbers.below(6) {
            0 => {
                rule.lookback = Some(numbers.one(&[("[a-c]", 3), ("[ab.]", 2), ("[a1-]", 4)]));
                rule.pattern = numbers.one(&["@[abc]+", "@a", "@(?:[ab]+\\.)+[a-c]{1,2}"]);
                rule.longest = numbers.one(&[None, Some(4), Some(6)]);
                rule.hold = Some(numbers.one(&[3, 8]));
            }
            1 | 2 => {
                rule.pattern = numbers.one(UNBOUNDED);
                let overflow = numbers.one(&[Overflow::Redact, Overflow::Release, Overflow::Abort]);
                rule.overflow = Some((numbers.one(&[1, 3, 6]), overflow));
                rule.longest = numbers.one(&[None, None, Some(5)]);
                if rule.style.needs_the_whole() {
                    rule.style = Style::Label;
                }
            }
            _ => {
                rule.pattern = numbers.one(BOUNDED);
                rule.longest = numbers.one(&[None, None, None, Some(2), Some(4)]);
                rule.hold = Some(numbers.one(&[2, 5, 256]));
            }
        }
        make.rules.push(rule);
    }
    if numbers.below(4) == 0 {
        make.allow = vec!["AB", "1-11", "a@b"];
    }
    make.mode = numbers.one(&[Mode::Redact, Mode::Redact, Mode::Redact, Mode::Block]);
    make
}

#[test]
fn what_has_left_after_every_character_is_what_the_definition_says() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let rounds = if cfg!(debug_assertions) { 1_500 } else { 200_000 };
    for round in 0..rounds {
        let make = make(&mut numbers);
        let mut matcher = make.matcher();
        for _ in 0..4 {
            let text: String = (0..numbers.below(18)).map(|_| numbers.one(PIECES)).collect();
            let expected = definition::steps(&make, &text);
            let context = || format!("round {round}, {text:?} by {make:?}");
            assert_eq!(make.steps(&text), expected, "{}", context());
            // Any pieces come to the same, and whatever is cut has let go what the definition lets go.
            matcher.abort();
            let characters: Vec<char> = text.chars().collect();
            let (mut out, mut at) = (String::new(), 0);
            while at < characters.len() {
                let piece: String = characters[at..].iter().take(1 + numbers.below(6)).collect();
                at += piece.chars().count();
                matcher.push(&piece, &mut out);
                assert_eq!(out, expected[at - 1], "{}", context());
            }
            matcher.flush(&mut out);
            assert_eq!(&out, expected.last().unwrap(), "{}", context());
        }
    }
}
