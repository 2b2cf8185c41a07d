//! Telephone numbers.

use super::Corpus;
use super::make::DIGITS;
use super::surroundings::Edges;

pub fn add(corpus: &mut Corpus) {
    whatsapp(corpus);
    brazil(corpus);
    bare(corpus);
    abroad(corpus);
}

const AREAS: &[&str] =
    &["11", "19", "21", "24", "27", "31", "38", "41", "49", "51", "55", "61", "69", "71", "79", "81", "89", "91", "99"];

fn whatsapp(corpus: &mut Corpus) {
    let rule = "whatsapp_id";
    for turn in 0..34 {
        let number = ["55", AREAS[turn % AREAS.len()], "9", &corpus.random.text(DIGITS, 8)].concat();
        let group = ["1203", &corpus.random.text(DIGITS, 14)].concat();
        let value = match turn % 6 {
            0 => [&number, ":12@s.what", "sapp.net"].concat(),
            1 => [&number, "@c", ".us"].concat(),
            2 => [&group, "@g", ".us"].concat(),
            3 => [&group[..15], "@l", "id"].concat(),
            _ => [&number, "@s.what", "sapp.net"].concat(),
        };
        corpus.finds(rule, Edges::Number, &value);
        corpus.leaves(rule, Edges::Strict, &[&number, "@lide"].concat());
        corpus.leaves(rule, Edges::Strict, &["x", &number, "@lid"].concat());
        corpus.leaves(rule, Edges::Strict, &[&number[..9], "@lid"].concat());
        corpus.leaves_parts(rule, Edges::Strict, &["0", &number, "@lid"].concat());
        corpus.leaves(rule, Edges::Strict, &[&number, " @lid"].concat());
        // An address of e-mail all the same.
        corpus.leaves_to_another(rule, &[&number, "@c.use"].concat());
        corpus.leaves_to_another(rule, &["id", &number, "@c.us"].concat());
    }
    for text in ["@c.us", "user@lid", "@s.whatsapp.net", "5511@lid", "<number>@s.whatsapp.net"] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

/// Eight digits, or nine from 9, with a hyphen or something else.
fn local(corpus: &mut Corpus, turn: usize) -> String {
    let joint = ["-", " ", "", "."][turn % 4];
    let rest = corpus.random.text(DIGITS, 7);
    match turn % 3 {
        0 => [corpus.random.pick(&["2", "3", "4", "5"]), &rest[..3], joint, &rest[3..]].concat(),
        1 => ["9 ", corpus.random.pick(&["6", "7", "8", "9"]), &rest[..3], joint, &rest[3..]].concat(),
        _ => ["9", corpus.random.pick(&["1", "6", "7", "8", "9"]), &rest[..3], joint, &rest[3..]].concat(),
    }
}

fn brazil(corpus: &mut Corpus) {
    let rule = "br_phone";
    for turn in 0..40 {
        let area = AREAS[turn % AREAS.len()];
        let local = local(corpus, turn);
        let value = match turn % 5 {
            0 => ["+55 ", area, " ", &local].concat(),
            1 => ["(", area, ") ", &local].concat(),
            2 => ["(", area, ")", &local].concat(),
            3 => ["+55 (", area, ") ", &local].concat(),
            _ => ["+55", area, &local].concat(),
        };
        corpus.finds(rule, Edges::Strict, &value);
    }
    for turn in 0..32 {
        let rest = corpus.random.text(DIGITS, 4);
        let area = ["20", "23", "25", "26", "29", "30", "36", "39", "52", "56"][turn % 10];
        for text in [
            ["(", area, ") 9", &rest, "-4321"].concat(),
            ["(11) 1", &rest[..3], "-4321"].concat(),
            ["(11) 0", &rest[..3], "-4321"].concat(),
            ["(11) 9", &rest, "-432"].concat(),
            ["(1) 9", &rest, "-4321"].concat(),
            ["f(11) 9", &rest, "-4321"].concat(),
            ["(11)  9", &rest, "--4321"].concat(),
            ["(11) 9", &rest, "-4321x"].concat(),
        ] {
            corpus.leaves(rule, Edges::Strict, &text);
        }
    }
    for text in [
        "(11)",
        "(11) 2026",
        "(21) 10/20",
        "(xx) 9xxxx-xxxx",
        "call(11)",
        "(2024) 2025-2026",
        "(10) 1000-2000",
        "+55",
        "55 (5)",
        "(11) ****-4321",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}

fn bare(corpus: &mut Corpus) {
    let rule = "br_phone_bare";
    for turn in 0..40 {
        let area = AREAS[turn % AREAS.len()];
        let local = local(corpus, turn).replace('.', "-");
        let value = match turn % 4 {
            0 => [area, " ", &local].concat(),
            1 => ["55", area, &local].concat(),
            2 => ["55 ", area, " ", &local].concat(),
            _ => [area, "-", &local].concat(),
        };
        corpus.finds(rule, Edges::Number, &value);
    }
    for turn in 0..30 {
        let rest = corpus.random.text(DIGITS, 4);
        let mobile = ["9", &rest, "-", &corpus.random.text(DIGITS, 4)].concat();
        corpus.finds(rule, Edges::Number, &mobile);
        let area = ["20", "23", "25", "26", "29", "30", "36", "39", "52", "56"][turn % 10];
        for text in [
            [area, " 9", &rest, "-4321"].concat().replace("-", "  "),
            [area, "9", &rest, "4321"].concat(),
            ["11 1", &rest[..3], "-4321"].concat(),
            ["11 0", &rest[..3], "-4321"].concat(),
            ["x119", &rest, "4321"].concat(),
            ["0.119", &rest, "4321"].concat(),
            ["8", &rest, "-4321"].concat(),
            ["119", &rest, "4321a"].concat(),
        ] {
            corpus.leaves_to_another(rule, &text);
        }
    }
    corpus.leaves_lookalikes(rule);
}

fn abroad(corpus: &mut Corpus) {
    let rule = "phone_number";
    for turn in 0..48 {
        let digits = corpus.random.text("123456789", 8);
        let (one, two) = digits.split_at(4);
        let value = match turn % 16 {
            0 => ["+1 (212) ", &one[..3], "-", two].concat(),
            1 => ["+1", "415", &one[..3], two].concat(),
            2 => ["+44 20 ", one, " ", two].concat(),
            3 => ["+44 (0)20 ", one, " ", two].concat(),
            4 => ["+49 30 ", one, two].concat(),
            5 => ["+33 6 ", &one[..2], " ", &one[2..], " ", &two[..2], " ", &two[2..]].concat(),
            6 => ["+351 9", &one[..2], " ", &digits[2..5], " ", &digits[5..8]].concat(),
            7 => ["+34 6", &one[..2], " ", &digits[2..5], " ", &digits[5..8]].concat(),
            8 => ["+39 06 ", one, two].concat(),
            9 => ["+7 495 ", &one[..3], "-", &two[..2], "-", &two[2..]].concat(),
            10 => ["+86 138 ", one, " ", two].concat(),
            11 => ["+81-3-", one, "-", two].concat(),
            12 => ["+54 9 11 ", one, "-", two].concat(),
            13 => ["+354 ", &one[..3], " ", two].concat(),
            14 => ["+91.9", one, ".", &two[..3], "22"].concat(),
            _ => ["+5511", "9", one, two].concat(),
        };
        corpus.finds(rule, Edges::Strict, &value);
    }
    for turn in 0..30 {
        let digits = corpus.random.text("123456789", 9);
        for text in [
            ["+0", &digits].concat(),
            ["+1 1", &digits].concat(),
            ["+1 212", &digits[..6]].concat(),
            ["+210 ", &digits[..7]].concat(),
            ["+49 30 ", &digits[..4]].concat(),
            ["x+49 30", &digits[..8]].concat(),
            ["1+4930", &digits[..8]].concat(),
            ["+49 0", &digits].concat(),
            ["+ 4930", &digits[..8]].concat(),
            ["++4930", &digits[..8]].concat(),
            ["+55 20 9", &digits[..8]].concat(),
            ["+800", &digits].concat(),
            ["+49/30/", &digits[..8]].concat(),
        ] {
            if turn % 3 == 0 || text.starts_with("+1") {
                corpus.leaves(rule, Edges::Strict, &text);
            }
        }
    }
    for text in [
        "+1000000",
        "+2500000",
        "+20240101",
        "+1.5",
        "+3,141,592",
        "a+b",
        "x +1234",
        "C++20",
        "+100%",
        "+03:00",
        "T12:00:00+01:00",
        "1e+10",
        "+55",
        "GMT+1",
        "+12.50",
        "+1-2-3",
    ] {
        corpus.leaves(rule, Edges::Strict, text);
    }
    corpus.leaves_lookalikes(rule);
}
