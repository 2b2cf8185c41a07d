//! Random interleavings of signals at random chunkings through the whole native driver, with readers of
//! both views, and at times a cancel or readers that leave: promises 1, 2, 3, 5, 6, 7 and 14 of the
//! design hold, and the model of the rule agrees on what is published.
//!
//! 2,000 cases; `PROPTEST_CASES` asks for more.

use crate::common::{RUN, all, bytes, input, record, setup, thread, value};
use crate::host::{EYES, Scripted, Tails};
use crate::model::{Outcome, outcome, reasoned, response, tokens};
use crate::script::{CLIENT_TOOL, Line, Script, script};
use lastword::driver::Blocking;
use lastword::event::View;
use lastword::provider::{Format, Options};
use lastword::redact::{PassThrough, Redactor};
use lastword::run::{Input, Limits, Need, RunRecord, Setup, Status, Traits};
use lastword::signal::{Phase, Role, Signal};
use lastword::sse::Frame;
use lastword::wire::Wire;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many cases are tried unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 2_000;

#[test]
fn random_interleavings_keep_the_promises_and_agree_with_the_model() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases) });
    let seen: RefCell<BTreeMap<String, u32>> = RefCell::default();
    let result = runner.run(&script(), |script| {
        let kinds = check(&script);
        kinds.into_iter().for_each(|kind| *seen.borrow_mut().entry(kind).or_default() += 1);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let seen = seen.into_inner();
    println!("{cases} cases agree with the model of the rule: {seen:?}");
    for kind in [
        "published",
        "refusal",
        "truncated",
        "fallback",
        "empty",
        "calls",
        "cancelled",
        "withdrawn",
        "streamed early",
        "was reasoning",
        "made again",
        "content_filter",
        "output_limit",
        "step_limit",
        "upstream_malformed",
        "upstream_unavailable",
    ] {
        assert!(cases < CASES || seen.get(kind).is_some_and(|count| *count > 2), "{kind} hardly came up: {seen:?}");
    }
}

/// What a customer of the canonical wire was told.
#[derive(Debug, Default)]
struct Told {
    /// The messages of answers, in order: id, text, refusal, and whether it was withdrawn.
    answers: Vec<(String, String, bool, bool)>,
    calls: Vec<(String, String)>,
}

/// Plays the script and asserts everything; returns which kinds of outcomes came up.
fn check(script: &Script) -> Vec<String> {
    let mut driver = play(script, false, usize::MAX);
    driver.host.attached = true;
    driver.host.look();
    assert_eq!(driver.host.violations, Vec::<String>::new(), "promise 3: durable first");
    let record = record(&driver.host.inner);
    let (steps, retries) = (script.steps as usize, script.retries as usize);
    let (expected, asked) = outcome(&script.responses, script.rule, &[CLIENT_TOOL], steps, retries);
    if record.status != Status::Cancelled {
        let counted: u64 = record.usage.iter().filter_map(|usage| usage.tokens.output).sum();
        assert_eq!(counted, tokens(&script.responses[..asked.min(script.responses.len())]), "counted once");
    }
    let customer = all(&driver.host.inner, View::Customer, Wire::Canonical);
    let operator = all(&driver.host.inner, View::Operator, Wire::Canonical);
    assert_terminal(&customer, &operator, &record);
    assert_sequence(&customer, &operator, &record);
    assert_replay(&mut driver);
    let told = told(&customer);
    assert_words(script, &told, &driver);
    let mut kinds = assert_outcome(script, &expected, &told, &record, customer.last().unwrap());
    kinds.extend(operator.iter().any(|frame| kind(frame) == "attempt_reset").then(|| "made again".to_owned()));
    kinds
}

/// A run of the script; `all` makes public what it does not speak of, and each event a segment of its own.
pub fn setup_of(script: &Script, all: bool) -> Setup {
    let base = setup("i1");
    let mut profile = base.profile.clone();
    profile.public_intermediate = script.public_intermediate;
    profile.public_thinking = script.public_thinking;
    profile.public_tools = all;
    profile.public_working = all;
    let traits = Traits { max_value: if all { 96 } else { base.traits.max_value }, ..base.traits };
    let limits = Limits { steps: script.steps, retries: script.retries, ..Limits::default() };
    let redactor: Rc<dyn Redactor> = if script.tails { Rc::new(Tails) } else { Rc::new(PassThrough) };
    let options = Options { thinking_tags: script.tags, ..Options::default() };
    Setup { format: Format::Signals, options, rule: script.rule, profile, traits, limits, redactor, ..base }
}

/// Plays the script until nothing is left to do, or for so many turns of the driver.
pub fn play(script: &Script, all: bool, most: usize) -> Blocking<Scripted> {
    let mut driver = Blocking::new(Scripted::new(script), setup_of(script, all), thread());
    driver.post(1, input(RUN, &[CLIENT_TOOL]));
    let mut turns = 0;
    loop {
        if turns == 12 {
            driver.tell(RUN, Input::Readers { customer: 2, operator: 1 });
        }
        if script.leave == Some(turns) {
            driver.tell(RUN, Input::Readers { customer: 0, operator: 0 });
            driver.host.leave();
        }
        if script.cancel == Some(turns) {
            driver.tell(RUN, Input::Cancel { request: 9 });
        }
        if turns == most || !driver.turn() {
            return driver;
        }
        turns += 1;
    }
}

/// Promise 5 and 14: one terminal, last, after all that was open was closed; and no end without one.
fn assert_terminal(customer: &[Frame], operator: &[Frame], record: &RunRecord) {
    let last = match record.status {
        Status::Succeeded => "task_completed",
        Status::Failed => "task_failed",
        Status::Cancelled => "task_cancelled",
        other => panic!("{other:?}"),
    };
    for frames in [customer, operator] {
        let kinds: Vec<String> = frames.iter().map(kind).collect();
        assert_eq!(kinds.last().unwrap(), last);
        assert_eq!(kinds.iter().filter(|kind| kind.starts_with("task_")).count(), 2, "a start and an end: {kinds:?}");
        let mut open: Vec<(String, String)> = Vec::new();
        for frame in frames.iter().map(value) {
            let kind = frame["type"].as_str().unwrap();
            let id = frame["message"].as_str().or(frame["call"].as_str()).unwrap_or_default().to_owned();
            if let Some(scope) = kind.strip_suffix("_start").or(Some(kind).filter(|kind| *kind == "tool_call")) {
                assert!(!open.contains(&(scope.to_owned(), id.clone())), "{scope} {id} is open already");
                open.push((scope.to_owned(), id));
            } else if let Some(scope) = kind.strip_suffix("_end") {
                let at = open.iter().position(|one| *one == (scope.to_owned(), id.clone()));
                open.remove(at.unwrap_or_else(|| panic!("{scope} {id} was not open")));
            }
        }
        assert_eq!(open, [], "all is closed before the terminal");
    }
    assert!(record.open.is_empty());
}

/// Promise 6: dense in the journal, rising in each view.
fn assert_sequence(customer: &[Frame], operator: &[Frame], record: &RunRecord) {
    let numbers = |frames: &[Frame]| -> Vec<u64> {
        frames.iter().map(|frame| value(frame)["meta"]["seq"].as_u64().unwrap()).collect()
    };
    let (customer, operator) = (numbers(customer), numbers(operator));
    assert!(customer.is_sorted_by(|a, b| a < b) && operator.is_sorted_by(|a, b| a < b));
    let both: BTreeSet<u64> = customer.into_iter().chain(operator).collect();
    assert!(both.into_iter().eq(1..=record.sequence), "each event is somebody's");
}

/// Promise 7 and 14: what was sent live, or live and then behind a cursor, is what a replay sends; and
/// reading changes nothing.
fn assert_replay(driver: &mut Blocking<Scripted>) {
    let before = record(&driver.host.inner);
    for (eye, (view, wire)) in driver.host.eyes.iter_mut().zip(EYES) {
        assert_eq!(eye.reader.next(), Need::End);
        assert_eq!(bytes(&eye.frames), bytes(&all(&driver.host.inner, view, wire)), "{view:?} {wire:?}");
    }
    assert_eq!(record(&driver.host.inner), before);
}

/// Promise 1 and 2: no word but those of the answer (and of what is public) reaches a customer.
fn assert_words(script: &Script, told: &Told, driver: &Blocking<Scripted>) {
    let sent: String =
        [Wire::Canonical, Wire::AgUi].map(|wire| bytes(&all(&driver.host.inner, View::Customer, wire))).concat();
    assert!(!sent.contains("result-of-ours"), "what a tool of ours gave back is no customer's");
    let answered: String = told.answers.iter().map(|(_, text, ..)| text.as_str()).collect();
    let called: String = told.calls.iter().map(|(_, arguments)| arguments.as_str()).collect();
    let standing: String = told.answers.iter().filter(|answer| !answer.3).map(|(_, text, ..)| text.as_str()).collect();
    let reasoned = reasoned(&script.responses);
    let died = |lines: &[Line]| matches!(response(lines, script.rule, &[CLIENT_TOOL]), Some(Outcome::Failed(_)));
    for (said, word, died) in script
        .responses
        .iter()
        .flat_map(|lines| lines.iter().map(|line| (line, died(lines))))
        .filter_map(|(line, died)| Some((line.signal()?, word(line.signal()?)?, died)))
        .filter(|(_, word, _)| !word.trim().is_empty())
    {
        let was_reasoning = reasoned.contains(word);
        let public = match said {
            _ if was_reasoning => script.public_thinking,
            Signal::Reasoning(_) => script.public_thinking,
            Signal::Text(_) | Signal::Refusal(_) | Signal::ItemEnd { .. } => script.public_intermediate && !died,
            _ => false,
        };
        let is_answer = answered.contains(word) || called.contains(word);
        assert!(public || is_answer || !sent.contains(word), "{word} reached a customer");
        assert!(!matches!(said, Signal::Reasoning(_)) || !is_answer, "reasoning is no answer");
        assert!(!was_reasoning || !standing.contains(word), "nor is what turned out to be reasoning");
    }
}

fn word(signal: &Signal) -> Option<&str> {
    match signal {
        Signal::Text(text) | Signal::Refusal(text) | Signal::Reasoning(text) => Some(text),
        Signal::ItemEnd { text } => text.as_deref(),
        Signal::CallArgs { delta, .. } => Some(delta.trim_matches('"')),
        _ => None,
    }
}

/// The model agrees, or the run was cancelled and holds nothing.
fn assert_outcome(script: &Script, expected: &Outcome, told: &Told, record: &RunRecord, last: &Frame) -> Vec<String> {
    let mut kinds = Vec::new();
    let (withdrawn, standing): (Vec<_>, Vec<_>) = told.answers.iter().partition(|(.., withdrawn)| *withdrawn);
    assert!(withdrawn.len() <= 1 && standing.len() <= 1, "{told:?}");
    assert_eq!(record.withdrawn.as_ref(), withdrawn.first().map(|(id, ..)| id), "the outcome says so");
    if let Some((_, text, ..)) = withdrawn.first() {
        assert!(script.rule.early);
        assert!(marked(script).contains(text.as_str()), "only what was marked streams early");
        kinds.push("withdrawn".to_owned());
    }
    let last = value(last);
    if record.status == Status::Cancelled {
        assert!(script.cancel.is_some());
        assert_eq!((standing.len(), told.calls.len()), (0, 0), "nothing of a cancelled turn stands");
        kinds.push("cancelled".to_owned());
        return kinds;
    }
    match expected {
        Outcome::Published { text, refusal, truncated, fallback } => {
            assert_eq!(record.status, Status::Succeeded, "{expected:?}");
            let published = standing.first().map(|(_, text, refusal, _)| (text.as_str(), *refusal));
            assert_eq!(published, (!text.is_empty()).then_some((text.as_str(), *refusal)));
            let flag = |name: &str| last[name] == Value::Bool(true);
            assert_eq!((flag("truncated"), flag("fallback")), (*truncated, *fallback));
            assert_eq!(told.calls, []);
            let id = if withdrawn.is_empty() { "run-1-a" } else { "run-1-a2" };
            assert!(standing.iter().all(|(message, ..)| message == id), "{standing:?}");
            let came =
                [("refusal", *refusal), ("truncated", *truncated), ("fallback", *fallback), ("empty", text.is_empty())];
            kinds.extend(came.iter().filter(|(_, came)| *came).map(|(kind, _)| (*kind).to_owned()));
            kinds.push("published".to_owned());
            let early = script.rule.early && !text.is_empty() && marked(script).contains(text.as_str());
            kinds.extend(early.then(|| "streamed early".to_owned()));
            kinds.extend((!reasoned(&script.responses).is_empty()).then(|| "was reasoning".to_owned()));
        }
        Outcome::Calls(calls) => {
            assert_eq!((record.status, &told.calls), (Status::Succeeded, calls));
            assert_eq!(standing.len(), 0);
            kinds.push("calls".to_owned());
        }
        Outcome::Failed(code) => {
            assert_eq!((record.status, &last["code"]), (Status::Failed, &Value::from(*code)));
            assert_eq!((standing.len(), told.calls.len()), (0, 0), "whole or not at all");
            kinds.push((*code).to_owned());
        }
    }
    kinds
}

/// All text inside of items that are marked as the final answer.
fn marked(script: &Script) -> String {
    let mut text = String::new();
    for lines in &script.responses {
        let mut is_marked = false;
        for signal in lines.iter().filter_map(Line::signal) {
            match signal {
                Signal::ItemStart { role, phase } => {
                    is_marked = (*role, *phase) == (Role::Assistant, Phase::FinalAnswer);
                }
                Signal::ItemEnd { text: whole } if is_marked => {
                    text.push_str(whole.as_deref().unwrap_or_default());
                    is_marked = false;
                }
                Signal::Text(said) | Signal::Refusal(said) if is_marked => text.push_str(said),
                _ => {}
            }
        }
    }
    text
}

fn told(frames: &[Frame]) -> Told {
    let mut told = Told::default();
    for frame in frames.iter().map(value) {
        let text = |name: &str| frame[name].as_str().unwrap_or_default().to_owned();
        match frame["type"].as_str().unwrap() {
            "content_start" => told.answers.push((text("message"), String::new(), frame["refusal"] == true, false)),
            "content" => told.answers.last_mut().unwrap().1.push_str(&text("delta")),
            "content_withdrawn" => {
                told.answers.iter_mut().find(|(id, ..)| *id == text("message")).unwrap().3 = true;
            }
            "tool_call" => told.calls.push((text("name"), String::new())),
            "tool_call_args" => told.calls.last_mut().unwrap().1.push_str(&text("delta")),
            _ => {}
        }
    }
    told
}

fn kind(frame: &Frame) -> String {
    value(frame)["type"].as_str().unwrap().to_owned()
}
