//! A run whose model, tools and state say values that must not leave, wherever they can say anything: no event of it
//! holds one, nor does any frame or record, and the model alone is told them again.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;
#[path = "redaction/written.rs"]
mod written;

use common::agent::{Agent, Says, lines};
use common::{RUN, SCOPE, THREAD, bytes, driver_of, input, setup, value};
use lastword::driver::{Blocking, collect};
use lastword::event::View;
use lastword::executor::{Approvals, ToolResult};
use lastword::provider::Format;
use lastword::redact::{Channel, Plans, Redaction, Redactor, Settings, rules};
use lastword::run::{Cursor, Limits, MemoryStore, ModelCall, Need, Reader, RunRecord, Setup, Status, ThreadKeys};
use lastword::sse::Frame;
use lastword::turn::Rule;
use lastword::wire::Wire;
use serde_json::{Value, json};
use std::rc::Rc;

/// No key of anybody's.
fn key() -> String {
    ["gh", "p_", "a8Kd93LmQz71", "VbTy62Rw45NcXe08Uj"].concat()
}

fn mail() -> String {
    ["ana.souza", "@", "firma.com.br"].concat()
}

const KEY: &str = "[REDACTED:github_token]";
const MAIL: &str = "[REDACTED:email]";

fn redaction(settings: &str) -> Rc<dyn Redactor> {
    Rc::new(Redaction::new(Plans::new(&Settings::parse(settings).unwrap()).unwrap()))
}

/// The run of an agent that says these, with all that can be public made so.
fn driver(settings: &str, says: fn(ModelCall) -> Says, tool: fn() -> String) -> Blocking<Agent<MemoryStore>> {
    let limits = Limits { run: 60_000, retries: 1, ..Limits::default() };
    let approvals = Approvals { tools: vec!["pay".into()], within: Some(60_000) };
    let rule = Rule { early: true, ..Rule::default() };
    let base = setup("i1");
    let mut profile = base.profile.clone();
    (profile.public_intermediate, profile.public_thinking) = (true, true);
    (profile.public_tools, profile.public_working) = (true, true);
    let redactor = redaction(settings);
    let setup = Setup { format: Format::Signals, limits, approvals, rule, profile, redactor, ..base };
    let mut host = Agent::new(MemoryStore::default(), says);
    RESULT.set(tool);
    host.tool = |_| ToolResult { ok: true, content: RESULT.get()() };
    let mut driver = driver_of(host, setup);
    driver.post(1, input(RUN, &["send"]));
    driver.drive();
    driver
}

thread_local! {
    static RESULT: std::cell::Cell<fn() -> String> = const { std::cell::Cell::new(String::new) };
}

fn frames(store: &MemoryStore, view: View, wire: Wire) -> Vec<Frame> {
    let reader = Reader::new(ThreadKeys::new(SCOPE, THREAD).run(RUN), view, wire, Some(Cursor::START));
    let (frames, need) = collect(store, reader);
    assert_eq!(need, Need::End);
    frames
}

fn record(store: &MemoryStore) -> RunRecord {
    RunRecord::decode(store.value(&ThreadKeys::new(SCOPE, THREAD).run(RUN).head()).unwrap()).unwrap()
}

/// All events of the operator's view and of the customer's, as the canonical wire gives them.
fn events(store: &MemoryStore, view: View) -> Vec<Value> {
    frames(store, view, Wire::Canonical).iter().map(value).collect()
}

/// All that stands under `public/`, and every frame of everybody.
fn public(store: &MemoryStore) -> String {
    let views = [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)];
    let told = views.map(|(view, wire)| bytes(&frames(store, view, wire))).concat();
    let kept = store.keys().filter(|key| !key.contains("/private/")).map(|key| store.value(key).unwrap());
    kept.fold(told, |all, value| all + &String::from_utf8_lossy(value))
}

fn assert_hidden(store: &MemoryStore) {
    let public = public(store);
    for secret in [key(), mail()] {
        for at in 0..=secret.len() - 8 {
            assert!(!public.contains(&secret[at..at + 8]), "{}", &secret[at..at + 8]);
        }
    }
}

fn texts(events: &[Value], kind: &str) -> String {
    let of = |event: &Value| event["delta"].as_str().or(event["content"].as_str()).map(str::to_owned);
    events.iter().filter(|event| event["type"] == kind).filter_map(of).collect()
}

/// A signal a letter.
fn spelled(kind: &str, text: &str) -> Vec<Value> {
    text.chars().map(|letter| json!({"type": kind, "delta": letter.to_string()})).collect()
}

fn say(signals: Vec<Value>) -> Says {
    lines(signals.iter().map(Value::to_string).collect())
}

fn call(id: &str, name: &str, arguments: &Value) -> Vec<Value> {
    let mut signals = vec![json!({"type": "call_start", "id": id, "name": name})];
    signals.extend(spelled("call_args", &arguments.to_string()));
    signals
}

fn said() -> String {
    format!("to {} by {}.", mail(), key())
}

/// Narration, thinking, a state, and calls; then the answer.
fn everywhere(ordinal: ModelCall) -> Says {
    let text = said();
    let mut signals = vec![json!({"type": "response_start", "model": text})];
    signals.push(json!({"type": "usage", "input": 7}));
    if ordinal == 1 {
        signals.extend(spelled("reasoning", &text));
        signals.extend(spelled("text", &text));
        signals.push(json!({"type": "state", "snapshot": {&text: [&text, {"in": &text}], "n": 1}}));
        signals.extend(call(&mail(), &format!("look {text}"), &json!({"q": &text})));
    } else {
        signals.push(json!({"type": "item_start", "phase": "final_answer"}));
        signals.extend(spelled("text", &text));
        signals.push(json!({"type": "item_end"}));
    }
    signals.push(json!({"type": "response_end"}));
    say(signals)
}

#[test]
fn no_event_of_a_run_holds_what_must_not_leave() {
    let driver = driver("on", everywhere, said);
    let store = &driver.host.store;
    assert_eq!(record(store).status, Status::Succeeded);
    assert_hidden(store);
    let told = format!("to {MAIL} by {KEY}.");
    let operator = events(store, View::Operator);
    for kind in ["tool_result", "tool_output", "thinking"] {
        let text = texts(&operator, kind);
        assert!(text.is_empty() || text == told, "{kind}: {text}");
    }
    assert_eq!(texts(&operator, "intermediate"), told.repeat(2), "narration and answer, live");
    let customer = events(store, View::Customer);
    assert_eq!(texts(&customer, "content"), told);
    let all = public(store);
    assert!(all.contains(&format!("look {told}")), "the name of the tool");
    assert!(all.contains(&format!("\"model\":\"{told}\"")), "the name of the model");
    assert!(all.matches(&told).count() >= 6, "{}", all.matches(&told).count());
}

#[test]
fn a_question_to_a_person_holds_none_either() {
    fn asks(_: ModelCall) -> Says {
        let mut signals = call("c", "pay", &json!({"to": mail(), "with": key()}));
        signals.push(json!({"type": "response_end"}));
        say(signals)
    }
    let driver = driver("on", asks, String::new);
    let store = &driver.host.store;
    assert_eq!(record(store).status, Status::Interrupted);
    assert_hidden(store);
    let asked = format!("May pay run with {{\\\"to\\\":\\\"{MAIL}\\\",\\\"with\\\":\\\"{KEY}\\\"}}?");
    let all = public(store).replace("\\\\", "\\");
    assert!(all.contains(&asked), "{all}");
}

#[test]
fn nobody_is_asked_of_a_call_that_the_filter_blocks() {
    fn asks(_: ModelCall) -> Says {
        let mut signals = call("c", "pay", &json!({"to": mail()}));
        signals.push(json!({"type": "response_end"}));
        say(signals)
    }
    let driver = driver(r#"{"mode": "block"}"#, asks, String::new);
    let failure = record(&driver.host.store).failure.unwrap();
    assert_eq!(failure.code, "output_blocked");
    assert_hidden(&driver.host.store);
}

#[test]
fn the_clients_calls_keep_what_they_need_and_no_key() {
    fn sends(_: ModelCall) -> Says {
        let mut signals = call("c", "send", &json!({"to": mail(), "with": key()}));
        signals.push(json!({"type": "response_end"}));
        say(signals)
    }
    for (settings, to) in [("on", mail()), (r#"{"client_arguments": ["pii"]}"#, MAIL.to_owned())] {
        let driver = driver(settings, sends, String::new);
        let store = &driver.host.store;
        let arguments: String = texts(&events(store, View::Customer), "tool_call_args");
        assert_eq!(serde_json::from_str::<Value>(&arguments).unwrap(), json!({"to": to, "with": KEY}));
    }
    let driver = driver(r#"{"mode": "block"}"#, sends, String::new);
    assert_eq!(record(&driver.host.store).failure.unwrap().code, "output_blocked");
    assert!(!public(&driver.host.store).contains(&key()));
}

#[test]
fn an_overflow_that_aborts_is_as_a_match_that_is_blocked() {
    fn opens(_: ModelCall) -> Says {
        let mut signals = vec![json!({"type": "item_start", "phase": "final_answer"})];
        signals.extend(spelled("text", &format!("So. <<{}", "x".repeat(40))));
        signals.extend([json!({"type": "item_end"}), json!({"type": "response_end"})]);
        say(signals)
    }
    let own = r#"{"name": "open", "pattern": "<<[^>]*>>", "max_hold": 16, "overflow": "#;
    for (overflow, code) in [("abort", Some("output_blocked")), ("redact", None), ("release", None)] {
        let driver = driver(&format!(r#"{{"patterns": [{own}"{overflow}"}}]}}"#), opens, String::new);
        let record = record(&driver.host.store);
        assert_eq!(record.failure.as_ref().map(|failure| failure.code.as_str()), code);
        assert_eq!(record.withdrawn.is_some(), code.is_some());
        assert_eq!(public(&driver.host.store).contains("xx"), overflow == "release");
    }
}

#[test]
fn a_tool_whose_result_is_blocked_ends_it_there_and_the_turn_goes_on() {
    fn plain(ordinal: ModelCall) -> Says {
        let mut signals = if ordinal == 1 { call("c", "look", &json!({})) } else { spelled("text", "Fine.") };
        signals.push(json!({"type": "response_end"}));
        say(signals)
    }
    let driver = driver(r#"{"mode": "block"}"#, plain, said);
    let store = &driver.host.store;
    assert_eq!(record(store).status, Status::Succeeded);
    assert_eq!(texts(&events(store, View::Customer), "content"), "Fine.");
    assert!(public(store).contains(r#""to "#), "what came before it");
    assert_hidden(store);
}

#[test]
fn what_an_attempt_held_is_joined_with_nothing() {
    fn halves(ordinal: ModelCall) -> Says {
        let key = key();
        let (first, rest) = key.split_at(12);
        match ordinal {
            1 => say(spelled("text", &format!("Hm {first}"))),
            _ => say(spelled("text", rest).into_iter().chain([json!({"type": "response_end"})]).collect()),
        }
    }
    let driver = driver("on", halves, String::new);
    let store = &driver.host.store;
    let rest = key()[12..].to_owned();
    assert_eq!(texts(&events(store, View::Customer), "content"), rest);
    let operator = events(store, View::Operator);
    assert_eq!(texts(&operator, "intermediate"), format!("Hm {rest}"), "the half that was held is gone");
}

#[test]
fn what_was_found_is_counted_by_rule_over_all_channels() {
    let redaction = redaction("on");
    assert_eq!(redaction.found(), []);
    let mut text = redaction.filter(Channel::Text);
    text.push(&format!("{} {} ", mail(), mail()));
    text.flush();
    text.push(&mail());
    text.flush();
    let name = redaction.whole(Channel::Name, &format!("{} {}", key(), mail())).text;
    assert_eq!(name, format!("{KEY} {MAIL}"));
    assert_eq!(redaction.found(), [("email".to_owned(), 4), ("github_token".to_owned(), 1)]);
    text.push(&format!("{} ", mail()));
    drop(text);
    assert_eq!(redaction.found()[0].1, 5, "also what no end came of");
}

#[test]
fn what_was_found_in_a_message_that_never_ended_is_counted_in_the_log() {
    fn goes_on(_: ModelCall) -> Says {
        let thought = spelled("reasoning", &format!("{} ", mail()));
        let signals = thought.into_iter().chain(spelled("text", &format!("{} {} {}", mail(), key(), mail())));
        let mut all = say(signals.collect());
        // Then nothing comes until the run's time is over.
        Box::new(move || Some(all().unwrap_or_else(|| b": \n\n".to_vec())))
    }
    let mut driver = driver("on", goes_on, String::new);
    let lines = std::mem::take(&mut driver.host.logged);
    let [failed, found] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((failed.code, found.code), ("run_timeout", "redacted"));
    assert_eq!(found.found, [("email".to_owned(), 3), ("github_token".to_owned(), 1)]);
    assert_hidden(&driver.host.store);
}

#[test]
fn off_is_off() {
    let redaction = redaction("off");
    for channel in [Channel::Text, Channel::ClientArguments, Channel::Name, Channel::State] {
        let text = format!("{} {} \u{200b}\u{1b}[31m", key(), mail());
        assert_eq!(redaction.whole(channel, &text).text, text);
    }
}

#[test]
fn the_readmes_settings_are_good_and_its_table_has_every_rule() {
    let (_, section) = include_str!("../README.md").split_once("## What never leaves").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let (_, example) = section.split_once("```json").unwrap();
    let secret = |name: &str| (name == "DB_PASSWORD").then(|| "correct horse".to_owned());
    let settings = Settings::parse_with(example.split("```").next().unwrap(), &secret).unwrap();
    Plans::new(&settings).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `secrets`") || line.starts_with("| `pii`"));
    let mut told: Vec<(String, &str, bool)> = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let names = |cell: &'static str| cell.split('`').skip(1).step_by(2);
        for (cell, on) in [(cells[1], true), (cells[2], false)] {
            told.extend(names(cells[0]).flat_map(|group| names(cell).map(move |rule| (rule.to_owned(), group, on))));
        }
    }
    for rule in rules() {
        let of_it: Vec<_> = told.iter().filter(|(name, _, on)| name == rule.name && *on == rule.on).collect();
        let groups =
            ["secrets", "pii", "providers", "cloud", "vcs", "services", "credentials", "br", "phone", "network"];
        for group in rule.groups.iter().filter(|group| groups.contains(group)) {
            assert!(of_it.iter().any(|(_, told, _)| told == group), "{} of {group}", rule.name);
        }
        told.retain(|(name, _, _)| name != rule.name);
    }
    assert_eq!(told, [], "no other rule");
}
