use super::*;

fn parse(text: &str) -> Settings {
    Settings::parse(text).unwrap()
}

fn switches(of: &[(&str, bool)]) -> Vec<(String, bool)> {
    of.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect()
}

#[test]
fn words_and_an_empty_object_stand_for_all_of_it() {
    assert_eq!(parse(" on\n"), Settings::default());
    assert_eq!(parse("{}"), Settings::default());
    assert_eq!(parse(r#"{"rules": null, "max_hold": null}"#), Settings::default());
    assert_eq!(parse("off"), Settings::off());
}

#[test]
fn every_field_is_read_in_both_spellings() {
    let snake = r#"{
        "rules": {"email": true, "all": false},
        "values": ["correct horse", {"name": "db", "value": "hunter2hunter2"}],
        "blocklist": ["Project X"],
        "patterns": [
            {"name": "order", "pattern": "ORD-[0-9]{6}", "style": "last_four", "max_hold": 64, "overflow": "abort"},
            {"name": "ticket", "pattern": "T[0-9]+"}
        ],
        "style": {"default": "same_length", "pii": {"fixed": "[gone]"}, "email": "token"},
        "key": "k",
        "max_hold": {"default": 128, "pem": 4096},
        "overflow": {"default": "release", "pem": "redact"},
        "allow": {"values": ["a@b.co"], "images": ["*.example.com"], "links": []},
        "links": {"strip_query": true, "show_target": true},
        "invisible": false,
        "escapes": false,
        "mode": "dry_run",
        "client_arguments": ["email", "-jwt"]
    }"#;
    let expected = Settings {
        rules: switches(&[("all", false), ("email", true)]),
        values: vec![
            Value { name: None, value: "correct horse".into() },
            Value { name: Some("db".into()), value: "hunter2hunter2".into() },
        ],
        blocklist: vec!["Project X".into()],
        patterns: vec![
            Pattern { name: "order".into(), pattern: "ORD-[0-9]{6}".into() },
            Pattern { name: "ticket".into(), pattern: "T[0-9]+".into() },
        ],
        style: Choice {
            default: Style::SameLength,
            by: vec![
                ("pii".into(), Style::Fixed("[gone]".into())),
                ("email".into(), Style::Token),
                ("order".into(), Style::LastFour),
            ],
        },
        key: b"k".to_vec(),
        max_hold: Choice { default: 128, by: vec![("pem".into(), 4096), ("order".into(), 64)] },
        overflow: Choice {
            default: Overflow::Release,
            by: vec![("pem".into(), Overflow::Redact), ("order".into(), Overflow::Abort)],
        },
        allow: Allow {
            values: vec!["a@b.co".into()],
            images: Some(vec!["*.example.com".into()]),
            links: Some(Vec::new()),
        },
        links: Links { strip_query: true, show_target: true },
        invisible: false,
        escapes: false,
        mode: Mode::DryRun,
        client_arguments: switches(&[("email", true), ("jwt", false)]),
    };
    let read = parse(snake);
    assert!(read == expected);
    let camel = ["max_hold", "last_four", "same_length", "strip_query", "show_target", "dry_run", "client_arguments"];
    let camel = camel.iter().fold(snake.to_owned(), |text, name| {
        let (first, second) = name.split_once('_').unwrap();
        text.replace(name, &format!("{first}{}{}", second[..1].to_uppercase(), &second[1..]))
    });
    assert!(!camel.contains("_hold") && parse(&camel) == expected);
}

#[test]
fn one_word_is_for_all_rules() {
    let settings = parse(r#"{"style": {"fixed": "***"}, "max_hold": 32, "overflow": "abort", "mode": "block"}"#);
    assert_eq!(settings.style, Choice { default: Style::Fixed("***".into()), by: Vec::new() });
    assert_eq!(settings.max_hold, Choice { default: 32, by: Vec::new() });
    assert_eq!((settings.overflow.default, settings.mode), (Overflow::Abort, Mode::Block));
}

#[test]
fn in_an_object_the_narrower_name_comes_later() {
    let settings = parse(
        r#"{"rules": {"br": true, "cpf": false, "pii": false, "all": true}, "style": {"email": "token", "pii": "label"}}"#,
    );
    assert_eq!(settings.rules, switches(&[("all", true), ("pii", false), ("br", true), ("cpf", false)]));
    assert_eq!(settings.style.by, [("pii".to_owned(), Style::Label), ("email".to_owned(), Style::Token)]);
}

#[test]
fn a_list_of_switches_keeps_its_order() {
    let settings = parse(r#"{"rules": ["-all", "pii", "-email"]}"#);
    assert_eq!(settings.rules, switches(&[("all", false), ("pii", true), ("email", false)]));
}

#[test]
fn a_value_may_stand_in_a_variable() {
    let text = r#"{"values": [{"name": "db", "env": "DB_PASSWORD"}]}"#;
    let secret = |name: &str| (name == "DB_PASSWORD").then(|| "hunter2hunter2".to_owned());
    let values = Settings::parse_with(text, &secret).unwrap().values;
    assert_eq!(values, [Value { name: Some("db".into()), value: "hunter2hunter2".into() }]);
    let both = text.replace("}]", r#", "value": "v"}]"#);
    let error = Settings::parse_with(&both, &secret).unwrap_err();
    assert_eq!(error.detail(), Some("values[0].value stands beside another value."));
    let error = Settings::parse(text).unwrap_err();
    assert_eq!(error.detail(), Some("values[0].env names no variable that is set here."));
}

#[test]
fn settings_that_are_wrong_say_where() {
    let whole = "The whole must be an object.";
    let style = "must be label, same_length, last_four, token, or {\"fixed\": a text}.";
    for (text, detail) in [
        ("", "Line 1, column 0 is not valid JSON."),
        ("{\n  \"rules\": [\"hunter2\",]\n}", "Line 2, column 23 is not valid JSON."),
        ("[]", whole),
        ("7", whole),
        (r#"{"rulez": {}}"#, "rulez is not known."),
        (r#"{"max_hold": 1, "maxHold": 2}"#, "max_hold is given twice."),
        (r#"{"rules": "email"}"#, "rules must be an object of true and false, or a list of names."),
        (r#"{"rules": {"email": 1}}"#, "rules.email must be true or false."),
        (r#"{"client_arguments": [1]}"#, "client_arguments must be an object of true and false, or a list of names."),
        (r#"{"values": "hunter2"}"#, "values must be a list."),
        (r#"{"values": ["a", ["hunter2"]]}"#, "values[1] must be an object."),
        (r#"{"values": [{"name": "db"}]}"#, "values[0] must be a text, or have a value."),
        (r#"{"values": [{"hunter2 is no name": 1}]}"#, "values[0].? is not known."),
        (r#"{"values": [{"hunter2": "db"}]}"#, "values[0].? is not known."),
        (r#"{"hunter2": true}"#, "? is not known."),
        (r#"{"rules": {"hunter2": "x"}}"#, "rules.? must be true or false."),
        (r#"{"rules": {"emial": "x"}}"#, "rules.emial must be true or false."),
        (r#"{"style": {"default": "hunter2"}}"#, &format!("style.default {style}")),
        (r#"{"style": {"hunter2": "label2"}}"#, &format!("style.? {style}")),
        (r#"{"blocklist": ["hunter2", {"hunter2": 1}]}"#, "blocklist[1] must be a text that is not empty."),
        (r#"{"patterns": [{"name": "a"}]}"#, "patterns[0] must have a name and a pattern."),
        (r#"{"patterns": [{"name": "a", "pattern": "b", "style": "bold"}]}"#, &format!("patterns[0].style {style}")),
        (r#"{"style": {"pii": {"fixed": 1}}}"#, &format!("style.pii {style}")),
        (r#"{"style": {"fixed": 1}}"#, &format!("style {style}")),
        (r#"{"key": ""}"#, "key must be a text that is not empty."),
        (r#"{"max_hold": {"pem": 4097}}"#, "max_hold.pem must be a whole number from 1 to 4096."),
        (r#"{"max_hold": 1.5}"#, "max_hold must be a whole number from 1 to 4096."),
        (r#"{"overflow": "drop"}"#, "overflow must be redact, release or abort."),
        (r#"{"allow": {"hosts": []}}"#, "allow.? is not known."),
        (r#"{"allow": {"value": []}}"#, "allow.value is not known."),
        (r#"{"links": {"strip_query": "yes"}}"#, "links.strip_query must be true or false."),
        (r#"{"invisible": 0}"#, "invisible must be true or false."),
        (r#"{"mode": "warn"}"#, "mode must be redact, block or dry_run."),
    ] {
        let error = Settings::parse(text).unwrap_err();
        assert_eq!((error.code(), error.detail()), ("invalid_filter", Some(detail)), "{text}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn no_secret_is_in_what_is_written_for_debugging() {
    let text = r#"{"values": ["hunter2", {"name": "db", "value": "hunter2"}], "blocklist": ["hunter2"], "key": "hunter2",
        "allow": {"values": ["hunter2"]}}"#;
    let settings = parse(text);
    let written = format!("{settings:?}{:?}", settings.values);
    assert!(!written.contains("hunter2") && written.contains("db"), "{written}");
}
