//! What one response may hold, and what is kept of it.

use crate::provider::Format;
use crate::provider::quirks::{assert_order, decode};
use crate::signal::{Fault, Phase, Role, Signal, Stop};
use serde_json::{Value, json};

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn whole(mut events: Vec<Value>) -> Vec<Signal> {
    events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
    let signals = decode(Format::Responses, stream(&events));
    assert_order(&signals);
    signals
}

fn is_malformed(events: Vec<Value>) -> bool {
    whole(events).last() == Some(&Signal::Error(Fault::Malformed))
}

fn added(index: usize, item: Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn ended(index: usize, item: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn said(index: usize, part: usize, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": index, "content_index": part, "delta": delta})
}

fn call(id: &str, name: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{}"})
}

#[test]
fn as_many_items_parts_and_calls_as_are_allowed_and_no_more() {
    let messages = |count| (0..count).map(|index| ended(index, json!({"type": "message", "content": "a"}))).collect();
    assert!(!is_malformed(messages(1024)));
    assert!(is_malformed(messages(1025)));
    let parts = |count| (0..count).map(|part| said(0, part, "a")).collect();
    assert!(!is_malformed(parts(1024)));
    assert!(is_malformed(parts(1025)));
    let calls = |count| (0..count).map(|index| ended(index, call(&format!("c{index}"), "f"))).collect();
    assert!(!is_malformed(calls(128)));
    assert!(is_malformed(calls(129)));
}

#[test]
fn ids_and_names_past_1_kib_are_malformed() {
    let long = |length| "n".repeat(length);
    for (id, name) in [(1, 1), (1024, 1024)] {
        assert!(!is_malformed(vec![ended(0, call(&long(id), &long(name)))]));
    }
    for (id, name) in [(1, 1025), (1025, 1)] {
        assert!(is_malformed(vec![ended(0, call(&long(id), &long(name)))]));
    }
}

#[test]
fn what_waits_has_a_bound() {
    let open = || added(0, json!({"type": "message"}));
    let waiting = |pieces: usize| [vec![open()], vec![said(1, 0, &"x".repeat(1 << 16)); pieces]].concat();
    assert!(!is_malformed(waiting(16)));
    assert!(is_malformed(waiting(17)));
    let argued =
        |delta: &str| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": delta});
    assert!(!is_malformed(vec![argued(&"x".repeat(1 << 16)); 16]));
    assert!(is_malformed(vec![argued(&"x".repeat(1 << 16)); 17]));
}

#[test]
fn many_events_of_many_items_take_linear_time() {
    let mut events: Vec<Value> = (0..1000).map(|index| added(index, json!({"type": "message"}))).collect();
    events.extend((0..20_000).map(|at| said(at % 1000, 0, "a")));
    let signals = whole(events);
    assert_eq!(signals.iter().filter(|signal| matches!(signal, Signal::ItemEnd { .. })).count(), 1000);
    let text: usize = signals.iter().map(|signal| if let Signal::Text(text) = signal { text.len() } else { 0 }).sum();
    assert_eq!(text, 20_000);
}

fn kept(signals: &[Signal]) -> Option<&Value> {
    signals.iter().find_map(|signal| match signal {
        Signal::Kept(kept) => Some(&kept["responses"]),
        _ => None,
    })
}

#[test]
fn only_what_text_and_calls_would_lose_is_kept_and_only_beside_calls() {
    let reasoning = || ended(0, json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}));
    let message = |phase: Value| ended(1, json!({"type": "message", "id": "m", "content": "a", "phase": phase}));
    let called = || ended(2, call("c", "f"));
    assert_eq!(kept(&whole(vec![reasoning(), message(Value::Null)])), None, "no call");
    assert_eq!(kept(&whole(vec![message(Value::Null), called()])), None, "nothing more than text and a call");
    let all = whole(vec![reasoning(), message(json!("commentary")), called()]);
    let expected = json!([
        {"type": "reasoning", "summary": [], "encrypted_content": "x"},
        {"type": "message", "content": "a", "phase": "commentary"},
        call("c", "f"),
    ]);
    assert_eq!(kept(&all), Some(&expected));
    let searched = ended(0, json!({"type": "web_search_call", "id": "ws", "status": "completed"}));
    let expected = json!([{"type": "web_search_call", "id": "ws", "status": "completed"}, call("c", "f")]);
    assert_eq!(kept(&whole(vec![searched, called()])), Some(&expected), "a tool of the provider's has its id");
}

#[test]
fn what_is_kept_is_in_the_order_of_the_indexes_and_repeated_items_once() {
    let reasoning = json!({"type": "reasoning", "encrypted_content": "x"});
    let events = vec![ended(5, call("c", "f")), ended(1, reasoning.clone()), ended(1, reasoning.clone())];
    assert_eq!(kept(&whole(events)), Some(&json!([reasoning, call("c", "f")])));
}

#[test]
fn the_responses_own_list_is_kept_where_the_stream_had_no_ends() {
    let reasoning = json!({"type": "reasoning", "encrypted_content": "x"});
    let output = json!([reasoning, call("c", "f")]);
    let events = [
        added(1, json!({"type": "function_call", "call_id": "c", "name": "f"})),
        json!({"type": "response.completed", "response": {"output": output}}),
    ];
    assert_eq!(kept(&decode(Format::Responses, stream(&events))), Some(&output));
}

#[test]
fn past_4_mib_nothing_is_kept() {
    let image = |index| ended(index, json!({"type": "image_generation_call", "result": "A".repeat(900 << 10)}));
    let all = |count| (0..count).map(image).chain([ended(9, call("c", "f"))]).collect();
    assert!(kept(&whole(all(4))).is_some());
    let signals = whole(all(5));
    assert_eq!(kept(&signals), None);
    assert_eq!(signals.last(), Some(&Signal::ResponseEnd(Stop::Complete)));
}

#[test]
fn a_message_behind_one_of_a_higher_index_is_narration_unless_its_mark_says_more() {
    let message = |index, phase: Value| ended(index, json!({"type": "message", "content": "a", "phase": phase}));
    let phases = |first: Value, second: Value| {
        let signals = whole(vec![message(2, first), message(0, second)]);
        let phases = signals.into_iter().filter_map(|signal| match signal {
            Signal::ItemStart { role: Role::Assistant, phase } => Some(phase),
            _ => None,
        });
        phases.collect::<Vec<_>>()
    };
    let (commentary, answer) = (|| json!("commentary"), || json!("final_answer"));
    assert_eq!(phases(Value::Null, Value::Null), [Phase::Unmarked, Phase::Commentary]);
    assert_eq!(phases(answer(), answer()), [Phase::FinalAnswer, Phase::Commentary]);
    assert_eq!(phases(Value::Null, answer()), [Phase::Unmarked, Phase::FinalAnswer]);
    assert_eq!(phases(commentary(), Value::Null), [Phase::Commentary, Phase::Unmarked]);
}

#[test]
fn the_end_says_how_the_response_ended() {
    let end = |kind: &str, response: Value| {
        let events = [said(0, 0, "a"), json!({"type": kind, "response": response})];
        decode(Format::Responses, stream(&events)).pop().unwrap()
    };
    let incomplete = |reason: &str| json!({"status": "incomplete", "incomplete_details": {"reason": reason}});
    let reported = Signal::Error(Fault::Reported);
    assert_eq!(end("response.completed", json!({})), Signal::ResponseEnd(Stop::Complete));
    assert_eq!(end("response.completed", json!({"status": "in_progress"})), Signal::ResponseEnd(Stop::Complete));
    assert_eq!(end("response.completed", incomplete("max_output_tokens")), Signal::ResponseEnd(Stop::Length));
    assert_eq!(end("response.incomplete", incomplete("content_filter")), Signal::ResponseEnd(Stop::ContentFilter));
    assert_eq!(end("response.incomplete", incomplete("max_messages")), Signal::ResponseEnd(Stop::Length));
    assert_eq!(end("response.done", json!({"status": "completed"})), Signal::ResponseEnd(Stop::Complete));
    for (kind, status) in
        [("response.completed", "failed"), ("response.incomplete", "cancelled"), ("response.failed", "")]
    {
        assert_eq!(end(kind, json!({"status": status})), reported, "{kind} {status}");
    }
    assert_eq!(end("response.completed", json!({"status": "queued"})), Signal::Error(Fault::Cut));
}
