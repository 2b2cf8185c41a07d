//! Anthropic Messages: every kind of run for eyes and for ever, and what holds for any run.

use crate::runs::{answer, call, completed, ended, failed, interrupted, with_one_answer};
use crate::samples::{AT, context, frames_of, modern, sample_run};
use crate::strategies::{long_id, profile, run};
use insta::assert_snapshot;
use lastword::event::{Completion, Event, ModelUsage, Plain, Sealed, View};
use lastword::profile::Profile;
use lastword::signal::Usage;
use lastword::sse::Frame;
use lastword::wire::{Context, DELTA_FRAME, Document, Form, Output, WHOLE_FRAME, Wire};
use lastword::{Error, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The stream, for events that a customer may see.
fn frames(cx: &Context<'_>, events: &[Event]) -> Vec<Frame> {
    let mut stream = Wire::Messages.serializer(None, true).unwrap();
    let seen = events.iter().filter(|event| View::Customer.sees(event.audience()));
    seen.flat_map(|event| frames_of(&mut *stream, cx, AT, event).unwrap()).collect()
}

fn document(cx: &Context<'_>, events: &[Event]) -> Document {
    let mut output = Output::default();
    events.iter().filter(|event| View::Customer.sees(event.audience())).for_each(|event| output.take(event));
    Wire::Messages.document(cx, None, &output, Form::Whole, AT).unwrap()
}

fn page(profile: &Profile, events: &[Event]) -> String {
    let cx = context(profile);
    let Document { status, body } = document(&cx, events);
    let lines = frames(&cx, events).into_iter().map(|frame| format!("{}: {}", frame.event.unwrap(), frame.data));
    format!("# stream\n{}\n# document, {status}\n{body}", lines.collect::<Vec<_>>().join("\n"))
}

fn done() -> Sealed {
    completed(Completion::default())
}

#[test]
fn an_answer() {
    assert_snapshot!(page(&modern(), &ended(answer(false, &["It is in \"Porto\",", "", "\n🦀."]), done())));
}

#[test]
fn an_answer_without_text() {
    let empty = page(&modern(), &ended(answer(false, &[]), done()));
    assert_eq!(empty, page(&modern(), &ended(vec![], done())), "the same as none");
    assert_snapshot!(empty);
}

#[test]
fn an_answer_that_the_limit_has_cut() {
    let end = completed(Completion { truncated: true, ..Completion::default() });
    assert_snapshot!(page(&modern(), &ended(answer(false, &["It is"]), end)));
}

#[test]
fn a_refusal() {
    assert_snapshot!(page(&modern(), &ended(answer(true, &["I can't ", "say."]), done())));
}

#[test]
fn public_narration_and_thinking_calls_of_ours_and_of_the_client() {
    let profile = Profile { public_intermediate: true, public_thinking: true, public_tools: true, ..modern() };
    assert_snapshot!(page(&profile, &sample_run()));
}

#[test]
fn calls_without_arguments_and_with_some_that_are_no_json() {
    let calls = [call("c1", &[]), call("c2", &["{\"n\"", ":"]), call("c3", &["[1.50, \"é\"]"])].concat();
    let end = completed(Completion { pending: vec!["c1".into(), "c2".into(), "c3".into()], ..Completion::default() });
    assert_snapshot!(page(&modern(), &ended(calls, end)));
}

#[test]
fn what_it_cost() {
    let pages = [
        vec![],
        vec![ModelUsage::default()],
        vec![tokens(Some(9), None), tokens(Some(3), Some(4))],
        vec![cached(100, 60, 10), cached(50, 1, 0)],
        vec![cached(5, 60, 10)],
    ]
    .map(|usage| {
        page(
            &modern(),
            &ended(answer(false, &["Yes."]), Sealed::Completed(Completion { usage, ..Completion::default() })),
        )
    });
    let cost = |page: &String| {
        page.lines()
            .filter(|line| line.contains("message_delta") || line.starts_with('{'))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_snapshot!(pages.iter().map(cost).collect::<Vec<_>>().join("\n\n"));
}

fn tokens(input: Option<u64>, output: Option<u64>) -> ModelUsage {
    ModelUsage { model: Some("vendor-model".into()), tokens: Usage { input, output, ..Usage::default() } }
}

fn cached(input: u64, cached_input: u64, cache_write: u64) -> ModelUsage {
    let mut usage = tokens(Some(input), Some(7));
    usage.tokens.cached_input = Some(cached_input);
    usage.tokens.cache_write = Some(cache_write);
    usage
}

#[test]
fn an_approval_asked_by_calls() {
    let profile = Profile { approval_calls: true, ..modern() };
    assert_snapshot!(page(&profile, &ended(call("c7", &["{}"]), interrupted())));
}

#[test]
fn an_approval_that_the_wire_has_no_word_for() {
    assert_snapshot!(page(&modern(), &ended(vec![], interrupted())));
}

#[test]
fn an_approval_that_asks_nothing_is_an_error() {
    let profile = Profile { approval_calls: true, ..modern() };
    let mut stream = Wire::Messages.serializer(None, true).unwrap();
    let nothing = Sealed::Interrupted { interrupts: Vec::new(), usage: Vec::new() }.into();
    assert_eq!(
        frames_of(&mut *stream, &context(&profile), AT, &nothing).unwrap_err().kind(),
        ErrorKind::RecordUnreadable
    );
    assert_eq!(document(&context(&profile), &[nothing]).status, 500);
}

#[test]
fn runs_that_failed_or_were_cancelled() {
    let ends = [
        failed("upstream_unavailable", "The model's provider is not available.", "ref-7"),
        failed("run_timeout", "The run took longer than the limit.", ""),
        failed("of_a_newer_version", "Something new.", ""),
        Sealed::Cancelled { usage: Vec::new() },
    ];
    let pages = ends.into_iter().map(|end| page(&modern(), &ended(vec![], end)));
    assert_snapshot!(pages.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn an_early_answer_that_is_withdrawn_breaks_the_stream_and_not_the_document() {
    let withdrawn = |pieces: &[&str]| {
        let mut events = answer(false, pieces);
        events.push(Sealed::AnswerWithdrawn { message: "a2".into() }.into());
        let delta = "Whole.".into();
        events.push(Sealed::AnswerStart { message: "a4".into(), refusal: false }.into());
        events.push(Sealed::AnswerDelta { message: "a4".into(), refusal: false, delta }.into());
        events.push(Sealed::AnswerEnd { message: "a4".into() }.into());
        ended(events, done())
    };
    let plain = page(&modern(), &ended(answer(false, &["Whole."]), done()));
    assert_eq!(page(&modern(), &withdrawn(&[])), plain, "nothing was said, so nothing is broken");
    assert_snapshot!(page(&modern(), &withdrawn(&["Half a"])));
}

#[test]
fn the_readers_own_failure() {
    let profile = modern();
    let errors = [
        ErrorKind::StreamInterrupted.into(),
        Error::with(ErrorKind::BadCursor, "7.x"),
        ErrorKind::Unauthorized.into(),
        ErrorKind::Forbidden.into(),
        ErrorKind::UnknownRun.into(),
        ErrorKind::BodyTooLarge.into(),
    ];
    let lines = errors.iter().map(|error| Wire::Messages.failure(&context(&profile), error));
    let lines = lines.map(|frame| format!("{}: {}", frame.event.unwrap(), frame.data));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_waits_behind_an_open_block_has_a_bound() {
    let profile = modern();
    let cx = context(&profile);
    let mut stream = Wire::Messages.serializer(None, true).unwrap();
    let mut take = |event: Sealed| frames_of(&mut *stream, &cx, AT, &event.into());
    let start = |call: &str| Sealed::CallStart { call: call.into(), name: "pick".into(), parent: "p1".into() };
    let args = |call: &str, bytes| Sealed::CallArgs { call: call.into(), delta: "x".repeat(bytes) };
    assert_eq!(take(start("c1")).unwrap().len(), 1);
    assert_eq!(take(start("c2")).unwrap(), []);
    for _ in 0..4 {
        assert_eq!(take(args("c2", WHOLE_FRAME / 4)).unwrap(), []);
        assert!(!take(args("c1", WHOLE_FRAME / 4)).unwrap().is_empty(), "what is at the front does not wait");
    }
    assert_eq!(take(args("c2", 1)).unwrap_err().kind(), ErrorKind::StreamInterrupted);
}

/// What a client has of a message.
#[derive(Debug, Default, PartialEq)]
struct Told {
    content: Vec<Value>,
    stop: Option<String>,
    usage: Value,
    timing: Value,
    error: Option<Value>,
}

/// Reads a stream, and holds it to the format's order.
fn read(cx: &Context<'_>, frames: &[Frame]) -> Told {
    let (mut told, mut open, mut over) = (Told::default(), None, false);
    for (at, frame) in frames.iter().enumerate() {
        let event: Value = serde_json::from_str(&frame.data).unwrap();
        let kind = event["type"].as_str().unwrap();
        assert_eq!((frame.id.as_deref(), frame.event.as_deref()), (None, Some(kind)), "the name is the type");
        assert!(frame.data.starts_with("{\"type\":\"") && !frame.data.contains(['\n', '\r', '\u{2028}']));
        let room = if kind == "content_block_delta" { DELTA_FRAME } else { WHOLE_FRAME };
        assert!(frame.data.len() <= room, "{} bytes", frame.data.len());
        assert!(!over, "nothing stands behind the end");
        assert_eq!(kind == "message_start", at == 0, "it begins once");
        let index = event["index"].as_u64();
        match kind {
            "message_start" => begins(cx, &event["message"]),
            "content_block_start" => {
                assert_eq!((open, index), (None, Some(told.content.len() as u64)), "dense, one after the other");
                assert_eq!(told.stop, None);
                open = index;
                told.content.push(event["content_block"].clone());
            }
            "content_block_delta" => {
                assert!(open.is_some() && index == open, "of the open block");
                grow(told.content.last_mut().unwrap(), &event["delta"]);
            }
            "content_block_stop" => {
                assert!(open.is_some() && index == open);
                open = None;
                close(told.content.last_mut().unwrap());
            }
            "message_delta" => {
                assert_eq!((open, &told.stop, &event["delta"]["stop_sequence"]), (None, &None, &Value::Null));
                told.stop = event["delta"]["stop_reason"].as_str().map(str::to_owned);
                (told.usage, told.timing) = (event["usage"].clone(), event["timing"].clone());
            }
            "message_stop" => {
                assert!(told.stop.is_some());
                over = true;
            }
            "error" => {
                told.error = Some(event["error"].clone());
                over = true;
            }
            other => panic!("no event of the format: {other}"),
        }
    }
    assert!(over, "it has an end");
    told
}

fn begins(cx: &Context<'_>, message: &Value) {
    let usage = json!({"input_tokens": 0, "output_tokens": 0});
    assert_eq!(
        *message,
        json!({"id": format!("msg_{}", cx.run), "type": "message", "role": "assistant", "model": cx.profile.model,
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage})
    );
}

/// Puts a piece to its block: arguments stand as text until the block is whole.
fn grow(block: &mut Value, delta: &Value) {
    let (kind, member, place) = match block["type"].as_str().unwrap() {
        "text" => ("text_delta", "text", "text"),
        "thinking" => ("thinking_delta", "thinking", "thinking"),
        "tool_use" => ("input_json_delta", "partial_json", "input"),
        other => panic!("no block of the format: {other}"),
    };
    let piece = delta[member].as_str().unwrap();
    assert!(delta["type"] == kind && !piece.is_empty());
    let before = block[place].as_str().unwrap_or_default().to_owned();
    block[place] = json!(before + piece);
}

fn close(block: &mut Value) {
    if let Some(arguments) = block["input"].as_str() {
        let text = arguments.trim();
        let parsed = if text.is_empty() { Ok(json!({})) } else { serde_json::from_str(text) };
        block["input"] = parsed.unwrap_or_else(|_| json!(arguments));
    }
}

/// What a client has of a document.
fn of(document: &Document) -> Told {
    let body: Value = serde_json::from_str(&document.body).unwrap();
    if body["type"] == "error" {
        assert!(document.status >= 400);
        return Told { error: Some(body["error"].clone()), ..Told::default() };
    }
    assert_eq!((document.status, &body["type"], &body["stop_sequence"]), (200, &json!("message"), &Value::Null));
    Told {
        content: body["content"].as_array().unwrap().clone(),
        stop: body["stop_reason"].as_str().map(str::to_owned),
        usage: body["usage"].clone(),
        timing: body["timing"].clone(),
        error: None,
    }
}

proptest! {
    #[test]
    fn any_run_is_told_in_order_and_as_its_document(
        events in run(), refusal: bool, approvals: bool, profile in profile(), id in long_id(),
    ) {
        let events = with_one_answer(events, refusal);
        let profile = Profile { approval_calls: approvals, ..profile };
        let cx = Context { run: &id, thread: "t", profile: &profile };
        let sent = frames(&cx, &events);
        let (streamed, whole) = (read(&cx, &sent), of(&document(&cx, &events)));
        match &whole.error {
            Some(_) => prop_assert_eq!(streamed.error, whole.error),
            None => prop_assert_eq!(streamed, whole),
        }
        prop_assert_eq!(frames(&cx, &events), sent, "a replay has the same bytes");
    }

    #[test]
    fn whatever_the_run_the_answer_is_what_was_published(events in run(), profile in profile()) {
        let events = with_one_answer(events, false);
        let cx = Context { run: "r", thread: "t", profile: &profile };
        let answer: String = events.iter().filter_map(|event| match event {
            Event::Sealed(Sealed::AnswerDelta { delta, .. }) => Some(delta.as_str()),
            _ => None,
        }).collect();
        let told = read(&cx, &frames(&cx, &events));
        let texts: String = told.content.iter().filter_map(|block| block["text"].as_str()).collect();
        prop_assert_eq!(texts, answer);
        let thought: usize = told.content.iter().filter_map(|block| block["thinking"].as_str()).map(str::len).sum();
        let public: usize = events.iter().map(|event| match event {
            Event::Plain(Plain::NarrationDelta { delta, .. } | Plain::ThinkingDelta { public: true, delta, .. }) => delta.len(),
            _ => 0,
        }).sum();
        prop_assert_eq!(thought, public);
    }
}
