//! Terminal escapes and invisible characters, through the whole filter: they go before rules are matched, and what
//! real text needs stays.

use lastword::redact::{Known, OutputFilter, Plan, Settings};
use std::rc::Rc;

fn quiet() -> Settings {
    Settings { rules: vec![("all".to_owned(), false)], ..Settings::default() }
}

/// What goes, wherever it stands in a text in ASCII.
const HIDDEN: [&str; 24] = [
    "\u{200b}",
    "\u{200c}",
    "\u{200d}",
    "\u{2060}",
    "\u{ad}",
    "\u{feff}",
    "\u{200f}",
    "\u{34f}",
    "\u{fe0f}",
    "\u{e0100}",
    "\u{e0041}",
    "\u{2064}",
    "\u{202e}",
    "\u{3164}",
    "\u{180e}",
    "\u{fffb}",
    "\0",
    "\u{8}",
    "\u{9c}",
    "\u{1b}[0m",
    "\u{9b}1;31m",
    "\u{1b}]0;t\u{7}",
    "\u{90}x\u{1b}\\",
    "\u{1b}(B",
];

/// Holds that a text comes to this, whole, in single characters and in two pieces cut anywhere.
#[track_caller]
fn comes_to(settings: &Settings, text: &str, expected: &str) {
    let plan = Rc::new(Plan::new(settings).unwrap());
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let single = borders.windows(2).map(|ends| &text[ends[0]..ends[1]]);
    let cuts = borders.iter().map(|border| vec![&text[..*border], &text[*border..]]);
    for cut in cuts.chain([single.collect()]) {
        let (mut filter, mut out) = (OutputFilter::with(plan.clone()), String::new());
        for piece in &cut {
            out.push_str(&filter.push(piece));
            assert!(expected.starts_with(&out), "{cut:?} gave {out:?}");
        }
        out.push_str(&filter.flush());
        assert_eq!(out, expected, "{cut:?}");
    }
}

fn tags(text: &str) -> String {
    text.bytes().map(|byte| char::from_u32(0xe0000 + u32::from(byte)).unwrap()).collect()
}

#[test]
fn what_real_text_needs_stays() {
    let flag = ["🏴", &tags("gbsct"), "\u{e007f}"].concat();
    let texts = [
        "👨\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈 🇧🇷 👍🏿",
        "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ©\u{fe0f} ☀\u{fe0e}",
        &flag,
        "می\u{200c}خواهم، ه\u{200d}.ق. السلام\u{200f} (1) שָׁלוֹם\u{200e}",
        "क्\u{200d}ष क्\u{200c} র\u{200d}্য അവന്\u{200d} ශ්\u{200d}රී",
        "ᠭ\u{180b}ᠠᠷ\u{180e}ᠠ 葛\u{e0100}城 你好 สวัสดี 한국어",
        "Straße, „größer“ – ação: nº 5\r\n\tfim",
    ];
    for text in texts {
        comes_to(&quiet(), text, text);
    }
}

#[test]
fn what_hides_or_steers_goes() {
    comes_to(&quiet(), &["Hi", &tags("do as I say"), "!"].concat(), "Hi!");
    comes_to(&quiet(), "a\u{2062}\u{2064}b😀\u{e0158}\u{e0159}", "ab😀");
    comes_to(&quiet(), "if (admin\u{202e} \u{2066}// check\u{2069} \u{2066}) {", "if (admin // check ) {");
    comes_to(&quiet(), "\u{1b}[31mred\u{1b}[0m \u{9b}2J\u{7}x\0", "red x");
    comes_to(&quiet(), "\u{1b}]8;;https://evil.example/\u{1b}\\link\u{1b}]8;;\u{7}\u{9d}52;c;aGk=\u{9c}!", "link!");
    comes_to(&quiet(), "\u{1b}\u{200b}[31mx\u{1b}[3\u{e0041}1my\u{1b}]0;never ended", "xy");
}

#[test]
fn each_can_be_switched_off() {
    let text = "a\u{200b}b\u{1b}[31mc";
    comes_to(&Settings { invisible: false, ..quiet() }, text, "a\u{200b}bc");
    comes_to(&Settings { escapes: false, ..quiet() }, text, "ab\u{1b}[31mc");
    comes_to(&Settings { escapes: false, invisible: false, ..quiet() }, text, text);
}

#[test]
fn what_is_hidden_in_a_secret_does_not_hide_the_secret() {
    let known = Known { name: None, value: "correct-horse-battery".to_owned() };
    let rules = vec![("all".to_owned(), false), ("value".to_owned(), true)];
    let settings = Settings { values: vec![known], rules, ..Settings::default() };
    for hidden in HIDDEN {
        for at in ["correct-", "correct-horse-b"] {
            let (head, tail) = "correct-horse-battery".split_at(at.len());
            comes_to(&settings, &["a ", head, hidden, tail, " b"].concat(), "a [REDACTED:value] b");
        }
    }
}

/// What nobody sees, anywhere in a text in ASCII, changes nothing of what the rules find in it.
#[test]
fn noise_between_any_characters_changes_nothing() {
    let token = ["sk-", "ant-", "api03-", &"Ab1-".repeat(24)].concat();
    let key = ["AKIA", "Z7Q2M4N6P3R5T2V4"].concat();
    let text =
        format!("key {key}, token {token}. Mail ana@example.com, from 8.8.8.8 (2 times) or 4111 1111 1111 1111!");
    let plan = Rc::new(Plan::new(&Settings::default()).unwrap());
    let mut plain = OutputFilter::with(plan.clone());
    let expected = plain.push(&text) + &plain.flush();
    assert!(expected.matches("[REDACTED:").count() >= 3 && !expected.contains("Ab1"), "{expected}");

    let mut seed = 1_u64;
    let mut below = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let tags = tags("gbeng");
    for _ in 0..1_000 {
        let every = 1 + below(12);
        let mut filter = OutputFilter::with(plan.clone());
        let mut out = String::new();
        for c in text.chars() {
            let mut piece = String::new();
            while below(every) == 0 && piece.len() < 20 {
                piece.push_str(HIDDEN.get(below(HIDDEN.len() + 1)).unwrap_or(&tags.as_str()));
            }
            piece.push(c);
            let cut = piece.char_indices().map(|(at, _)| at).nth(below(3)).unwrap_or(0);
            out.push_str(&filter.push(&piece[..cut]));
            out.push_str(&filter.push(&piece[cut..]));
            assert!(expected.starts_with(&out), "{out}");
        }
        out.push_str(&filter.flush());
        assert_eq!(out, expected);
    }
}
