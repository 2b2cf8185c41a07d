//! A value that a newer version has written is a typed error wherever it is read, and stays as it is.

use crate::common::SCOPE;
use crate::fixtures::*;
use lastword::event::View;
use lastword::run::{Input, MemoryStore, Need, Reply, index_key};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What can be done with a thread, each by an instance that has just come. The code of the error that it met.
type Act = (&'static str, fn(&Fixture) -> (Option<&'static str>, MemoryStore));

fn refusal(reply: &Reply) -> Option<&'static str> {
    if let Reply::Refused(error) = reply { Some(error.code()) } else { None }
}

fn told(fixture: &Fixture, input: impl Fn(&str) -> Input) -> (Option<&'static str>, MemoryStore) {
    let mut driver = fixture.driver();
    driver.tell(&last(fixture), input(&last(fixture)));
    driver.drive();
    (refusal(&reply(&driver, 1)), driver.host.store)
}

fn posted(fixture: &Fixture, run: &str, resume: Option<Value>) -> (Option<&'static str>, MemoryStore) {
    let mut driver = fixture.driver();
    let input = resume.map_or_else(|| fixture.input(run), |answers| fixture.resume(run, answers));
    let reply = post(&mut driver, input);
    (refusal(&reply), driver.host.store)
}

fn reads(fixture: &Fixture, joins: bool) -> (Option<&'static str>, MemoryStore) {
    let mut met = None;
    for eye in EYES {
        if let (_, Need::Fail(frame, error)) = read(&fixture.store, &last(fixture), eye, joins) {
            assert!(frame.id.is_none() && frame.data.contains("stream_interrupted"), "{}", frame.data);
            met = Some(error.code());
        }
    }
    (met, fixture.store.clone())
}

fn last(fixture: &Fixture) -> String {
    fixture.runs().pop().unwrap()
}

const ACTS: [Act; 9] = [
    ("claim", |fixture| posted(fixture, "next", None)),
    ("join", |fixture| posted(fixture, &last(fixture), None)),
    ("resume", |fixture| {
        let answers = json!([{"interruptId": "run-1-i1", "status": "resolved", "payload": {"approved": true}}]);
        posted(fixture, "next", Some(answers))
    }),
    ("recovery", |fixture| told(fixture, |_| Input::Recover { request: 1 })),
    ("cancel", |fixture| told(fixture, |_| Input::Cancel { request: 1 })),
    ("alarm", |fixture| {
        let mut driver = fixture.driver();
        driver.alarm();
        driver.drive();
        (driver.host.replies.iter().find_map(|(_, reply)| refusal(reply)), driver.host.store)
    }),
    ("reader", |fixture| reads(fixture, false)),
    ("joining reader", |fixture| reads(fixture, true)),
    ("follower", |fixture| {
        let mut met = None;
        for view in [View::Customer, View::Operator] {
            if let (_, Need::Fail(_, error)) = follow(&fixture.store, view) {
                met = Some(error.code());
            }
        }
        (met, fixture.store.clone())
    }),
];

/// The kinds of values, by a piece of their keys, and where each must be met.
const KINDS: [(&str, &[&str]); 9] = [
    ("/!index/", &["join"]),
    ("/!active", &["claim", "join", "follower"]),
    ("/!runs/", &["follower"]),
    // The list of a scope's runs is nobody's here.
    ("/!list/", &[]),
    ("/head", &["claim", "join", "recovery", "cancel", "alarm", "reader", "joining reader", "follower"]),
    ("/public/journal/", &["reader", "joining reader", "follower"]),
    ("/public/event/", &["reader", "joining reader", "follower"]),
    ("/public/echo/", &["joining reader"]),
    ("/private/turn/", &["resume"]),
];

/// The same bytes as a newer version might have written them.
fn newer(bytes: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    let version = text.find(r#""v":"#).unwrap() + 4;
    let rest = text[version..].trim_start_matches(|digit: char| digit.is_ascii_digit());
    format!("{}99{rest}", &text[..version]).into_bytes()
}

#[test]
fn it_is_met_in_every_place_and_never_overwritten() {
    let mut met = BTreeSet::new();
    let mut cases = 0;
    for fixture in fixtures() {
        let last = keys(&last(&fixture)).head().replace("/head", "");
        let thread_keys = ["/!active", "/!runs/"];
        let own = index_key(SCOPE, &self::last(&fixture));
        let values: Vec<String> = fixture.store.keys().map(str::to_owned).collect();
        for key in values {
            let of_last = key.starts_with(&last) || key == own || thread_keys.iter().any(|part| key.contains(part));
            let (kind, _) = KINDS.into_iter().find(|(part, _)| key.contains(part)).unwrap_or_else(|| panic!("{key}"));
            // Of a value in pieces, the first has its version.
            let value = fixture.store.value(&key).unwrap();
            let Some(bytes) = (of_last && value.starts_with(b"{\"v\":")).then(|| newer(value)) else { continue };
            for (act, perform) in ACTS {
                let mut harmed = self::fixture(&fixture.path);
                put(&mut harmed.store, &key, &bytes);
                let (code, after) = perform(&harmed);
                assert_eq!(after.value(&key), Some(bytes.as_slice()), "{} {act} has overwritten {key}", fixture.name);
                let (before, unharmed) = perform(&fixture);
                match code {
                    Some("record_too_new") => drop(met.insert((kind, act))),
                    // Nobody can be told of it: nothing is done.
                    None if (kind, act) == ("/!active", "alarm") => {
                        assert!(after.keys().all(|key| after.value(key) == harmed.store.value(key)));
                    }
                    // It was not read: all is as without it.
                    code => {
                        assert_eq!(code, before, "{} {act} {key}", fixture.name);
                        let all = |store: &MemoryStore| -> Vec<_> {
                            let rest = store.keys().filter(|other| *other != key);
                            rest.map(|key| (key.to_owned(), store.value(key).unwrap().to_vec())).collect()
                        };
                        assert_eq!(all(&after), all(&unharmed), "{} {act} {key}", fixture.name);
                    }
                }
                cases += 1;
            }
        }
    }
    for (kind, acts) in KINDS {
        for act in acts {
            assert!(met.contains(&(kind, *act)), "{act} never met a newer {kind}");
        }
    }
    assert!(cases > 500, "{cases}");
}

/// A type that is not known is skipped by its audience; an event of a newer form is not guessed at.
#[test]
fn an_event_of_a_newer_version_is_met_and_of_an_unknown_type_skipped() {
    let fixture = fixture(&folder("v2").join("approval.json"));
    let marked = r#"{"v":1,"audience":"operator","type":"intermediate_start""#;
    let text = |key: &str| String::from_utf8(fixture.store.value(key).unwrap().to_vec()).unwrap();
    let key = fixture.store.keys().find(|key| text(key).contains(marked)).unwrap().to_owned();
    let text = text(&key);
    let at = text.find(marked).unwrap();
    let change = |from: &str, to: &str| format!("{}{}", &text[..at], text[at..].replacen(from, to, 1));
    let operator = EYES[2];
    let mut changed = MemoryStore::clone(&fixture.store);
    let whole = read(&fixture.store, "run-1", operator, false);
    put(&mut changed, &key, change(r#""v":1"#, r#""v":3"#).as_bytes());
    let (frames, need) = read(&changed, "run-1", operator, false);
    assert!(matches!(&need, Need::Fail(_, error) if error.code() == "record_too_new"), "{need:?}");
    assert!(whole.0.starts_with(&frames));
    put(&mut changed, &key, change(r#""type":"i"#, r#""type":"new_i"#).as_bytes());
    let (frames, need) = read(&changed, "run-1", operator, false);
    assert_eq!((need, frames.len()), (Need::End, whole.0.len() - 1));
}
