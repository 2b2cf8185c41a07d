//! The bounds of a response, and what is kept of one.

use crate::provider::Format;
use crate::provider::quirks::decode;
use crate::signal::{Fault, Signal, Stop};
use serde_json::{Value, json};

fn stream(parts: impl IntoIterator<Item = Value>) -> Vec<Signal> {
    let chunks = parts.into_iter().map(|part| json!({"candidates": [{"content": {"parts": [part]}}]}));
    let last = json!({"candidates": [{"finishReason": "STOP"}]});
    let frames = chunks.chain([last]).map(|chunk| format!("data: {chunk}\n\n"));
    decode(Format::Gemini, frames.collect::<String>())
}

fn call(name: &str) -> Value {
    json!({"functionCall": {"name": name, "args": {}}})
}

fn pieces(pieces: Value) -> Value {
    json!({"functionCall": {"partialArgs": pieces, "willContinue": true}})
}

fn open() -> Value {
    json!({"functionCall": {"name": "f", "willContinue": true}})
}

fn kept(signals: &[Signal]) -> Option<&Value> {
    signals.iter().find_map(|signal| match signal {
        Signal::Kept(kept) => Some(&kept["gemini"]),
        _ => None,
    })
}

#[test]
fn past_a_bound_a_response_is_malformed() {
    let calls = |count| stream((0..count).map(|_| call("f")));
    let named = |bytes: usize| stream([call(&"f".repeat(bytes))]);
    let entry = |at: usize| stream([open(), pieces(json!([{"jsonPath": format!("$.a[{at}]"), "boolValue": true}]))]);
    let deep = |levels: usize| {
        let way = format!("${}", ".a".repeat(levels));
        stream([open(), pieces(json!([{"jsonPath": way, "boolValue": true}]))])
    };
    let long = |pieces_of: usize| {
        let piece = || pieces(json!([{"jsonPath": "$.a", "stringValue": "x".repeat(1 << 18), "willContinue": true}]));
        stream(std::iter::once(open()).chain((0..pieces_of).map(|_| piece())))
    };
    let cases = [
        ("calls", calls(128), calls(129)),
        ("a name", named(1024), named(1025)),
        ("a list", entry(1000), entry(65_537)),
        ("levels", deep(60), deep(100)),
        ("arguments in pieces", long(3), long(5)),
    ];
    for (what, within, past) in cases {
        assert_eq!(within.last(), Some(&Signal::ResponseEnd(Stop::Complete)), "{what}");
        assert_eq!(past.last(), Some(&Signal::Error(Fault::Malformed)), "{what}");
    }
}

#[test]
fn what_is_signed_is_kept_where_the_response_calls() {
    let thought = || json!({"text": "Hm.", "thought": true, "thoughtSignature": "c2ln"});
    let signed = || json!({"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "d2ln"});
    let signals = stream([thought(), json!({"text": "Let me look."}), signed()]);
    let parts = kept(&signals).unwrap().as_array().unwrap();
    assert_eq!(parts.first(), Some(&thought()));
    assert_eq!(parts.last(), Some(&signed()));
    assert_eq!(kept(&stream([thought(), json!({"text": "Fine."})])), None, "without a call the turn is over");
    assert_eq!(kept(&stream([call("f")])), None, "text and calls alone say all");
}

#[test]
fn of_a_response_that_is_too_large_nothing_is_kept_and_all_is_said() {
    let code = || json!({"executableCode": {"language": "PYTHON", "code": "x".repeat(1 << 19)}});
    let large = |count: usize| stream((0..count).map(|_| code()).chain([call("f")]));
    assert!(kept(&large(2)).is_some());
    let past = large(10);
    assert_eq!(kept(&past), None);
    assert!(past.iter().any(|signal| matches!(signal, Signal::CallStart { .. })));
    assert_eq!(past.last(), Some(&Signal::ResponseEnd(Stop::Complete)));
}

#[test]
fn what_is_kept_is_what_the_format_takes_back() {
    let signature = |part: Value| {
        let mut part = part;
        part["thoughtSignature"] = json!("c2ln");
        part
    };
    let parts = [
        json!({"text": "Hm", "thought": true}),
        signature(json!({"text": "m.", "thought": true})),
        json!({"text": "Let me "}),
        json!({"text": "look."}),
        signature(json!({"text": " Now."})),
        json!({"text": "So."}),
        json!({"inlineData": {"mimeType": "image/png", "data": "QUJD"}}),
        signature(json!({"inlineData": {"mimeType": "image/png", "data": "REVG"}})),
        json!({"codeExecutionResult": {"output": "42"}}),
        json!({"functionCall": {"name": "look", "willContinue": true}}),
        signature(json!({"functionCall": {"partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}})),
        json!({"functionCall": {"name": "list", "id": "fc-2"}}),
        signature(json!({"text": ""})),
    ];
    let expected = json!([
        {"text": "m.", "thought": true, "thoughtSignature": "c2ln"},
        {"text": "Let me look."},
        {"text": " Now.", "thoughtSignature": "c2ln"},
        {"text": "So."},
        {"inlineData": {"mimeType": "image/png", "data": "REVG"}, "thoughtSignature": "c2ln"},
        {"codeExecutionResult": {"output": "42"}},
        {"functionCall": {"name": "look", "args": {"a": 1}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "list", "id": "fc-2", "args": {}}},
        {"text": "", "thoughtSignature": "c2ln"},
    ]);
    assert_eq!(kept(&stream(parts)), Some(&expected));
}
