//! What holds for every event and every body.

use crate::samples::{AT, context, echo, modern, older};
use crate::schema;
use crate::strategies::{event, json, long_id, profile};
use lastword::event::{Event, Plain, View};
use lastword::wire::agui::{Limits, Prelude, parse};
use lastword::wire::{Context, DELTA_FRAME, WHOLE_FRAME, Wire};
use proptest::prelude::*;
use serde_json::{Value, json};

/// True if a null stands anywhere in the value.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

/// Joins what several frames of one event carry in pieces.
fn joined(frames: &[Value]) -> String {
    frames.iter().filter_map(|frame| frame["delta"].as_str()).collect()
}

proptest! {
    #[test]
    fn agui_frames_are_what_the_client_takes(
        event in event(), at in prop_oneof![Just(AT), any::<u64>()], any in profile(), run in long_id(), thread in long_id(),
    ) {
        for profile in [modern(), older(), any] {
            let cx = Context { run: &run, thread: &thread, profile: &profile };
            let frames = Wire::AgUi.frames(&cx, 7, at, &event).unwrap();
            let values: Vec<Value> = frames.iter().map(|frame| serde_json::from_str(frame).unwrap()).collect();
            for (frame, value) in frames.iter().zip(&values) {
                prop_assert!(!frame.contains(['\n', '\r']));
                schema::check(value).map_err(TestCaseError::fail)?;
                prop_assert!(frame.len() <= WHOLE_FRAME);
                prop_assert_eq!(value.get("timestamp").and_then(Value::as_u64), Some(at).filter(|at| *at < 1 << 53));
            }
            if let (Some(text), false) = (event.delta(), values.is_empty()) {
                prop_assert_eq!(joined(&values), text);
                prop_assert!(frames.iter().all(|frame| frame.len() <= DELTA_FRAME));
            }
        }
    }

    #[test]
    fn an_older_client_is_sent_nothing_that_it_does_not_know(event in event()) {
        for frame in Wire::AgUi.frames(&context(&older()), 7, AT, &event).unwrap() {
            let value: Value = serde_json::from_str(&frame).unwrap();
            prop_assert!(value.get("usage").is_none() && value.get("protocolVersion").is_none());
            prop_assert!(value.get("outcome").is_none_or(|outcome| outcome["type"] == "interrupt"));
        }
    }

    #[test]
    fn what_is_the_operators_gives_no_frame_and_changes_no_prelude(event in event()) {
        prop_assume!(!View::Customer.sees(event.audience()));
        let profile = modern();
        prop_assert!(Wire::AgUi.frames(&context(&profile), 7, AT, &event).unwrap().is_empty());
        let mut prelude = Prelude::new(&echo());
        let before = prelude.frames(&context(&profile)).unwrap();
        prelude.fold(&event);
        prop_assert_eq!(prelude.frames(&context(&profile)).unwrap(), before);
    }

    #[test]
    fn frames_keep_their_limits_whatever_the_run_and_thread_are_called(
        event in event(), profile in profile(), run in long_id(), thread in long_id(),
    ) {
        let cx = Context { run: &run, thread: &thread, profile: &profile };
        for wire in [Wire::Canonical, Wire::AgUi] {
            let frames = wire.frames(&cx, 7, AT, &event).unwrap();
            let most = if event.delta().is_some() { DELTA_FRAME } else { WHOLE_FRAME };
            prop_assert!(frames.iter().all(|frame| frame.len() <= most), "{:?}", event);
            prop_assert_eq!(wire.frames(&cx, 7, AT, &event).unwrap(), frames, "a replay has the same bytes");
        }
    }

    #[test]
    fn canonical_frames_are_the_event_and_its_place(event in event(), seq in 1_u64..1 << 53) {
        let frames = Wire::Canonical.frames(&context(&modern()), seq, AT, &event).unwrap();
        prop_assert!(!frames.is_empty());
        let values: Vec<Value> = frames.iter().map(|frame| serde_json::from_str(frame).unwrap()).collect();
        for (frame, value) in frames.iter().zip(&values) {
            prop_assert!(!frame.contains(['\n', '\r']));
            let meta = format!(r#","meta":{{"run":"run-1","thread":"thread-1","seq":{seq},"at":{AT}}}}}"#);
            prop_assert!(frame.starts_with(r#"{"type":""#) && frame.ends_with(&meta), "{}", frame);
            let state = matches!(&event, Event::Plain(Plain::State { .. }));
            prop_assert!(state || !has_null(value));
        }
        if let Some(text) = event.delta() {
            prop_assert_eq!(joined(&values), text);
            prop_assert!(frames.iter().all(|frame| frame.len() <= DELTA_FRAME));
        }
    }

    #[test]
    fn the_parser_never_panics_on_bytes(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&body, &Limits::default());
    }

    #[test]
    fn the_parser_answers_any_json_in_its_fields(
        key in prop_oneof![
            Just("threadId"), Just("messages"), Just("tools"), Just("context"), Just("resume"),
            Just("forwardedProps"), Just("protocolVersion"), Just("state"),
        ],
        value in json(),
        fields in message_fields(),
    ) {
        let mut body = json!({"threadId": "t", "runId": "r", "messages": [fields]});
        let _ = parse(body.to_string().as_bytes(), &Limits::default());
        body[key] = value;
        match parse(body.to_string().as_bytes(), &Limits::default()) {
            Ok(input) => prop_assert_eq!(input.fingerprint.len(), 64),
            Err(error) => prop_assert_eq!(error.code(), "invalid_input"),
        }
    }

    #[test]
    fn what_is_accepted_is_sent_back_without_a_null_where_none_may_be(fields in message_fields()) {
        let body = json!({"threadId": "t", "runId": "r", "messages": [fields]});
        if let Ok(input) = parse(body.to_string().as_bytes(), &Limits::default()) {
            let message = input.echo.messages[0].as_object().unwrap();
            prop_assert!(message.values().all(|value| !value.is_null()));
        }
    }
}

/// A message with the fields that matter, each good, wrong or left out.
fn message_fields() -> impl Strategy<Value = Value> {
    let role = prop_oneof![
        Just("system"),
        Just("developer"),
        Just("user"),
        Just("assistant"),
        Just("tool"),
        Just("reasoning"),
        Just("activity"),
        Just("nobody"),
    ];
    let part = prop_oneof![
        json(),
        any::<String>().prop_map(|text| json!({"type": "text", "text": text, "id": null})),
        json().prop_map(|source| json!({"type": "image", "source": source})),
        any::<String>().prop_map(|value| json!({"type": "audio", "source": {"type": "url", "value": value}})),
        any::<String>().prop_map(|value| json!({"type": "binary", "mimeType": "image/png", "data": value})),
    ];
    let content = prop_oneof![
        any::<String>().prop_map(Value::from),
        proptest::collection::vec(part, 0..3).prop_map(Value::from),
        json(),
    ];
    let call = prop_oneof![
        json(),
        any::<String>()
            .prop_map(|text| { json!({"id": text, "type": "function", "function": {"name": "f", "arguments": text}}) }),
    ];
    let optional = || proptest::option::weighted(0.3, json());
    let fields = (role, content, optional(), optional(), proptest::collection::vec(call, 0..3), any::<bool>());
    fields.prop_map(|(role, content, name, metadata, calls, keep)| {
        let mut message = json!({"id": "m", "role": role, "content": content, "toolCallId": "c", "toolCalls": calls});
        message["name"] = name.unwrap_or(Value::Null);
        message["metadata"] = metadata.unwrap_or(Value::Null);
        message["activityType"] = json!("plan");
        if !keep {
            message.as_object_mut().unwrap().remove("toolCalls");
        }
        message
    })
}
