//! What is counted: steps a byte on texts made to be hard, bytes that are held back, text that is kept.

use super::{Make, Written};
use crate::redact::settings::{Overflow, Style};

fn rules(overflow: Overflow) -> Make {
    let hard = |name, pattern, hold| Written { overflow: Some((hold, overflow)), ..Written::new(name, pattern) };
    Make::of(&[
        Written { not_after: Some("[a-z]"), ..Written::new("key", "sk-[a-z0-9-]{20,}") },
        Written::new("token", "eyJ[A-Za-z0-9_-]{10,60}\\.eyJ[A-Za-z0-9_-]{10,}(?:\\.[A-Za-z0-9_-]*)*"),
        Written {
            not_after: Some("[0-9.]"),
            not_before: Some("[0-9]"),
            ..Written::new("card", "[0-9](?:[ -]?[0-9]){12,18}")
        },
        Written { not_after: Some("[0-9a-f]"), ..Written::new("hex", "(?:[0-9a-f]{2}:){5}[0-9a-f]{2}") },
        Written {
            lookback: Some(("[a-z0-9.]", 64)),
            longest: Some(254),
            ..Written::new("email", "@(?:[a-z0-9]+\\.)+[a-z]{2,}")
        },
        hard("quoted", "a.*b", 256),
        hard("pem", "-----BEGIN [A-Z ]*KEY-----[^!]*!", 256),
    ])
}

#[test]
fn steps_grow_with_the_length_alone_on_texts_made_to_be_hard() {
    let pieces = [
        "a",
        "b",
        "1 2-1 2.",
        "4111 1111 ",
        "a@a@a@",
        "a@a.aa",
        "eyJ",
        "sk-",
        "-----BEGIN ",
        "deadbeef:",
        ".",
        "1.",
        "aeyJb",
        "ab:cd:",
        "-----BEGIN KEY-----",
        "é",
    ];
    for overflow in [Overflow::Redact, Overflow::Release, Overflow::Abort] {
        let make = rules(overflow);
        for piece in pieces {
            let steps = |length: usize| {
                let text = piece.repeat(length / piece.len());
                let mut matcher = make.matcher();
                let mut out = String::new();
                matcher.push(&text, &mut out);
                assert!(matcher.held() <= 256 + 4, "{piece}: {} bytes are held", matcher.held());
                matcher.flush(&mut out);
                matcher.steps() as f64 / text.len() as f64
            };
            // A dropped candidate was one of as many as may be held back; what is taken for a match stands for all.
            let most = if overflow == Overflow::Redact { 40.0 } else { 300.0 };
            let (some, more) = (steps(1 << 14), steps(1 << 16));
            assert!(more < most, "{piece}: {more} steps a byte");
            assert!(more < some * 1.1 + 1.0, "{piece}: {some} and then {more} steps a byte");
        }
    }
}

#[test]
fn a_megabyte_takes_no_more_steps_a_byte_and_holds_no_more() {
    let make = rules(Overflow::Redact);
    for piece in ["1 2-1 2.", "a@a@a@", "sk-"] {
        let text = piece.repeat((1 << 20) / piece.len());
        let mut matcher = make.matcher();
        let mut out = String::new();
        matcher.push(&text, &mut out);
        assert!(matcher.held() <= 256 + 4);
        matcher.flush(&mut out);
        assert!(matcher.steps() < 40 * text.len() as u64, "{piece}: {}", matcher.steps());
    }
}

#[test]
fn candidates_in_one_state_are_one_even_where_spans_wait_for_their_value() {
    let mut make = rules(Overflow::Redact);
    make.rules[2].style = Style::Token;
    make.rules[2].hold = Some(64);
    for piece in ["sk-", "a", "1 2-1 2."] {
        let text = piece.repeat((1 << 16) / piece.len());
        let mut matcher = make.matcher();
        matcher.push(&text, &mut String::new());
        assert!(matcher.steps() < 120 * text.len() as u64, "{piece}: {}", matcher.steps());
    }
}

#[test]
fn many_spans_that_wait_for_their_value_are_not_asked_one_by_one() {
    let waits = |name, pattern| Written { style: Style::LastFour, ..Written::new(name, pattern) };
    let stuck = Written { overflow: Some((4000, Overflow::Release)), ..Written::new("quoted", "q[^z]*z") };
    for rules in [vec![waits("digit", "[0-9]")], vec![waits("digit", "[0-9]"), stuck]] {
        let make = Make::of(&rules);
        for piece in ["7", "7 "] {
            let text = ["q", &piece.repeat((1 << 16) / piece.len())].concat();
            let mut matcher = make.matcher();
            matcher.push(&text, &mut String::new());
            assert!(matcher.steps() < 20 * text.len() as u64, "{piece}: {}", matcher.steps());
        }
    }
}

#[test]
fn of_the_text_no_more_is_kept_than_is_needed() {
    let make = rules(Overflow::Redact);
    let mut matcher = make.matcher();
    let mut out = String::new();
    let text =
        "some text, a secret sk-0123456789-0123456789-0123456789 and 4111 1111 1111 1111, ana@firma.co. ".repeat(2000);
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(4) {
        let piece: String = piece.iter().collect();
        matcher.push(&piece, &mut out);
        assert!(matcher.raw.bytes().0.len() < 3 * 4096);
    }
    matcher.flush(&mut out);
    assert_eq!(out, make.whole(&text));
    assert!(matcher.spans.list.is_empty());
}
