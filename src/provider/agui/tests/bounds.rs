//! What an agent can't make us hold.

use crate::provider::Decoder as _;
use crate::provider::agui::Decoder;
use crate::signal::{Fault, Signal};
use serde_json::{Value, json};

fn end(events: impl IntoIterator<Item = Value>) -> Signal {
    let (mut decoder, mut out) = (Decoder::new(), Vec::new());
    for event in events {
        decoder.feed(format!("data: {event}\n\n").as_bytes(), &mut out);
    }
    decoder.finish(&mut out);
    out.pop().unwrap()
}

#[test]
fn past_each_bound_it_is_malformed() {
    let long = "x".repeat(1025);
    let piece = "x".repeat(1 << 19);
    let start = |id: &str| json!({"type": "TEXT_MESSAGE_START", "messageId": id});
    let say = |id: &str| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": piece});
    let call = |id: &str| json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "f"});
    let args = || json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece});
    let grow = json!({"type": "STATE_DELTA", "delta": [{"op": "copy", "from": "", "path": "/a"}]});
    let cases: Vec<(&str, Vec<Value>)> = vec![
        ("an id", vec![start(&long)]),
        ("a call's id", vec![call(&long)]),
        ("a name", vec![json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": long})]),
        ("messages at once", (0..1025).map(|at| start(&at.to_string())).collect()),
        ("calls", (0..129).map(|at| call(&at.to_string())).collect()),
        ("texts that wait", vec![start("a"), start("b"), say("b"), say("b"), say("b")]),
        ("arguments", vec![call("c"), args(), args(), args()]),
        ("a patch", vec![json!({"type": "STATE_DELTA", "delta": vec![json!({"op": "test"}); 1025]})]),
        ("a state that doubles", {
            let first = json!({"type": "STATE_SNAPSHOT", "snapshot": {"x": piece}});
            std::iter::once(first).chain(std::iter::repeat_n(grow, 10)).collect()
        }),
    ];
    for (what, events) in cases {
        assert_eq!(end(events), Signal::Error(Fault::Malformed), "{what}");
    }
}

#[test]
fn within_each_bound_it_is_not() {
    let start = |id: &str| json!({"type": "TEXT_MESSAGE_START", "messageId": id});
    let finished = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    let calls =
        (0..128).map(|at| json!({"type": "TOOL_CALL_START", "toolCallId": at.to_string(), "toolCallName": "f"}));
    for events in
        [vec![start(&"x".repeat(1024))], (0..1024).map(|at| start(&at.to_string())).collect(), calls.collect()]
    {
        let last = end(events.into_iter().chain([finished.clone()]));
        assert!(matches!(last, Signal::ResponseEnd(_)), "{last:?}");
    }
}
