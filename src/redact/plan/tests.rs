//! Settings that are taken, and those that are not.

use super::super::settings::{Allow, Choice, HARD_HOLD, Mode, Overflow, Pattern, Settings, Style};
use super::super::{Known, OutputFilter, Plan};
use crate::ErrorKind;

fn whole(settings: &Settings, text: &str) -> String {
    let mut filter = OutputFilter::new(settings).expect("the settings are good");
    let mut out = filter.push(text);
    out += &filter.flush();
    out
}

#[track_caller]
fn refused(settings: &Settings, with: &str) {
    let error = Plan::new(settings).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidFilter);
    let detail = error.detail().unwrap();
    assert!(detail.contains(with), "{detail}");
}

fn pattern(name: &str, pattern: &str) -> Pattern {
    Pattern { name: name.to_owned(), pattern: pattern.to_owned() }
}

fn value(name: Option<&str>, value: &str) -> Known {
    Known { name: name.map(str::to_owned), value: value.to_owned() }
}

fn by<T: Clone>(default: T, by: &[(&str, T)]) -> Choice<T> {
    Choice { default, by: by.iter().map(|(name, chosen)| (name.to_string(), chosen.clone())).collect() }
}

#[test]
fn what_is_wrong_is_named() {
    let base = Settings::default;
    refused(
        &Settings { rules: vec![("emial".into(), true)], ..base() },
        "rules: there is no rule and no group `emial`",
    );
    for (list, value) in [
        ("rules", "true"),
        ("client_arguments", "true"),
        ("style", r#""label""#),
        ("max_hold", "1"),
        ("overflow", r#""abort""#),
    ] {
        let settings = Settings::parse(&format!(r#"{{"{list}": {{"hunter2-hunter2": {value}}}}}"#)).unwrap();
        let error = Plan::new(&settings).unwrap_err();
        let detail = error.detail().unwrap();
        assert!(detail.starts_with(list) && !detail.contains("hunter2"), "{detail}");
    }
    refused(&Settings { client_arguments: vec![("nobody".into(), true)], ..base() }, "client_arguments: ");
    refused(&Settings { style: by(Style::Label, &[("nobody", Style::Label)]), ..base() }, "style: there is no");
    refused(&Settings { max_hold: by(256, &[("nobody", 100)]), ..base() }, "max_hold: there is no");
    refused(
        &Settings { overflow: by(Overflow::Redact, &[("nobody", Overflow::Abort)]), ..base() },
        "overflow: there is no",
    );
    refused(&Settings { values: vec![value(None, "long enough"), value(None, "short")], ..base() }, "values[1]");
    refused(&Settings { values: vec![value(Some("email"), "long enough")], ..base() }, "values[0].name");
    refused(&Settings { blocklist: vec!["fine".into(), " ".into()], ..base() }, "blocklist[1]");
    refused(&Settings { patterns: vec![pattern("email", "a+")], ..base() }, "patterns[0].name");
    refused(&Settings { patterns: vec![pattern("own", "a+"), pattern("own", "b+")], ..base() }, "patterns[1].name");
    refused(&Settings { patterns: vec![pattern("a", "b"), pattern("own", "ab(c")], ..base() }, "patterns[1].pattern");
    refused(&Settings { patterns: vec![pattern("own", "ab(c")], ..base() }, "at byte");
    refused(&Settings { style: by(Style::Label, &[("email", Style::Token)]), ..base() }, "key: ");
    refused(&Settings { style: by(Style::LastFour, &[]), ..base() }, "style: ");
    refused(&Settings { style: by(Style::Fixed("x".repeat(257)), &[]), ..base() }, "at most 256 bytes");
    Plan::new(&Settings { style: by(Style::Fixed("x".repeat(256)), &[]), ..base() }).unwrap();
    refused(&Settings { style: by(Style::Label, &[("private_key", Style::LastFour)]), ..base() }, "style: private_key");
    refused(&Settings { max_hold: by(HARD_HOLD + 1, &[]), ..base() }, "4096");
    refused(&Settings { max_hold: by(256, &[("email", 10)]), ..base() }, "max_hold: email needs at least");
}

#[test]
fn what_no_rule_that_is_on_needs_is_no_error() {
    let style = by(Style::Label, &[("private_key", Style::LastFour)]);
    let settings = Settings { style, rules: vec![("private_key".into(), false)], ..Settings::default() };
    assert!(Plan::new(&settings).is_ok());
    let token =
        Settings { style: by(Style::Label, &[("email", Style::Token)]), key: b"key".to_vec(), ..Settings::default() };
    assert!(whole(&token, "a@firma.co").starts_with("[email:"));
}

#[test]
fn a_rules_own_switch_wins_over_its_groups_and_the_later_of_two() {
    let text = "ana@firma.co 10.0.0.1";
    let switched = |rules: &[(&str, bool)]| {
        let rules = rules.iter().map(|(name, on)| (name.to_string(), *on)).collect();
        whole(&Settings { rules, ..Settings::default() }, text)
    };
    assert_eq!(switched(&[]), "[REDACTED:email] 10.0.0.1");
    assert_eq!(switched(&[("all", false)]), text);
    assert_eq!(switched(&[("pii", false)]), text);
    assert_eq!(switched(&[("email", true), ("all", false)]), "[REDACTED:email] 10.0.0.1");
    assert_eq!(switched(&[("all", false), ("pii", true)]), "[REDACTED:email] 10.0.0.1");
    assert_eq!(switched(&[("ipv4_private", true)]), "[REDACTED:email] [REDACTED:ipv4_private]");
}

#[test]
fn a_choice_is_the_rules_own_else_its_groups_else_the_default() {
    let fixed = |text: &str| Style::Fixed(text.to_owned());
    let style = by(fixed("-"), &[("pii", fixed("pii")), ("email", fixed("email")), ("network", fixed("net"))]);
    let settings = Settings { style, patterns: vec![pattern("order", "order-[0-9]{4}")], ..Settings::default() };
    assert_eq!(whole(&settings, "ana@firma.co, 8.8.4.41, order-1234"), "email, net, -");
}

#[test]
fn the_users_own_rules_come_first_and_values_values_first() {
    let settings = Settings {
        values: vec![value(Some("mine"), "secret@firma.co"), value(None, "unnamed secret")],
        blocklist: vec!["unnamed".into()],
        patterns: vec![pattern("mail", "[a-z]+@firma\\.co")],
        mode: Mode::Redact,
        ..Settings::default()
    };
    let mut filter = OutputFilter::new(&settings).unwrap();
    let mut out = filter.push("secret@firma.co, unnamed secret, ana@firma.co, bea@firma.com");
    out += &filter.flush();
    assert_eq!(out, "[REDACTED:mine], [REDACTED:blocklist], [REDACTED:mail], [REDACTED:mail]");
    let counts: Vec<(&str, u64)> = filter.counts().collect();
    assert_eq!(counts, [("mine", 1), ("blocklist", 1), ("mail", 2)]);
}

#[test]
fn a_list_of_hosts_has_hosts_alone() {
    let lists = |entry: &str| {
        let list = Some(vec!["a.example".to_owned(), entry.to_owned()]);
        let allow = Allow { images: list, ..Allow::default() };
        let images = Settings { allow: allow.clone(), ..Settings::default() };
        let allow = Allow { links: allow.images, ..Allow::default() };
        [("allow.images[1] must be", images), ("allow.links[1] must be", Settings { allow, ..Settings::default() })]
    };
    for entry in [
        "https://a.example",
        "a.example/",
        "a.example/x",
        "//a.example",
        " a.example",
        "a example",
        "*",
        "*.",
        "*a.example",
        "a.*",
        "*.*.a",
        "",
        ".",
        "a@b.example",
        "[::1]",
        "münchen.example",
        "a.example:",
        "a.example:80:80",
        "a.example:123456",
    ] {
        lists(entry).iter().for_each(|(with, settings)| refused(settings, with));
    }
    for entry in
        ["b.example", "*.b.example", "localhost:3000", "B.Example.", "xn--mnchen-3ya.example", "127.0.0.1", "a_b"]
    {
        lists(entry).iter().for_each(|(_, settings)| assert!(Plan::new(settings).is_ok(), "{entry}"));
    }
}

#[test]
fn literals_are_sought_as_they_stand_behind_the_stages() {
    let literals = |escapes, invisible| Settings {
        values: vec![value(None, "pass\u{ad}\u{8}word")],
        blocklist: vec!["Ac\u{200b}me".into()],
        escapes,
        invisible,
        ..Settings::default()
    };
    let text = "pass\u{ad}\u{8}word ac\u{200b}me acme";
    assert_eq!(whole(&literals(true, true), text), "[REDACTED:value] [REDACTED:blocklist] [REDACTED:blocklist]");
    assert_eq!(whole(&literals(false, false), text), "[REDACTED:value] [REDACTED:blocklist] acme");
    refused(&Settings { values: vec![value(None, "\u{200b}\u{200b}ab")], ..Settings::default() }, "values[0]");
}
