//! Payment cards and bank accounts.

use super::Corpus;
use super::make::{DIGITS, UPPERS, card, exchanged, grouped, iban, last_changed};
use super::surroundings::Edges;

pub fn add(corpus: &mut Corpus) {
    cards(corpus);
    ibans(corpus);
}

/// Beginnings and lengths, and how the number is written in groups.
const ISSUERS: &[(&str, usize, &[usize])] = &[
    ("4", 16, &[4, 4, 4]),
    ("51", 16, &[4, 4, 4]),
    ("55", 16, &[4, 4, 4]),
    ("2221", 16, &[4, 4, 4]),
    ("2720", 16, &[4, 4, 4]),
    ("34", 15, &[4, 6]),
    ("37", 15, &[4, 6]),
    ("300", 14, &[4, 6]),
    ("3056", 14, &[4, 6]),
    ("36", 14, &[4, 6]),
    ("38", 14, &[4, 6]),
    ("6011", 16, &[4, 4, 4]),
    ("644", 16, &[4, 4, 4]),
    ("65", 16, &[4, 4, 4]),
    ("3528", 16, &[4, 4, 4]),
    ("3589", 16, &[4, 4, 4]),
    ("62", 16, &[4, 4, 4]),
    ("62", 19, &[4, 4, 4, 4]),
    ("5067", 16, &[4, 4, 4]),
    ("6362", 16, &[4, 4, 4]),
    ("606282", 16, &[4, 4, 4]),
    ("4", 13, &[4, 4, 4]),
    ("4", 19, &[4, 4, 4, 4]),
];

fn cards(corpus: &mut Corpus) {
    let rule = "card";
    for turn in 0..69 {
        let (issuer, length, groups) = ISSUERS[turn % ISSUERS.len()];
        let number = card(&mut corpus.random, issuer, length);
        let joint = ["", " ", "-"][turn / ISSUERS.len()];
        corpus.finds(rule, Edges::Number, &grouped(&number, groups, joint));
    }
    for turn in 0..30 {
        let (issuer, length, groups) = ISSUERS[turn % ISSUERS.len()];
        let number = card(&mut corpus.random, issuer, length);
        let joint = ["", " ", "-"][turn % 3];
        let by = 1 + (turn % 9) as u8;
        // The first sixteen digits of nineteen may be right by themselves.
        let joint = if length == 19 { "" } else { joint };
        corpus.leaves(rule, Edges::Number, &grouped(&last_changed(&number, by), groups, joint));
        corpus.leaves(rule, Edges::Number, &grouped(&exchanged(&number, 6), groups, joint));
        // Behind a letter, a digit or a dot; before one; two signs between groups.
        for (before, after) in [("x", ""), ("0", ""), ("3.", ""), ("", "0"), ("", "a"), ("", "Z")] {
            let text = [before, &number, after].concat();
            // One digit more may make a longer number of another issuer, or of a person or a company.
            if turn % 6 == 0 && length == 16 && issuer.len() > 1 && !issuer.starts_with("62") {
                corpus.leaves(rule, Edges::Strict, &text);
            }
        }
        if length == 16 {
            corpus.leaves(rule, Edges::Strict, &grouped(&number, groups, "  "));
            corpus.leaves(rule, Edges::Strict, &grouped(&number, groups, "."));
            corpus.leaves(rule, Edges::Strict, &grouped(&number, &[5, 5, 3], " "));
        }
        // A right sum, and no issuer.
        for issuer in ["1", "7", "8", "9", "0", "2220", "2721", "3590", "3527", "50"] {
            if turn == 0 {
                let other = card(&mut corpus.random, issuer, 16);
                corpus.leaves(rule, Edges::Number, &grouped(&other, &[4, 4, 4], " "));
            }
        }
    }
    for text in [
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
        "4 5 6 7 8 9 4 5 6 7 8 9 4 5 6 7",
        "2026 2025 2024 2023",
        "**** **** **** 4242",
        "4242 xxxx xxxx 4242",
        "4111 1111 1111",
        "0.4111111111111111",
        "5e13",
        "4-4-4-4",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

/// Countries, lengths, and if there are letters behind.
const COUNTRIES: &[(&str, usize, &str)] = &[
    ("BR", 29, UPPERS),
    ("DE", 22, DIGITS),
    ("FR", 27, UPPERS),
    ("GB", 22, UPPERS),
    ("PT", 25, DIGITS),
    ("NO", 15, DIGITS),
    ("BE", 16, DIGITS),
    ("MT", 31, UPPERS),
    ("ES", 24, DIGITS),
    ("IT", 27, UPPERS),
    ("NL", 18, UPPERS),
    ("CH", 21, UPPERS),
    ("AT", 20, DIGITS),
    ("PL", 28, DIGITS),
    ("SE", 24, DIGITS),
    ("LC", 32, UPPERS),
    ("AE", 23, DIGITS),
    ("TR", 26, DIGITS),
];

fn ibans(corpus: &mut Corpus) {
    let rule = "iban";
    for turn in 0..36 {
        let (country, length, alphabet) = COUNTRIES[turn % COUNTRIES.len()];
        let number = iban(&mut corpus.random, country, length, alphabet);
        let joint = if turn / COUNTRIES.len() == 0 { "" } else { " " };
        corpus.finds(rule, Edges::Number, &grouped(&number, &[4; 8], joint));
    }
    for turn in 0..30 {
        let (country, length, alphabet) = COUNTRIES[turn % COUNTRIES.len()];
        let number = iban(&mut corpus.random, country, length, alphabet);
        let spaced = |number: &str| grouped(number, &[4; 8], " ");
        corpus.leaves_parts(rule, Edges::Strict, &spaced(&last_changed(&number, 1 + (turn % 9) as u8)));
        corpus.leaves_parts(rule, Edges::Strict, &spaced(&["X", &number[1..]].concat()));
        corpus.leaves_parts(rule, Edges::Strict, &spaced(&number[..length - 1]));
        corpus.leaves_parts(rule, Edges::Strict, &spaced(&number.to_lowercase()));
        for (country, length) in [(country, length - 1), ("ZZ", length)] {
            let other = iban(&mut corpus.random, country, length, alphabet);
            corpus.leaves_parts(rule, Edges::Strict, &spaced(&other));
        }
        corpus.leaves_parts(rule, Edges::Strict, &["x", &spaced(&number)].concat());
    }
    for text in ["GB82 WEST", "DE89 …", "BR00 0000 0000", "IBAN: DE__ ____ ____", "NO RED 1234", "SE24"] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}
