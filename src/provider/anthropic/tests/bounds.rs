//! The bounds of a message, and of what is kept of it.

use crate::provider::Format;
use crate::provider::quirks::decode;
use crate::signal::{Fault, Signal, Stop};
use serde_json::{Value, json};

fn stream(events: impl IntoIterator<Item = Value>) -> Vec<Signal> {
    let events = events.into_iter().map(|event| format!("data: {event}\n\n"));
    decode(Format::Anthropic, events.collect::<String>())
}

fn begin(index: usize, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn piece(index: usize, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn call(index: usize, id: &str) -> Value {
    begin(index, json!({"type": "tool_use", "id": id, "name": "look", "input": {}}))
}

fn ended() -> [Value; 2] {
    [json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}), json!({"type": "message_stop"})]
}

fn kept(signals: &[Signal]) -> Option<&Value> {
    signals.iter().find_map(|signal| match signal {
        Signal::Kept(kept) => Some(&kept["anthropic"]),
        _ => None,
    })
}

#[test]
fn past_a_bound_a_message_is_malformed() {
    let text = |index| begin(index, json!({"type": "text", "text": "a"}));
    let calls = |count| stream((0..count).map(|index| call(index, "c")).chain(ended()));
    let blocks = |count| stream((0..count).map(text).chain(ended()));
    let named = |bytes: usize| stream([call(0, &"c".repeat(bytes))].into_iter().chain(ended()));
    for (within, past) in [(calls(128), calls(129)), (blocks(1024), blocks(1025)), (named(1024), named(1025))] {
        assert_eq!(within.last(), Some(&Signal::ResponseEnd(Stop::Complete)));
        assert_eq!(past.last(), Some(&Signal::Error(Fault::Malformed)));
    }
}

#[test]
fn of_a_message_that_is_too_large_nothing_is_kept_and_all_is_said() {
    let large = |pieces: usize| {
        let thinking = begin(0, json!({"type": "thinking", "thinking": ""}));
        let piece = || piece(0, json!({"type": "thinking_delta", "thinking": "x".repeat(1 << 19)}));
        stream([thinking].into_iter().chain((0..pieces).map(|_| piece())).chain([call(1, "c")]).chain(ended()))
    };
    let (within, past) = (large(7), large(8));
    assert_eq!(kept(&within).unwrap()[0]["thinking"].as_str().unwrap().len(), 7 << 19);
    assert_eq!(kept(&past), None);
    let said = |signals: &[Signal]| {
        signals.iter().map(|signal| if let Signal::Reasoning(text) = signal { text.len() } else { 0 }).sum::<usize>()
    };
    assert_eq!(said(&past), 8 << 19);
    assert_eq!(past.last(), Some(&Signal::ResponseEnd(Stop::Complete)));
}

#[test]
fn nothing_is_kept_where_text_and_calls_say_it_all_or_the_turn_does_not_go_on() {
    let text = || begin(0, json!({"type": "text", "text": "a"}));
    let thinking = || begin(1, json!({"type": "thinking", "thinking": "b", "signature": "s"}));
    assert_eq!(kept(&stream([text(), call(1, "c")].into_iter().chain(ended()))), None);
    assert_eq!(kept(&stream([text(), thinking()].into_iter().chain(ended()))), None);
    assert!(kept(&stream([text(), thinking(), call(2, "c")].into_iter().chain(ended()))).is_some());
}

#[test]
fn what_is_kept_is_what_the_format_takes_back() {
    let blocks = [
        begin(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        piece(0, json!({"type": "signature_delta", "signature": "si"})),
        piece(0, json!({"type": "signature_delta", "signature": "g"})),
        begin(1, json!({"type": "text", "text": "", "citations": null})),
        piece(1, json!({"type": "text_delta", "text": " \n"})),
        begin(2, json!({"type": "text", "text": "a", "citations": []})),
        begin(3, json!({"type": "hologram", "data": 1})),
        begin(4, json!({"type": "tool_use", "id": "c1", "name": "look", "input": {}, "caller": {"type": "direct"}})),
        piece(4, json!({"type": "input_json_delta", "partial_json": "{\"a\": [1"})),
        piece(4, json!({"type": "input_json_delta", "partial_json": "]}"})),
        begin(5, json!({"type": "tool_use", "id": "c2", "name": "look", "input": {}})),
        piece(5, json!({"type": "input_json_delta", "partial_json": "{\"a"})),
    ];
    let signals = stream(blocks.into_iter().chain(ended()));
    let expected = json!([
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"a": [1]}, "caller": {"type": "direct"}},
        {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
    ]);
    assert_eq!(kept(&signals), Some(&expected), "no blank text, no unknown block, and every input an object");
}
