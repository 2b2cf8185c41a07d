//! The AI SDK's stream of every kind of run, and what holds of any.

use crate::samples::{AT, context, frames_of, modern, sample_run, usage};
use crate::strategies::{profile, run};
use crate::ui_check::Checker;
use insta::assert_snapshot;
use lastword::event::{Completion, Event, Failure, Interrupt, Plain, Sealed, Timing, ToolOutcome, View};
use lastword::profile::Profile;
use lastword::wire::ui_stream::{Stream, failure};
use lastword::wire::{Context, DELTA_FRAME, WHOLE_FRAME};
use lastword::{Error, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

fn data_of(run: &[Event], profile: &Profile, request: Option<&Value>, whole: bool) -> Vec<String> {
    let mut stream = Stream::new(request, whole);
    let mut lines = Vec::new();
    for event in run.iter().filter(|event| View::Customer.sees(event.audience())) {
        for frame in frames_of(&mut stream, &context(profile), AT, event).unwrap() {
            assert_eq!((&frame.id, &frame.event), (&None, &None));
            lines.push(frame.data);
        }
    }
    lines
}

/// The stream, as text, once it has been found to be one.
fn page(events: impl IntoIterator<Item = Event>) -> String {
    page_of(events, None, false)
}

fn page_of(events: impl IntoIterator<Item = Event>, request: Option<&Value>, whole: bool) -> String {
    let events: Vec<Event> = [Sealed::Started {}.into()].into_iter().chain(events).collect();
    let lines = data_of(&events, &modern(), request, whole);
    let mut checker = Checker::of(request, whole);
    lines.iter().for_each(|line| checker.take(line).unwrap());
    checker.end().unwrap();
    lines.join("\n")
}

fn completion() -> Completion {
    let timing = Timing { ttft_ms: Some(90), answer_ms: Some(1_100), total_ms: 1_200 };
    Completion { usage: usage(), timing, ..Completion::default() }
}

fn completed() -> Event {
    Sealed::Completed(completion()).into()
}

fn answer(refusal: bool, pieces: &[&str]) -> Vec<Event> {
    let message = || "run-1-a".to_owned();
    let mut events: Vec<Event> = vec![Sealed::AnswerStart { message: message(), refusal }.into()];
    let delta = |piece: &&str| Sealed::AnswerDelta { message: message(), refusal, delta: (*piece).to_owned() }.into();
    events.extend(pieces.iter().map(delta));
    events.push(Sealed::AnswerEnd { message: message() }.into());
    events
}

fn calls(calls: &[(&str, &str)]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (call, arguments) in calls {
        let call = || (*call).to_owned();
        events.push(Sealed::CallStart { call: call(), name: "pick".into(), parent: "run-1-c".into() }.into());
        if !arguments.is_empty() {
            events.push(Sealed::CallArgs { call: call(), delta: (*arguments).to_owned() }.into());
        }
        events.push(Sealed::CallEnd { call: call() }.into());
    }
    events
}

fn pending(ids: &[&str]) -> Event {
    Sealed::Completed(Completion { pending: ids.iter().map(|id| (*id).to_owned()).collect(), ..completion() }).into()
}

fn shown(call: &str, parent: &str, arguments: &str) -> Vec<Event> {
    let id = || call.to_owned();
    vec![
        Plain::ShownCallStart { call: id(), name: "lookup".into(), parent: parent.into() }.into(),
        Plain::ShownCallArgs { call: id(), delta: arguments.into() }.into(),
        Plain::ShownCallEnd { call: id() }.into(),
    ]
}

fn result(call: &str, content: &str, outcome: ToolOutcome) -> Event {
    let (message, content) = (format!("run-1-r-{call}"), content.to_owned());
    Plain::ShownCallResult { call: call.into(), message, content, outcome }.into()
}

fn thinking(text: &str) -> Vec<Event> {
    let message = || "run-1-t1".to_owned();
    vec![
        Plain::ThinkingStart { message: message(), public: true }.into(),
        Plain::ThinkingDelta { message: message(), public: true, delta: text.into() }.into(),
        Plain::ThinkingEnd { message: message(), public: true }.into(),
    ]
}

fn failed(reference: &str) -> Event {
    let failure = Failure {
        code: "upstream_unavailable".into(),
        message: "The model's provider is not available.".into(),
        reference: reference.into(),
    };
    Sealed::Failed { failure, unknown: Vec::new(), usage: usage() }.into()
}

fn refund(metadata: Option<Value>) -> Interrupt {
    Interrupt {
        id: "run-1-i1".into(),
        reason: "tool_call".into(),
        message: Some("May refund run with {\"order\":4242}?".into()),
        call: Some("c7".into()),
        response_schema: Some(json!({"type": "object"})),
        expires_at: Some(1_796_000_100_000),
        metadata,
    }
}

fn interrupted(interrupts: Vec<Interrupt>) -> Event {
    Sealed::Interrupted { interrupts, usage: usage() }.into()
}

#[test]
fn an_answer() {
    assert_snapshot!(page(answer(false, &["It is ", "", "in Porto."]).into_iter().chain([completed()])));
}

#[test]
fn answers_that_are_marked() {
    let with = |change: fn(&mut Completion)| {
        let mut completion = completion();
        change(&mut completion);
        page(answer(false, &["So"]).into_iter().chain([Sealed::Completed(completion).into()]))
    };
    let refused = page(answer(true, &["I can't say."]).into_iter().chain([completed()]));
    let pages = [with(|end| end.truncated = true), with(|end| end.fallback = true), refused];
    assert_snapshot!(pages.join("\n---\n"));
}

#[test]
fn an_empty_answer_has_a_step() {
    assert_snapshot!(page([Sealed::Completed(Completion::default()).into()]));
}

#[test]
fn public_work_before_the_answer() {
    let narration = |delta: &str| Plain::NarrationDelta { message: "run-1-n1".into(), delta: delta.into() }.into();
    let mut events: Vec<Event> = vec![Plain::Working { message: "run-1-w".into(), step: 1 }.into()];
    events.push(Plain::NarrationStart { message: "run-1-n1".into() }.into());
    events.extend([narration("Let me "), narration("look.")]);
    events.push(Plain::NarrationEnd { message: "run-1-n1".into() }.into());
    events.extend(thinking("Hm."));
    events.push(Plain::State { snapshot: json!({"step": 2}) }.into());
    events.extend(shown("o1", "run-1-u1", "{\"id\":1}"));
    events.extend(shown("o2", "run-1-u1", " "));
    events.push(result("o1", "{\"found\":true}", ToolOutcome::Ok));
    events.push(result("o2", "It is not there.", ToolOutcome::Error));
    events.extend(shown("o3", "run-1-u2", "{\"id\":"));
    events.push(result("o3", "The run ended before the result of this tool was known.", ToolOutcome::Unknown));
    events.extend(answer(false, &["It is in Porto."]));
    events.push(completed());
    assert_snapshot!(page(events));
}

#[test]
fn the_clients_calls() {
    let one = page(calls(&[("c1", "{\"n\":1}")]).into_iter().chain([pending(&["c1"])]));
    let several = page(calls(&[("c1", ""), ("c2", "{\"n\":"), ("c3", "[1]")]).into_iter().chain([pending(&["c1"])]));
    assert_snapshot!([one, several].join("\n---\n"));
}

#[test]
fn an_approval() {
    let named = refund(Some(json!({"tool": "refund", "input": {"order": 4242}})));
    let long = refund(Some(json!({"tool": "refund"})));
    let other = Interrupt { id: "i2".into(), reason: "input_required".into(), ..Interrupt::default() };
    let pages = [vec![named.clone()], vec![long], vec![refund(None), other]];
    let pages = pages.map(|interrupts| page([interrupted(interrupts)]));
    let beside = page(
        shown("o1", "run-1-u1", "{}")
            .into_iter()
            .chain([result("o1", "found", ToolOutcome::Ok), interrupted(vec![named])]),
    );
    assert_snapshot!([pages.join("\n---\n"), beside].join("\n---\n"));
}

/// The message in which a person has approved, as the client posts it.
fn approved() -> Value {
    json!({"ui_message": {"id": "run-0-ui", "role": "assistant", "parts": [
        {"type": "step-start"},
        {"type": "reasoning", "text": "Hm.", "state": "done"},
        {"type": "tool-pick", "toolCallId": "c1", "state": "output-available", "input": {"n": 1}, "output": [1]},
        {"type": "dynamic-tool", "toolName": "spin", "toolCallId": "c2", "state": "output-error", "input": {},
         "errorText": "It fell."},
        {"type": "tool-pick", "toolCallId": "c3", "state": "input-streaming", "input": {}},
        {"type": "tool-pick", "toolCallId": "c4", "state": "input-available", "input": {}},
        {"type": "data-chart", "id": "d", "data": {"x": [1]}},
        {"type": "source-url", "sourceId": "s", "url": "https://a.example/"},
        {"type": "source-url", "sourceId": "without an address"},
        {"type": "step-start"},
        {"type": "text", "text": "Early."},
        {"type": "data-withdrawn", "data": {"text": "run-0-a"}},
        {"type": "tool-old", "toolCallId": "c5", "state": "output-denied", "input": {}, "providerExecuted": true,
         "approval": {"id": "i0", "approved": false, "reason": "Too much."}},
        {"type": "tool-refund", "toolCallId": "c7", "state": "approval-responded", "input": {"order": 4242},
         "providerExecuted": true, "approval": {"id": "run-0-i1", "approved": true}},
    ]}})
}

#[test]
fn a_message_that_goes_on() {
    let mut events = shown("c7", "run-1-u1", "{\"order\":4242}");
    events.push(result("c7", "done", ToolOutcome::Ok));
    events.extend(answer(false, &["Refunded."]));
    events.push(completed());
    let request = approved();
    let live = page_of(events.clone(), Some(&request), false);
    let resumed = page_of(events, Some(&request), true);
    assert_snapshot!([live, resumed].join("\n---\n"));
}

#[test]
fn runs_that_do_not_succeed() {
    let cancelled = || Sealed::Cancelled { usage: usage() }.into();
    let open = [Sealed::AnswerStart { message: "run-1-a".into(), refusal: false }.into(), failed("")];
    let pages = [
        page([cancelled()]),
        page(thinking("Hm.").into_iter().chain([cancelled()])),
        page([failed("ref-7")]),
        page(open),
    ];
    assert_snapshot!(pages.join("\n---\n"));
}

#[test]
fn an_early_answer_that_is_none() {
    let mut events = answer(false, &["It is in Lisbon."]);
    events.push(Sealed::AnswerWithdrawn { message: "run-1-a".into() }.into());
    events.extend(calls(&[("c1", "{}")]));
    events.push(pending(&["c1"]));
    assert_snapshot!(page(events));
}

#[test]
fn what_was_not_begun_is_begun_and_what_is_open_is_ended() {
    let message = || "run-1-a".to_owned();
    let events = [
        Sealed::AnswerDelta { message: message(), refusal: false, delta: "Hi".into() }.into(),
        Plain::ThinkingEnd { message: "never".into(), public: true }.into(),
        Plain::ShownCallArgs { call: "never".into(), delta: "x".into() }.into(),
        result("never", "x", ToolOutcome::Ok),
        Sealed::CallStart { call: "c1".into(), name: "pick".into(), parent: "p".into() }.into(),
        Sealed::CallStart { call: "c1".into(), name: "pick".into(), parent: "p".into() }.into(),
        completed(),
    ];
    assert_snapshot!(page(events));
}

#[test]
fn a_readers_failure_is_an_error() {
    let frames = [ErrorKind::StreamInterrupted.into(), Error::with(ErrorKind::BadCursor, "7.x")];
    let lines = frames.map(|error| failure(&error).data);
    for line in &lines {
        Checker::default().take(line).unwrap_err();
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["type"], "error");
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_call_too_long_for_a_frame_is_said_to_be() {
    let mut stream = Stream::default();
    let mut take = |event: Event| frames_of(&mut stream, &context(&modern()), AT, &event).map(|frames| frames.len());
    take(Sealed::Started {}.into()).unwrap();
    take(Sealed::CallStart { call: "c".into(), name: "pick".into(), parent: "p".into() }.into()).unwrap();
    let text = format!("\"{}\"", "x".repeat(WHOLE_FRAME));
    take(Sealed::CallArgs { call: "c".into(), delta: text }.into()).unwrap();
    let error = take(Sealed::CallEnd { call: "c".into() }.into()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamInterrupted);
}

#[test]
fn the_checker_refuses_what_the_client_refuses() {
    let start = r#"{"type":"start","messageId":"m"}"#;
    let step = r#"{"type":"start-step"}"#;
    for (lines, broken) in [
        (vec![step], "start"),
        (vec![start, start], "start"),
        (vec![start, r#"{"type":"text-start","id":"a"}"#], "step"),
        (vec![start, step, r#"{"type":"text-delta","id":"a","delta":"x"}"#], "not open"),
        (vec![start, step, r#"{"type":"reset-step"}"#], "type"),
        (vec![start, step, r#"{"type":"text-start"}"#], "id"),
        (vec![start, step, r#"{"type":"tool-output-available","toolCallId":"c","output":1}"#], "no call"),
        (vec![start, step, r#"{"type":"abort"}"#], "step"),
        (vec![start, "[DONE]"], "DONE"),
        (
            vec![
                start,
                step,
                r#"{"type":"finish-step"}"#,
                r#"{"type":"finish","finishReason":"interrupted","messageMetadata":{}}"#,
            ],
            "reason",
        ),
    ] {
        let mut checker = Checker::default();
        let error = lines.iter().find_map(|line| checker.take(line).err()).unwrap_or_default();
        assert!(error.contains(broken), "{lines:?}: {error}");
    }
    Checker::default().end().unwrap_err();
}

proptest! {
    #[test]
    fn any_run_is_a_stream_that_the_client_takes(events in run(), profile in profile(), request: bool, whole: bool) {
        let request = request.then(approved);
        let lines = data_of(&events, &profile, request.as_ref(), whole);
        prop_assert_eq!(&lines, &data_of(&events, &profile, request.as_ref(), whole));
        let mut checker = Checker::of(request.as_ref(), whole);
        for line in &lines {
            checker.take(line).map_err(TestCaseError::fail)?;
            let breaks = line.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            prop_assert!(!breaks);
            prop_assert!(!line.contains("-delta\"") || line.len() <= DELTA_FRAME);
        }
        checker.end().map_err(TestCaseError::fail)?;
        let said: String = events.iter().filter_map(|event| match event {
            Event::Sealed(Sealed::AnswerDelta { delta, .. }) => Some(delta.as_str()),
            _ => None,
        }).collect();
        prop_assert_eq!(checker.text(|id| !id.starts_with("before-")), said);
    }

    #[test]
    fn any_events_give_frames_of_known_types(events in proptest::collection::vec(crate::strategies::event(), 0..20)) {
        let profile = modern();
        let cx = Context { run: "r", thread: "t", profile: &profile };
        let mut stream = Stream::default();
        for event in &events {
            for frame in frames_of(&mut stream, &cx, AT, event).unwrap() {
                crate::ui_check::typed(&frame.data).map_err(TestCaseError::fail)?;
            }
        }
    }
}

#[test]
fn the_sample_run_is_a_stream() {
    let lines = data_of(&sample_run(), &modern(), None, false);
    let mut checker = Checker::default();
    lines.iter().for_each(|line| checker.take(line).unwrap());
    checker.end().unwrap();
}
