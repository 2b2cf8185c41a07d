//! Every row of the design's table on its recording, over the blocking driver: what the customer gets,
//! what the operator sees, and how the record stands.

use crate::common::{RUN, all, answer, bytes, input, reader, record, setup_of, thread, types, value};
use lastword::driver::{Blocking, Simulated, pull};
use lastword::event::View;
use lastword::provider::{Options, replay};
use lastword::run::{Input, Limits, Need, Reader, Setup, Status};
use lastword::sse::Frame;
use lastword::turn::Rule;
use lastword::wire::Wire;
use serde_json::{Value, json};

/// A recording that has been played to its end.
struct Played(Simulated);

fn play(name: &str, change: impl FnOnce(&mut Setup)) -> Played {
    let recording = replay::find(name).unwrap();
    let mut setup = setup_of(recording);
    change(&mut setup);
    let mut driver = Blocking::new(Simulated::new(recording, 1), setup, thread());
    driver.post(1, input(RUN, &[]));
    driver.drive();
    let played = Played(driver.host);
    for word in recording.narration() {
        assert!(!played.customer().contains(word), "{word} reached a customer");
    }
    played
}

fn plain(name: &str) -> Played {
    play(name, |_| {})
}

fn with(name: &str, rule: Rule) -> Played {
    play(name, |setup| setup.rule = rule)
}

impl Played {
    /// Every byte that a customer may be sent.
    fn customer(&self) -> String {
        [Wire::AgUi, Wire::Canonical].map(|wire| bytes(&all(&self.0, View::Customer, wire))).concat()
    }

    fn answer(&self) -> Option<String> {
        answer(&all(&self.0, View::Customer, Wire::AgUi))
    }

    fn last(&self) -> Value {
        value(all(&self.0, View::Customer, Wire::Canonical).last().unwrap())
    }

    /// The held messages as the operator saw them: the text, and whether it was the answer.
    fn held(&self) -> Vec<(String, bool)> {
        let mut held: Vec<(String, String, bool)> = Vec::new();
        for event in all(&self.0, View::Operator, Wire::Canonical).iter().map(value) {
            let id = event["message"].as_str().unwrap_or_default();
            match event["type"].as_str().unwrap() {
                "intermediate_start" => held.push((id.to_owned(), String::new(), false)),
                "intermediate" => held.last_mut().unwrap().1.push_str(event["delta"].as_str().unwrap()),
                "decided" => held.iter_mut().find(|held| held.0 == id).unwrap().2 = event["answer"] == true,
                _ => {}
            }
        }
        held.into_iter().map(|(_, text, answer)| (text, answer)).collect()
    }

    fn assert_failed(&self, code: &str) {
        assert_eq!(record(&self.0).status, Status::Failed);
        assert_eq!(record(&self.0).failure.unwrap().code, code);
        assert_eq!(self.answer(), None, "whole or not at all");
    }
}

fn says(text: &str, answer: bool) -> (String, bool) {
    (text.to_owned(), answer)
}

#[test]
fn phase_commentary_and_final_answer() {
    let played = plain("phases");
    let answer = "Take the night tariff: it saves about 14 euros a month.";
    assert_eq!(played.answer().as_deref(), Some(answer));
    assert_eq!(played.held(), [says("Comparing both tariffs before I recommend one.", false), says(answer, true)]);
    assert_eq!((&played.last()["fallback"], &played.last()["truncated"]), (&Value::Null, &Value::Null));
}

#[test]
fn final_answer_beside_a_function_call_is_intermediate() {
    let played = plain("answer-beside-call");
    assert_eq!(played.answer().as_deref(), Some("It is still at the depot and comes on Friday."));
    assert_eq!(played.held()[0], says("Your parcel was handed over yesterday.", false));
    assert_eq!(played.0.tools.len(), 1);
}

#[test]
fn commentary_only_is_published_and_marked_fallback() {
    let played = plain("commentary-only");
    let text = "I have looked through the manual and found no such setting.";
    assert_eq!((played.answer().as_deref(), &played.last()["fallback"]), (Some(text), &json!(true)));
}

#[test]
fn commentary_and_final_answer_of_equal_text_are_published_once() {
    let played = plain("equal-texts");
    let text = "The library opens at nine.";
    assert_eq!(played.answer().as_deref(), Some(text));
    assert_eq!(played.held(), [says(text, false), says(text, true)]);
    assert_eq!(bytes(&all(&played.0, View::Customer, Wire::AgUi)).matches(text).count(), 1);
}

#[test]
fn provider_run_tool_inside_one_message() {
    let played = plain("provider-tool");
    assert_eq!(played.answer().as_deref(), Some("The last ferry leaves at 21:40 from pier 2."));
    assert_eq!(played.held()[0], says("Searching the timetable for that evening.", false));
    assert!(played.0.tools.is_empty(), "it is no call for us");
}

#[test]
fn pause_turn_goes_on() {
    let played = plain("paused");
    assert_eq!(played.answer().as_deref(), Some("You may cancel with two months' notice."));
    assert_eq!(played.held()[0], says("Reading the first half of the contract.", false));
    let body: Value = serde_json::from_slice(&played.0.bodies[1]).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(*last, json!({"role": "assistant", "content": "Reading the first half of the contract."}));
}

#[test]
fn stopped_by_length_is_published_and_marked_or_withheld_by_option() {
    let played = plain("length-stop");
    assert!(played.answer().unwrap().ends_with("Ginkgo, Haw"));
    assert_eq!(played.last()["truncated"], true);
    let withheld = with("length-stop", Rule { withhold_truncated: true, ..Rule::default() });
    withheld.assert_failed("output_limit");
    assert!(!withheld.customer().contains("Ginkgo"));
}

#[test]
fn content_filter_publishes_nothing() {
    plain("filtered").assert_failed("content_filter");
}

#[test]
fn stream_error_and_missing_end_mark_publish_nothing() {
    for name in ["error-after-200", "missing-end-mark", "death-mid-message", "early-death"] {
        plain(name).assert_failed("upstream_unavailable");
    }
}

#[test]
fn refusal_is_the_answer_as_a_refusal() {
    for name in ["refusal", "refused-item"] {
        let played = plain(name);
        assert_eq!(played.answer().as_deref(), replay::find(name).unwrap().answer());
        let frames = all(&played.0, View::Customer, Wire::Canonical);
        assert!(frames.iter().map(value).any(|event| event["type"] == "content" && event["refusal"] == true));
    }
}

#[test]
fn text_only_in_the_message_object() {
    let played = plain("message-object");
    assert_eq!(played.answer().as_deref(), Some("The warranty runs until March 2028."));
}

#[test]
fn loop_limit_reached_with_calls_leaves_no_answer() {
    let played = plain("loop");
    played.assert_failed("step_limit");
    assert_eq!((played.0.bodies.len(), played.0.tools.len()), (16, 16));
    let mut ids: Vec<&str> = played.0.tools.iter().map(|call| call.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 16, "an id that the provider uses again is made another");
    let short = play("loop", |setup| setup.limits = Limits { steps: 3, ..Limits::default() });
    short.assert_failed("step_limit");
    assert_eq!(short.0.bodies.len(), 3);
}

#[test]
fn whitespace_only_is_published_for_parity_or_suppressed_by_option() {
    assert_eq!(plain("blank").answer().as_deref(), Some("\n \n"));
    let suppressed = with("blank", Rule { suppress_blank: true, ..Rule::default() });
    assert_eq!(suppressed.answer(), None);
    assert_eq!(types(&all(&suppressed.0, View::Customer, Wire::AgUi)), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(suppressed.held(), [says("\n \n", true)], "the operator sees it");
}

#[test]
fn thinking_tags_inside_text_are_thinking_by_option() {
    let options = Options { thinking_tags: true, ..Options::default() };
    let played = play("thinking-tags", |setup| setup.options = options);
    assert_eq!(played.answer().as_deref(), Some("It is 4.2 km to the station."));
    let operator = bytes(&all(&played.0, View::Operator, Wire::Canonical));
    assert!(operator.contains("metric") && !played.customer().contains("metric"));
}

#[test]
fn thinking_tags_inside_text_stay_whole_by_default() {
    let answer = plain("thinking-tags").answer().unwrap();
    assert!(answer.starts_with("<think>") && answer.ends_with("It is 4.2 km to the station."));
}

#[test]
fn public_narration_and_public_thinking_are_switches_of_their_own() {
    let of = |name: &str, intermediate, thinking| {
        let recording = replay::find(name).unwrap();
        let mut setup = setup_of(recording);
        (setup.profile.public_intermediate, setup.profile.public_thinking) = (intermediate, thinking);
        let mut driver = Blocking::new(Simulated::new(recording, 1), setup, thread());
        driver.post(1, input(RUN, &[]));
        driver.drive();
        let played = Played(driver.host);
        assert_eq!(played.answer().as_deref(), recording.answer());
        let frames = all(&played.0, View::Customer, Wire::AgUi);
        frames.iter().map(value).filter(|event| event["type"] == "REASONING_START").count()
    };
    assert_eq!([of("phases", false, false), of("phases", false, true), of("phases", true, false)], [0, 0, 1]);
    let name = "reasoning-beside-text";
    assert_eq!([of(name, false, false), of(name, true, false), of(name, false, true)], [0, 0, 1]);
}

#[test]
fn early_final_answer_streams_live() {
    let rule = Rule { early: true, ..Rule::default() };
    let (held, early) = (plain("phases"), with("phases", rule));
    assert_eq!(early.answer(), held.answer());
    let id = |played: &Played| value(&all(&played.0, View::Customer, Wire::Canonical)[1])["message"].clone();
    assert_eq!(id(&early), id(&held), "the same id as if nothing streamed");
    assert_eq!(record(&early.0).withdrawn, None);
}

#[test]
fn early_final_answer_beside_a_call_is_withdrawn_and_named() {
    let rule = Rule { early: true, ..Rule::default() };
    // What streams early reaches the customer, which is the risk; so no word is asserted to stay away.
    let recording = replay::find("answer-beside-call").unwrap();
    let mut driver = Blocking::new(Simulated::new(recording, 1), Setup { rule, ..setup_of(recording) }, thread());
    driver.post(1, input(RUN, &[]));
    driver.drive();
    let frames = all(&driver.host, View::Customer, Wire::Canonical);
    let told: Vec<(String, Value)> = frames
        .iter()
        .map(value)
        .filter(|event| event["type"] != "content")
        .map(|event| (event["type"].as_str().unwrap().to_owned(), event["message"].clone()))
        .collect();
    let (first, second) = (json!("run-1-a"), json!("run-1-a2"));
    let expected = [
        ("task_started", &Value::Null),
        ("content_start", &first),
        ("content_end", &first),
        ("content_withdrawn", &first),
        ("content_start", &second),
        ("content_end", &second),
        ("task_completed", &Value::Null),
    ];
    assert_eq!(told, expected.map(|(kind, message)| (kind.to_owned(), message.clone())));
    assert_eq!(record(&driver.host).withdrawn.as_deref(), Some("run-1-a"));
}

#[test]
fn state_reaches_the_customer_whole() {
    let played = plain("state");
    let frames = all(&played.0, View::Customer, Wire::AgUi);
    let snapshots: Vec<Value> = frames
        .iter()
        .map(value)
        .filter(|event| event["type"] == "STATE_SNAPSHOT")
        .map(|event| event["snapshot"].clone())
        .collect();
    let found = json!({"step": "done", "found": ["Lindgren", "Curie"]});
    assert_eq!(snapshots, [json!({"step": "search", "found": []}), found]);
}

/// The assistant's messages of a client that joins with these frames: id and text.
fn transcript(frames: &[Frame]) -> Vec<(String, String)> {
    let mut messages: Vec<(String, String)> = Vec::new();
    for event in frames.iter().map(value) {
        let id = event["messageId"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap() {
            "MESSAGES_SNAPSHOT" => {
                let all = event["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "assistant");
                let text = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
                messages = all.map(|message| (text(message, "id"), text(message, "content"))).skip(2).collect();
            }
            "TEXT_MESSAGE_START" if !messages.iter().any(|(known, _)| known == id) => {
                messages.push((id.to_owned(), String::new()));
            }
            "TEXT_MESSAGE_CONTENT" => {
                let message = messages.iter_mut().find(|(known, _)| known == id).unwrap();
                message.1.push_str(event["delta"].as_str().unwrap());
            }
            _ => {}
        }
    }
    messages
}

#[test]
fn early_answer_is_whole_for_whoever_joins_in_the_middle_of_it() {
    let rule = Rule { early: true, ..Rule::default() };
    for (name, answer) in [("phases", "run-1-a"), ("answer-beside-call", "run-1-a2")] {
        let recording = replay::find(name).unwrap();
        let mut driver = Blocking::new(Simulated::new(recording, 1), Setup { rule, ..setup_of(recording) }, thread());
        driver.post(1, input(RUN, &[]));
        let mut joiners: Vec<(Reader, Vec<Frame>)> = Vec::new();
        let mut revision = 0;
        for turns in 0.. {
            if turns == 12 {
                driver.tell(RUN, Input::Readers { customer: 1, operator: 1 });
            }
            let more = driver.turn();
            if driver.host.wakes.last().is_some_and(|(newest, _)| std::mem::replace(&mut revision, *newest) < *newest) {
                joiners.push((reader(View::Customer, Wire::AgUi, None), Vec::new()));
            }
            for (reader, frames) in &mut joiners {
                pull(&driver.host.store, reader, frames);
            }
            if !more {
                break;
            }
        }
        let partial = joiners.iter().filter(|(_, frames)| {
            let told = types(frames);
            told.windows(2).any(|pair| pair == ["MESSAGES_SNAPSHOT", "TEXT_MESSAGE_START"])
        });
        assert!(partial.count() >= 2, "{name}: some came in the middle");
        for (reader, frames) in &mut joiners {
            assert_eq!(reader.next(), Need::End);
            let messages = transcript(frames);
            let last = messages.last().unwrap();
            assert_eq!((last.0.as_str(), last.1.as_str()), (answer, recording.answer().unwrap()), "{name}: {frames:?}");
            let withdrawn = messages.iter().filter(|(id, _)| id == "run-1-a" && answer != "run-1-a");
            assert!(withdrawn.into_iter().all(|(_, text)| "Your parcel was handed over yesterday." == text));
        }
        let late = all(&driver.host, View::Customer, Wire::AgUi);
        assert_eq!(
            late.iter().filter(|frame| frame.data.contains("lastword.withdrawn")).count(),
            usize::from(answer == "run-1-a2")
        );
    }
}
