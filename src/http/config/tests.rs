use super::*;

fn read(vars: &[(&str, &str)]) -> Result<Config, Error> {
    Config::read(|name| {
        let found = vars.iter().find(|(known, _)| name.strip_prefix("LASTWORD_") == Some(known));
        found.map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_defaults_need_no_key_and_no_network() {
    let config = read(&[]).unwrap();
    assert_eq!((config.provider.clone(), config.heartbeat, config.lease), (Provider::Replay, 15_000, 30_000));
    assert_eq!((config.stream, read(&[("STREAM", "7")]).unwrap().stream), (3_600_000, 7_000));
    assert_eq!(config.model_for(None).unwrap(), DEFAULT_RECORDING);
    assert_eq!(config.model_for(Some("replay/nothing")).unwrap_err().code(), "unknown_model");
}

#[test]
fn the_store_is_chosen_by_name() {
    assert_eq!(read(&[]).unwrap().store, Store::DurableObject);
    assert_eq!(read(&[("STORE", "durable-object")]).unwrap().store, Store::DurableObject);
    assert_eq!(read(&[("STORE", "kv")]).unwrap().store, Store::WorkersKv);
    assert!(read(&[("STORE", "KV")]).unwrap_err().detail().unwrap().contains("STORE"));
}

#[test]
fn how_old_a_read_of_kv_may_be_is_configured_and_told() {
    let staleness = |vars: &[(&str, &str)]| read(vars).unwrap().traits.staleness;
    assert_eq!(staleness(&[("STORE", "kv")]), 60_000);
    assert_eq!(staleness(&[("STORE", "kv"), ("KV_STALENESS", "90")]), 90_000);
    assert_eq!(staleness(&[("KV_STALENESS", "90")]), 0, "an object's reads are never old");
    assert_eq!(read(&[("LEASE", "1")]).unwrap().lease, 1_000);
    assert!(read(&[("STORE", "kv"), ("LEASE", "4")]).unwrap_err().detail().unwrap().contains("LEASE"));
    let told = |vars: &[(&str, &str)], kind: ErrorKind| read(vars).unwrap().told(kind.into());
    let stale = told(&[("STORE", "kv")], ErrorKind::UnknownRun);
    assert_eq!((stale.code(), stale.retry_after()), ("maybe_stale", Some(60_000)));
    assert_eq!(told(&[], ErrorKind::UnknownRun), ErrorKind::UnknownRun.into());
    assert_eq!(told(&[("STORE", "kv")], ErrorKind::Forbidden), ErrorKind::Forbidden.into());
}

#[test]
fn once_is_required_by_its_exact_word() {
    assert!(!read(&[]).unwrap().exactly_once);
    assert!(read(&[("EXACTLY_ONCE", "required")]).unwrap().exactly_once);
    assert!(read(&[("EXACTLY_ONCE", "true")]).unwrap_err().detail().unwrap().contains("EXACTLY_ONCE"));
}

#[test]
fn what_has_ended_is_kept_until_it_is_deleted_unless_a_time_is_named() {
    assert_eq!(read(&[]).unwrap().keep, Keep::default());
    let keep = read(&[("RETENTION", "86400"), ("PRIVATE_RETENTION", "60")]).unwrap().keep;
    assert_eq!(keep, Keep { runs: Some(86_400_000), private: Some(60_000) });
    for (name, value) in [("RETENTION", "0"), ("RETENTION", "1d"), ("PRIVATE_RETENTION", "-1")] {
        assert!(read(&[(name, value)]).unwrap_err().detail().unwrap().contains(name));
    }
    // No key expires sooner there, and none before another of its run.
    assert_eq!(read(&[("STORE", "kv"), ("RETENTION", "60")]).unwrap().keep.runs, Some(60_000));
    for (name, value) in [("RETENTION", "59"), ("PRIVATE_RETENTION", "60")] {
        let error = read(&[("STORE", "kv"), (name, value)]).unwrap_err();
        assert_eq!(error.code(), "not_configured");
        assert!(error.detail().unwrap().contains(name));
    }
}

#[test]
fn an_upstream_needs_an_address_and_a_model() {
    let asked = [("PROVIDER", "chat-completions"), ("UPSTREAM_URL", "http://127.0.0.1:1/v1/"), ("MODEL", "m")];
    let config = read(&asked).unwrap();
    let url = "http://127.0.0.1:1/v1/".to_owned();
    assert_eq!(config.provider, Provider::Upstream(Upstream { format: Format::ChatCompletions, url, key: None }));
    assert_eq!(config.model_for(Some("any")).unwrap(), "any");
    for n in 1..3 {
        let error = read(&asked[..n]).unwrap_err();
        assert!(error.code() == "not_configured" && error.detail().unwrap().contains(asked[n].0));
    }
}

#[test]
fn an_agent_that_speaks_signals_needs_an_address_alone() {
    let config = read(&[("PROVIDER", "signals"), ("UPSTREAM_URL", "http://127.0.0.1:1/agent")]).unwrap();
    let url = "http://127.0.0.1:1/agent".to_owned();
    assert_eq!(config.provider, Provider::Upstream(Upstream { format: Format::Signals, url, key: None }));
    assert_eq!((config.provider.format(), config.model.as_str()), (Format::Signals, "agent"));
    let error = read(&[("PROVIDER", "signals")]).unwrap_err();
    assert!(error.detail().unwrap().contains("UPSTREAM_URL"));
}

#[test]
fn options_of_the_rule_are_off_unless_they_are_named_exactly() {
    assert_eq!(read(&[]).unwrap().rule, Rule::default());
    assert_eq!(read(&[("TRUNCATED", "publish"), ("BLANK", "publish"), ("EARLY", "")]).unwrap().rule, Rule::default());
    let all = read(&[("TRUNCATED", "withhold"), ("BLANK", "suppress"), ("EARLY", "final_answer")]).unwrap();
    assert_eq!(all.rule, Rule { withhold_truncated: true, suppress_blank: true, early: true });
    for (name, value) in [("TRUNCATED", "true"), ("BLANK", "Suppress"), ("EARLY", "1"), ("EARLY", "true")] {
        assert!(read(&[(name, value)]).unwrap_err().detail().unwrap().contains(name));
    }
}

#[test]
fn public_switches_are_on_only_for_an_exact_true() {
    let switches = |config: Config| {
        let Config { public_intermediate, public_thinking, public_tools, public_working, .. } = config;
        [public_intermediate, public_thinking, public_tools, public_working]
    };
    let names = ["intermediate", "thinking", "tools", "working"];
    for (at, name) in names.iter().enumerate() {
        let on = switches(read(&[("PUBLIC", &format!("{name}=true"))]).unwrap());
        assert_eq!(on, [0, 1, 2, 3].map(|other| other == at), "{name} alone");
    }
    let all = read(&[("PUBLIC", "intermediate=true, thinking=true,tools=true,working=true")]).unwrap();
    assert_eq!(switches(all), [true; 4]);
    for other in ["", "=", "=1", "=TRUE", "=true ish", " = true", "=\"true\""] {
        let value = names.map(|name| format!("{name}{other}")).join(",");
        assert_eq!(switches(read(&[("PUBLIC", &value)]).unwrap()), [false; 4], "{value}");
    }
    assert_eq!(switches(read(&[("PUBLIC", "true")]).unwrap()), [false; 4]);
}

#[test]
fn sizes_have_a_default_and_can_be_chosen() {
    let config = read(&[]).unwrap();
    assert_eq!((config.input.body, config.limits.output), (1 << 20, 1 << 20));
    let config = read(&[("BODY_BYTES", "2048"), ("OUTPUT_BYTES", "64")]).unwrap();
    assert_eq!((config.input.body, config.limits.output), (2048, 64));
}

#[test]
fn thinking_tags_are_read_only_for_an_exact_true() {
    assert!(read(&[("THINKING_TAGS", "true")]).unwrap().options.thinking_tags);
    for value in ["", "1", "TRUE", "True", " true", "true ", "yes", "false"] {
        assert!(!read(&[("THINKING_TAGS", value)]).unwrap().options.thinking_tags, "{value:?}");
    }
    assert!(!read(&[]).unwrap().options.thinking_tags);
}

#[test]
fn a_number_out_of_bounds_names_its_variable() {
    for (name, value) in [
        ("HEARTBEAT", "0"),
        ("STREAM", "86401"),
        ("LEASE", "-1"),
        ("KV_OPERATIONS", "9"),
        ("STEPS", "many"),
        ("RETRIES", "6"),
        ("RUN_MS", "86400001"),
        ("OUTPUT_BYTES", "1048577"),
        ("BODY_BYTES", "2097153"),
    ] {
        assert!(read(&[(name, value)]).unwrap_err().detail().unwrap().contains(name));
    }
    assert!(read(&[("PROVIDER", "magic")]).unwrap_err().detail().unwrap().contains("PROVIDER"));
}

#[test]
fn the_output_filter_is_on_unless_it_is_switched_off() {
    assert_eq!(read(&[]).unwrap().redact, Settings::default());
    assert_eq!(read(&[("REDACT", "on")]).unwrap().redact, Settings::default());
    assert_eq!(read(&[("REDACT", "off"), ("API_KEY", "a key of some length")]).unwrap().redact, Settings::off());
    assert_eq!(read(&[("REDACT", r#"{"rules": ["-pii"]}"#)]).unwrap().redact.rules, [("pii".to_owned(), false)]);
}

#[test]
fn the_workers_own_secrets_are_known_values() {
    let key = "0123456789abcdef".repeat(2);
    let vars = [
        ("API_KEY", "a key of some length"),
        ("TOKEN_KEY", &key),
        ("OPERATOR_TOKEN", "an operator's"),
        ("REDACT", r#"{"values": ["one more"]}"#),
    ];
    let values = read(&vars).unwrap().redact.values;
    let known = |value: &crate::redact::Known| (value.name.clone().unwrap_or_default(), value.value.clone());
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        values.iter().map(known).collect::<Vec<_>>(),
        [
            pair("", "one more"),
            pair("api_key", "a key of some length"),
            pair("token_key", &key),
            pair("operator_token", "an operator's")
        ]
    );
    assert!(read(&[("API_KEY", "ollama")]).unwrap().redact.values.is_empty(), "no secret, but a word");
}

#[test]
fn a_secret_of_the_filter_may_stand_in_any_variable() {
    let text = r#"{"values": [{"name": "db", "env": "DB_PASSWORD"}]}"#;
    let var = |name: &str| match name {
        "LASTWORD_REDACT" => Some(text.to_owned()),
        "DB_PASSWORD" => Some("hunter2hunter2".to_owned()),
        _ => None,
    };
    assert_eq!(Config::read(var).unwrap().redact.values[0].value, "hunter2hunter2");
    let error = read(&[("REDACT", text)]).unwrap_err();
    let detail = "LASTWORD_REDACT: values[0].env names no variable that is set here.";
    assert_eq!((error.code(), error.detail()), ("not_configured", Some(detail)));
}

#[test]
fn a_filter_that_is_not_valid_says_where() {
    for (text, detail) in [
        ("true", "LASTWORD_REDACT: The whole must be an object."),
        ("{", "LASTWORD_REDACT: Line 1, column 1 is not valid JSON."),
        (
            r#"{"patterns": [{"name": "a", "pattern": "b", "style": "bold"}]}"#,
            "LASTWORD_REDACT: patterns[0].style must be",
        ),
    ] {
        let error = read(&[("REDACT", text)]).unwrap_err();
        assert_eq!(error.code(), "not_configured");
        assert!(error.detail().unwrap().starts_with(detail), "{error}");
    }
}
