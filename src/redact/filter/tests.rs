//! Filters through their settings.

use super::OutputFilter;
use crate::redact::settings::{Choice, Mode, Settings, Style};
use crate::redact::{Filter, Known, Plan};
use std::rc::Rc;

fn key(body: &str) -> String {
    ["sk-", "ant-", body].concat()
}

fn filter(mode: Mode) -> OutputFilter {
    OutputFilter::new(&Settings { mode, ..Settings::default() }).unwrap()
}

/// What comes of a text in pieces of so many characters.
fn in_pieces(settings: &Settings, text: &str, size: usize) -> String {
    let mut filter = OutputFilter::new(settings).unwrap();
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(size).map(|piece| piece.iter().collect::<String>());
    let out: String = pieces.map(|piece| filter.push(&piece)).collect();
    out + &filter.flush()
}

const BODY: &str = "api03-0123456789abcdefghij";

#[test]
fn wherever_a_text_is_cut_it_comes_to_the_same_and_nothing_is_taken_back() {
    let text =
        format!("Olá 👋🏽 ana@firma.com.br\u{200B}, key {} and \u{1B}[1m4111 1111 1111 1111\u{1B}[0m é fim", key(BODY));
    let whole = {
        let mut filter = filter(Mode::Redact);
        filter.push(&text) + &filter.flush()
    };
    assert_eq!(whole, "Olá 👋🏽 [REDACTED:email], key [REDACTED:anthropic_key] and [REDACTED:card] é fim");
    for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
        let mut filter = filter(Mode::Redact);
        let mut out = filter.push(&text[..cut]);
        assert!(whole.starts_with(&out), "{cut}: {out}");
        out += &filter.push(&text[cut..]);
        out += &filter.flush();
        assert_eq!(out, whole, "cut at {cut}");
    }
    let mut filter = filter(Mode::Redact);
    let mut out = String::new();
    for character in text.chars() {
        out += &filter.push(&character.to_string());
        assert!(whole.starts_with(&out));
    }
    out += &filter.flush();
    assert_eq!(out, whole);
}

#[test]
fn what_is_passed_over_still_stands_before_a_term() {
    // Nothing begins with the first letters, or something does that comes to nothing; a term within a word is none.
    let settings = Settings { blocklist: vec!["falcon".to_owned(), "ss ab".to_owned()], ..Settings::default() };
    let everything = Settings {
        rules: crate::redact::rules().iter().map(|rule| (rule.name.to_owned(), true)).collect(),
        ..settings.clone()
    };
    for settings in [settings, everything] {
        for (text, expected) in [
            ("zfalcon", "zfalcon"),
            ("zzfalcon", "zzfalcon"),
            ("xFalcon", "xFalcon"),
            ("éfalcon", "éfalcon"),
            ("z, z\u{2014}falcon", "z, z\u{2014}[REDACTED:blocklist]"),
            ("sk-ss  ab", "sk-[REDACTED:blocklist]"),
            ("kss ab", "kss ab"),
        ] {
            for size in [1, 2, 3, 99] {
                assert_eq!(in_pieces(&settings, text, size), expected, "{text} by {size}");
            }
        }
    }
}

#[test]
fn a_value_that_is_waited_for_is_the_same_wherever_its_time_is_up() {
    // The time is up within a character of two bytes, long after the value has ended.
    let settings = Settings {
        blocklist: vec!["falcon".to_owned()],
        style: Choice { default: Style::Label, by: vec![("pii".to_owned(), Style::LastFour)] },
        ..Settings::default()
    };
    for front in ["", "a"] {
        let text = format!("{front} 529.982.247-25 {}", "é".repeat(200));
        let run = |size: usize| in_pieces(&settings, &text, size);
        assert!(run(1).contains("***.***.*47-25"));
        assert_eq!(run(1), run(1000));
    }
}

#[test]
fn an_allowed_address_may_go_on_behind_what_is_an_address_already() {
    let mut settings = Settings::default();
    settings.allow.values = vec!["ana@firma.com.br".to_owned()];
    for (text, expected) in [
        ("Write to Ana@firma.com.br.", "Write to Ana@firma.com.br."),
        ("Write to ana@firma.com.br.example.org!", "Write to [REDACTED:email]!"),
        ("Write to eva@firma.com.br.", "Write to [REDACTED:email]."),
        ("Write to ana@firma.com.bra", "Write to [REDACTED:email]"),
    ] {
        for size in [1, 5, 99] {
            assert_eq!(in_pieces(&settings, text, size), expected, "{text} by {size}");
        }
    }
}

#[test]
fn the_rules_alone_do_what_the_settings_by_default_do_but_for_the_stages() {
    let mut rules = OutputFilter::with(Rc::new(Plan::of_rules()));
    let mut whole = filter(Mode::Redact);
    let text = format!("ana@firma.com.br 4111 1111 1111 1111 {} postgres://eva:{}@db x", key(BODY), "hunter".repeat(2));
    let out = rules.push(&text) + &rules.flush();
    assert_eq!(out, whole.push(&text) + &whole.flush());
    assert!(out.matches("[REDACTED:").count() == 4, "{out}");
    assert_eq!(rules.push("a\u{200B}b") + &rules.flush(), "a\u{200B}b");
}

#[test]
fn it_says_whether_what_left_is_the_input_as_it_was() {
    let mut filter = filter(Mode::Redact);
    let mut out = String::new();
    let mut push = |text: &str| {
        out.clear();
        let same = filter.push_into(text, &mut out);
        (same, out.clone(), filter.held())
    };
    assert_eq!(push("plain wor"), (true, "plain ".into(), 3));
    assert_eq!(push("ds, "), (true, "words, ".into(), 0));
    // What a stage has changed is not what was pushed, until it has left.
    assert_eq!(push("a\u{200B}b"), (false, "".into(), 2));
    let (same, text, _) = push("c d ");
    assert_eq!((same, text.as_str()), (false, "abc d "));
    assert_eq!(push("more "), (true, "more ".into(), 0));
    let (same, text, _) = push("a@firma.co ");
    assert_eq!((same, text.as_str()), (false, "[REDACTED:email] "));
    assert_eq!(push("more "), (true, "more ".into(), 0));
}

#[test]
fn a_dry_run_changes_nothing_holds_nothing_and_counts_as_if() {
    let text = format!("a {} ana@firma.co\u{200B} z", key(BODY));
    let mut filter = filter(Mode::DryRun);
    let mut out = String::new();
    for character in text.chars() {
        assert!(filter.push_into(&character.to_string(), &mut out));
        assert_eq!(filter.held(), 0);
    }
    assert!(filter.flush_into(&mut out));
    assert_eq!(out, text);
    assert!(!filter.blocked());
    let counts: Vec<(&str, u64)> = filter.counts().collect();
    assert_eq!(counts, [("anthropic_key", 1), ("email", 1), ("invisible", 1)]);
    let spans: Vec<(&str, u64, u64)> = filter.spans().map(|span| (span.rule, span.start, span.end)).collect();
    let end = 2 + key(BODY).len() as u64;
    assert_eq!(spans, [("anthropic_key", 2, end), ("email", end + 1, end + 13)]);
}

#[test]
fn a_blocked_text_stays_blocked_until_it_is_dropped() {
    let mut filter = filter(Mode::Block);
    let mut out = filter.push("to ana@firma.co ");
    assert!(Filter::blocked(&filter));
    out += &filter.push("and more");
    out += &filter.flush();
    assert_eq!(out, "to ");
    assert!(Filter::blocked(&filter));
    Filter::reset(&mut filter);
    assert!(!Filter::blocked(&filter));
    assert_eq!(filter.push("and more "), "and more ");
}

#[test]
fn an_attempt_that_died_leaves_nothing_and_its_counts_stay() {
    let mut filter = filter(Mode::Redact);
    let out = filter.push("to ana@firma.co, bea@fi");
    assert_eq!(out, "to [REDACTED:email], ");
    filter.abort();
    assert_eq!(filter.push("rma.co ") + &filter.flush(), "rma.co ");
    assert_eq!(filter.counts().collect::<Vec<_>>(), [("email", 1)]);
    assert_eq!(filter.spans().count(), 0);
}

#[test]
fn spans_are_bounded_and_say_how_many_are_missing() {
    let mut filter = filter(Mode::Redact);
    filter.push(&"ana@firma.co ".repeat(1200));
    filter.flush();
    assert_eq!(filter.spans().count(), 1000);
    assert_eq!(filter.spans_dropped(), 200);
    assert_eq!(filter.counts().collect::<Vec<_>>(), [("email", 1200)]);
    // They are of the last text.
    filter.push("ana@firma.co");
    filter.flush();
    assert_eq!((filter.spans().count(), filter.spans_dropped()), (1, 0));
}

#[test]
fn many_filters_share_a_plan_and_nothing_else() {
    let settings =
        Settings { values: vec![Known { name: None, value: "hunter2-hunter2".to_owned() }], ..Settings::default() };
    let plan = std::rc::Rc::new(crate::redact::Plan::new(&settings).unwrap());
    let (mut one, mut two) = (OutputFilter::with(plan.clone()), OutputFilter::with(plan));
    assert_eq!(one.push("hunter2-"), "");
    assert_eq!(two.push("hunter2 "), "hunter2 ");
    assert_eq!(one.push("hunter2 "), "[REDACTED:value] ");
    assert_eq!(two.counts().count(), 0);
}

#[test]
fn steps_a_byte_are_few_on_what_people_write_and_bounded_on_what_nobody_does() {
    let steps = |text: &str| {
        let mut filter = filter(Mode::Redact);
        filter.push(text);
        assert!(filter.held() <= 256 + 4, "{} bytes are held", filter.held());
        filter.flush();
        filter.steps() as f64 / text.len() as f64
    };
    let plain = "The quick brown fox jumps over the lazy dog, and then it sleeps. O rato roeu a roupa. ";
    assert!(steps(&plain.repeat(100)) < 2.0, "{}", steps(&plain.repeat(100)));
    let begin = ["-----", "BEGIN "].concat();
    for piece in [
        "1 2-1 2.",
        "4111 1111 ",
        "a@a@a@",
        "a@a.aa",
        "eyJ",
        "sk-",
        &begin,
        "deadbeef0123:",
        ".",
        "1.",
        "A1B2",
        "+1 (",
        "//a:",
    ] {
        let (some, more) =
            (steps(&piece.repeat((1 << 14) / piece.len())), steps(&piece.repeat((1 << 17) / piece.len())));
        assert!(more < 40.0, "{piece}: {more} steps a byte");
        assert!(more < some * 1.1 + 1.0, "{piece}: {some} and then {more} steps a byte");
    }
}
