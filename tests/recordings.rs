//! Every recording, from the provider's bytes to both views, over the blocking driver.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{RUN, all, answer, bytes, driver_of, input, played, record, setup_of, types, value};
use lastword::driver::Simulated;
use lastword::event::View;
use lastword::profile::Profile;
use lastword::provider::replay;
use lastword::run::Status;
use lastword::signal::{Signal, Usage};
use lastword::wire::Wire;
use std::collections::BTreeSet;

/// The recordings that end well and publish no text: for the client's tools, for a person's word, or for nothing.
const WITHOUT_ANSWER: &[&str] = &[
    "approval",
    "approval-beside-client-tool",
    "approvals-parallel",
    "client-tool",
    "client-tools-parallel",
    "empty-answer",
];

/// Words of a provider's error, which leave to nobody.
const OF_AN_ERROR: &[&str] = &["internal-host-detail", "exhausted"];

#[test]
fn the_customer_gets_the_answer_and_nothing_else() {
    for name in replay::names() {
        let recording = replay::find(name).unwrap();
        let driver = played(name);
        let frames = all(&driver.host, View::Customer, Wire::AgUi);
        let terminal = value(frames.last().unwrap());
        match recording.failure() {
            Some(code) => assert_eq!((&terminal["type"], &terminal["code"]), (&"RUN_ERROR".into(), &code.into())),
            None => assert_eq!(terminal["type"], "RUN_FINISHED", "{name}"),
        }
        let expected = recording.answer().filter(|_| !WITHOUT_ANSWER.contains(&name));
        assert_eq!(answer(&frames).as_deref(), expected, "{name}");
        let terminals = ["RUN_FINISHED", "RUN_ERROR"];
        assert_eq!(types(&frames).iter().filter(|name| terminals.contains(&name.as_str())).count(), 1, "{name}");
    }
}

#[test]
fn narration_reaches_operators_and_never_a_customer() {
    let mut words = 0;
    for name in replay::names() {
        let driver = played(name);
        let customer =
            [Wire::AgUi, Wire::Canonical].map(|wire| bytes(&all(&driver.host, View::Customer, wire))).concat();
        let frames = all(&driver.host, View::Operator, Wire::Canonical);
        let told: String =
            frames.iter().filter_map(|frame| value(frame)["delta"].as_str().map(str::to_owned)).collect();
        for word in replay::find(name).unwrap().narration() {
            assert!(!customer.contains(word), "{name}: {word}");
            assert_eq!(told.contains(word), !OF_AN_ERROR.contains(&word.as_str()), "{name}: {word}");
            words += 1;
        }
    }
    assert!(words > 30, "the recordings narrate");
}

#[test]
fn numbers_are_dense_for_operators_and_rise_for_customers() {
    for name in replay::names() {
        let driver = played(name);
        let number = |frame: &lastword::sse::Frame| value(frame)["meta"]["seq"].as_u64().unwrap();
        let operator: Vec<u64> = all(&driver.host, View::Operator, Wire::Canonical).iter().map(number).collect();
        assert_eq!(operator, (1..=record(&driver.host).sequence).collect::<Vec<_>>(), "{name}");
        let customer: Vec<u64> = all(&driver.host, View::Customer, Wire::Canonical).iter().map(number).collect();
        assert!(customer.is_sorted_by(|a, b| a < b), "{name}");
    }
}

#[test]
fn failures_are_told_by_code_and_sentence_with_the_logs_reference() {
    for (name, code) in replay::names().filter_map(|name| Some((name, replay::find(name)?.failure()?))) {
        let driver = played(name);
        let record = record(&driver.host);
        assert_eq!(record.status, Status::Failed);
        let failure = record.failure.unwrap();
        assert_eq!(failure.code, code, "{name}");
        assert_eq!(driver.host.logs.len(), 1);
        assert_eq!(driver.host.logs[0].reference, failure.reference);
        let last = value(all(&driver.host, View::Customer, Wire::AgUi).last().unwrap());
        assert!(last["message"].as_str().unwrap().contains(&failure.reference), "{last}");
    }
}

/// What the provider counted for a whole recording, one response after the other.
fn counted(name: &str) -> (u64, u64) {
    let recording = replay::find(name).unwrap();
    let (mut input, mut output) = (0, 0);
    for response in (1..).map_while(|ordinal| recording.response(ordinal)) {
        let (mut decoder, mut signals) = (recording.format().decoder(), Vec::new());
        response.for_each(|chunk| decoder.feed(chunk.bytes, &mut signals));
        decoder.finish(&mut signals);
        let last = signals.iter().rev().find_map(|signal| match signal {
            Signal::Usage(usage) => Some(usage.clone()),
            _ => None,
        });
        input += last.as_ref().and_then(|usage| usage.input).unwrap_or(0);
        output += last.as_ref().and_then(|usage| usage.output).unwrap_or(0);
    }
    (input, output)
}

#[test]
fn each_response_is_counted_once() {
    for name in ["narrated-refund", "prose-monologue", "parallel-tools", "length-stop"] {
        let usage = record(&played(name).host).usage;
        let sum = |tokens: fn(&Usage) -> Option<u64>| usage.iter().filter_map(|entry| tokens(&entry.tokens)).sum();
        assert_eq!((sum(|tokens| tokens.input), sum(|tokens| tokens.output)), counted(name), "{name}");
        assert!(counted(name).1 > 0, "{name} counts");
    }
}

#[test]
fn tools_of_ours_run_once_the_journal_names_them_and_the_model_is_told() {
    let driver = played("narrated-refund");
    let tools: Vec<&str> = driver.host.tools.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(tools, ["look_up_order", "find_refund"]);
    assert_eq!(driver.host.bodies.len(), 3);
    let body: serde_json::Value = serde_json::from_slice(&driver.host.bodies[2]).unwrap();
    let roles: Vec<&str> = body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles[5..], ["assistant", "tool", "assistant", "tool"]);
}

#[test]
fn client_calls_leave_whole_and_together() {
    let driver = played("client-tools-parallel");
    let frames = all(&driver.host, View::Customer, Wire::AgUi);
    let values: Vec<_> = frames.iter().map(value).collect();
    let starts: Vec<_> = values.iter().filter(|value| value["type"] == "TOOL_CALL_START").collect();
    assert_eq!(starts.len(), 2);
    assert_eq!(starts[0]["parentMessageId"], starts[1]["parentMessageId"]);
    let pending = &values.last().unwrap()["outcome"]["pendingToolCallIds"];
    assert_eq!(*pending, serde_json::json!([starts[0]["toolCallId"], starts[1]["toolCallId"]]));
    assert!(driver.host.tools.is_empty());
}

#[test]
fn a_length_stop_is_marked_and_a_refusal_is_the_answer() {
    let last = value(all(&played("length-stop").host, View::Customer, Wire::Canonical).last().unwrap());
    assert_eq!(last["truncated"], true);
    let frames = all(&played("refusal").host, View::Customer, Wire::Canonical);
    assert_eq!(value(&frames[1])["refusal"], true);
}

/// The streams of both views, as they are, for one recording of each kind.
#[test]
fn the_wires_stand() {
    for name in ["narrated-refund", "client-tools-parallel", "death-mid-message"] {
        let driver = played(name);
        for (view, wire) in
            [(View::Customer, Wire::AgUi), (View::Customer, Wire::Canonical), (View::Operator, Wire::Canonical)]
        {
            let stream = bytes(&all(&driver.host, view, wire));
            insta::assert_snapshot!(format!("{name}-{view:?}-{wire:?}"), stream);
        }
    }
}

#[test]
fn each_public_switch_shows_its_own_and_nothing_else() {
    type Switch = fn(&mut Profile);
    let switches: [(Switch, &[&str]); 5] = [
        (|profile| profile.public_intermediate = true, &["intermediate", "intermediate_end", "intermediate_start"]),
        (|profile| profile.public_thinking = true, &["thinking", "thinking_end", "thinking_start"]),
        (|profile| profile.public_tools = true, &["tool_args", "tool_args_end", "tool_result", "tool_start"]),
        (|profile| profile.public_working = true, &["working"]),
        (|_| (), &[]),
    ];
    for (switch, shown) in switches {
        let mut seen = BTreeSet::new();
        for name in replay::names() {
            let recording = replay::find(name).unwrap();
            let mut setup = setup_of(recording);
            switch(&mut setup.profile);
            let mut driver = driver_of(Simulated::new(recording, 1), setup);
            driver.post(1, input(RUN, &recording.client_tools().iter().map(String::as_str).collect::<Vec<_>>()));
            driver.drive();
            let frames = all(&driver.host, View::Customer, Wire::Canonical);
            seen.extend(types(&frames.into_iter().filter(|frame| value(frame)["public"] == true).collect::<Vec<_>>()));
        }
        assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), shown);
    }
}
