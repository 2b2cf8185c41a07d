//! OpenAI Responses: every kind of run as a stream and as a document, and what holds for any run.

use crate::order;
use crate::samples::{AT, frames_of, modern, sample_run, usage};
use crate::strategies;
use insta::assert_snapshot;
use lastword::event::{Completion, Event, Failure, Interrupt, Plain, Sealed, Timing};
use lastword::profile::Profile;
use lastword::sse::Frame;
use lastword::wire::{Context, Document, Form, Output, Wire};
use lastword::{Error, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

fn context(profile: &Profile) -> Context<'_> {
    Context { run: "run-1", thread: "thread-1", profile }
}

/// A run's frames.
fn stream(cx: &Context<'_>, request: Option<&Value>, run: &[Event]) -> Vec<Frame> {
    let mut fold = Wire::Responses.serializer(request, false).unwrap();
    run.iter().zip(0..).flat_map(|(event, at)| frames_of(&mut *fold, cx, AT + at, event).unwrap()).collect()
}

fn document(cx: &Context<'_>, request: Option<&Value>, run: &[Event], form: Form) -> Document {
    let mut output = Output::default();
    run.iter().for_each(|event| output.take(event));
    Wire::Responses.document(cx, request, &output, form, AT + run.len() as u64 - 1).unwrap()
}

fn body(document: &Document) -> Value {
    serde_json::from_str(&document.body).unwrap()
}

/// The stream as text, and after it the two documents where they are not its last Response. It keeps the rules.
fn page(profile: &Profile, request: Option<&Value>, run: &[Event]) -> String {
    let cx = context(profile);
    let frames = stream(&cx, request, run);
    let last = order::check(&frames).unwrap();
    let mut page = String::new();
    for frame in &frames {
        if let Some(name) = &frame.event {
            page.push_str(&format!("event: {name}\n"));
        }
        let long = frame.data.len() > 4_000;
        let data = if long { format!("{} bytes", frame.data.len()) } else { frame.data.clone() };
        page.push_str(&format!("data: {data}\n\n"));
    }
    let now = document(&cx, request, run, Form::Now);
    assert_eq!((now.status, body(&now)), (200, last.clone()), "what is asked for later is what was streamed");
    let whole = document(&cx, request, run, Form::Whole);
    match whole.status {
        200 => assert_eq!(body(&whole), last),
        status => page.push_str(&format!("whole: {status} {}\n", whole.body)),
    }
    page
}

fn completed(truncated: bool) -> Event {
    let timing = Timing { ttft_ms: Some(90), answer_ms: Some(1_100), total_ms: 1_200 };
    Sealed::Completed(Completion { truncated, usage: usage(), timing, ..Completion::default() }).into()
}

fn answer(text: &str, refusal: bool) -> Vec<Event> {
    let message = || "run-1-a".to_owned();
    let mut events: Vec<Event> = vec![Sealed::AnswerStart { message: message(), refusal }.into()];
    events.extend(
        lastword::event::pieces(text, lastword::event::PIECE)
            .map(|delta| Sealed::AnswerDelta { message: message(), refusal, delta: delta.into() }.into()),
    );
    events.push(Sealed::AnswerEnd { message: message() }.into());
    events
}

fn call(id: &str, pieces: &[&str]) -> Vec<Event> {
    let call = || id.to_owned();
    let start = Sealed::CallStart { call: call(), name: "pick".into(), parent: "p".into() };
    let args = pieces.iter().map(|delta| Sealed::CallArgs { call: call(), delta: (*delta).into() });
    [start].into_iter().chain(args).chain([Sealed::CallEnd { call: call() }]).map(Event::from).collect()
}

fn narration(id: &str, text: &str) -> Vec<Event> {
    let message = || id.to_owned();
    [
        Plain::NarrationStart { message: message() },
        Plain::NarrationDelta { message: message(), delta: text.into() },
        Plain::NarrationEnd { message: message() },
    ]
    .map(Event::from)
    .into()
}

fn thinking(id: &str, text: &str, public: bool) -> Vec<Event> {
    let message = || id.to_owned();
    [
        Plain::ThinkingStart { message: message(), public },
        Plain::ThinkingDelta { message: message(), public, delta: text.into() },
        Plain::ThinkingEnd { message: message(), public },
    ]
    .map(Event::from)
    .into()
}

fn early(end: Sealed) -> Vec<Event> {
    let message = || "run-1-a".to_owned();
    let delta = |delta: &str| Sealed::AnswerDelta { message: message(), refusal: false, delta: delta.into() };
    [Sealed::AnswerStart { message: message(), refusal: false }, delta("It is "), end].map(Event::from).into()
}

fn interrupted() -> Event {
    let asks = |id: &str, message: Option<&str>, call: Option<&str>| Interrupt {
        id: id.into(),
        reason: "tool_call".into(),
        message: message.map(str::to_owned),
        call: call.map(str::to_owned),
        ..Interrupt::default()
    };
    let interrupts = vec![asks("run-1-i1", Some("May I refund 20 €?"), Some("c9")), asks("run-1-i2", None, None)];
    Sealed::Interrupted { interrupts, usage: usage() }.into()
}

fn failed() -> Event {
    let kind = ErrorKind::UpstreamUnavailable;
    let failure = Failure { code: kind.code().into(), message: kind.sentence().into(), reference: "ref-7".into() };
    Sealed::Failed { failure, unknown: vec!["o1".into()], usage: usage() }.into()
}

fn run(parts: Vec<Vec<Event>>, end: Event) -> Vec<Event> {
    let mut run = vec![Event::from(Sealed::Started {})];
    run.extend(parts.into_iter().flatten());
    run.push(end);
    run
}

macro_rules! snapshots {
    ($($name:ident: $run:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_snapshot!(page(&modern(), None, &$run));
        }
    )*};
}

snapshots! {
    an_answer: run(vec![answer("It is in Porto.", false)], completed(false));
    a_narrated_turn: run(vec![narration("n1", "Let me look."), answer("It is in Porto.", false)], completed(false));
    a_turn_whose_narration_is_private: run(
        vec![
            vec![
                Plain::IntermediateStart { message: "h1".into() }.into(),
                Plain::IntermediateDelta { message: "h1".into(), delta: "Let me look.".into(), cuts: Vec::new() }.into(),
                Plain::IntermediateEnd { message: "h1".into() }.into(),
            ],
            thinking("k1", "Hm.", false),
            answer("It is in Porto.", false),
        ],
        completed(false)
    );
    public_thinking: run(vec![thinking("k1", "Hm.", true), answer("It is in Porto.", false)], completed(false));
    thinking_without_a_word: run(vec![thinking("k1", "", true), answer("Yes.", false)], completed(false));
    a_failed_run: run(vec![narration("n1", "Let me look.")], failed());
    a_cancelled_run: run(vec![], Sealed::Cancelled { usage: usage() }.into());
    an_answer_that_was_cut: run(vec![answer("It is in", false)], completed(true));
    a_run_that_was_cut_before_it_said_anything: run(vec![], completed(true));
    a_refusal: run(vec![answer("I can't say.", true)], completed(false));
    a_call: run(vec![call("call_1", &["{\"n\":", "1}"])], completed(false));
    parallel_calls: sample_run();
    an_empty_answer: run(vec![], completed(false));
    an_answer_that_was_withdrawn: run(
        vec![
            early(Sealed::AnswerWithdrawn { message: "run-1-a".into() }),
            narration("n1", "It is"),
            answer("In Porto.", false),
        ],
        completed(false)
    );
    an_early_answer_whose_run_failed: run(
        vec![early(Sealed::AnswerWithdrawn { message: "run-1-a".into() })],
        failed()
    );
    an_approval_that_the_wire_has_no_word_for: run(vec![], interrupted());
    a_long_answer: run(vec![answer(&"é\u{1}\"\n🦀".repeat(12_000), false)], completed(false));
}

#[test]
fn an_approval_as_a_call() {
    let profile = Profile { approval_calls: true, ..modern() };
    assert_snapshot!(page(&profile, None, &run(vec![narration("n1", "May I?")], interrupted())));
}

#[test]
fn a_run_in_the_background_with_all_that_a_response_repeats() {
    let body = json!({
        "model": "m", "input": "x", "instructions": "Be kind.", "background": true, "stream": true, "store": true,
        "max_output_tokens": 50, "max_tool_calls": 3, "metadata": {"a": "b"}, "parallel_tool_calls": false,
        "presence_penalty": 0.5, "frequency_penalty": 0.25, "previous_response_id": "resp_before",
        "prompt_cache_key": "k", "reasoning": {"effort": "low"}, "safety_identifier": "s", "service_tier": "auto",
        "temperature": 0.7, "top_p": 0.9, "top_logprobs": 0, "truncation": "auto", "user": "u",
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}, "verbosity": "low"},
        "tool_choice": {"type": "function", "name": "f"},
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": true}],
    });
    let names = lastword::wire::Names { run: "run-1", thread: None };
    let asked = Wire::Responses.parse(body.to_string().as_bytes(), &names, &Default::default()).unwrap();
    let request = asked.input.echo.request;
    assert_snapshot!(page(&modern(), request.as_ref(), &run(vec![answer("Yes.", false)], completed(false))));
}

#[test]
fn a_run_that_goes_on() {
    let started = [Event::from(Sealed::Started {})];
    let document = document(&context(&modern()), Some(&json!({"background": true})), &started, Form::Now);
    assert_eq!(document.status, 200);
    order::response_is_whole(&body(&document)).unwrap();
    assert_snapshot!(document.body);
}

#[test]
fn a_readers_failure() {
    let profile = modern();
    let frames = [ErrorKind::StreamInterrupted.into(), Error::with(ErrorKind::InvalidInput, "x.")]
        .map(|error| Wire::Responses.failure(&context(&profile), &error));
    assert!(frames.iter().all(|frame| frame.event.as_deref() == Some("error")));
    assert_snapshot!(frames.map(|frame| frame.data).join("\n"));
}

#[test]
fn a_summary_is_an_item() {
    let profile = modern();
    let cx = context(&profile);
    let request = json!({"compact": true, "model": "m"});
    let said = run(vec![answer("They launch on Tuesday.", false)], completed(false));
    let whole = document(&cx, Some(&request), &said, Form::Whole);
    assert_eq!(whole.status, 200);
    assert_snapshot!(whole.body);
    let next = json!({"input": body(&whole)["output"]});
    let names = lastword::wire::Names { run: "run-2", thread: None };
    let asked = Wire::Responses.parse(next.to_string().as_bytes(), &names, &Default::default()).unwrap();
    let summary =
        lastword::input::Message::System("Summary of the conversation so far:\nThey launch on Tuesday.".into());
    assert_eq!(asked.input.messages, [summary]);
    for (end, status) in [(failed(), 502), (Sealed::Cancelled { usage: vec![] }.into(), 409), (completed(false), 502)] {
        let whole = document(&cx, Some(&request), &run(vec![], end), Form::Whole);
        assert_eq!((whole.status, body(&whole)["error"]["code"].is_string()), (status, true));
    }
}

#[test]
fn reasoning_past_the_bound_of_a_response_was_streamed() {
    let text = "Let me look. ".repeat(60_000);
    let said = run(vec![narration("n1", &text), narration("n2", &text), answer("Yes.", false)], completed(false));
    let profile = modern();
    let last = order::check(&stream(&context(&profile), None, &said)).unwrap();
    assert_eq!(last["output"][0]["summary"][0]["text"], text);
    assert_eq!(last["output"][1]["summary"], json!([]));
    assert_eq!(body(&document(&context(&profile), None, &said, Form::Now)), last);
}

#[test]
fn a_frame_that_no_client_need_take_is_an_error() {
    let request = json!({"instructions": "x".repeat(5 << 20)});
    let mut fold = Wire::Responses.serializer(Some(&request), false).unwrap();
    let error = frames_of(&mut *fold, &context(&modern()), AT, &Sealed::Started {}.into()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamInterrupted);
}

#[test]
fn the_checker_sees_what_is_wrong() {
    let profile = modern();
    let said = run(vec![narration("n1", "Hm."), answer("Yes, no.", false), call("c", &["{", "}"])], completed(false));
    let frames = stream(&context(&profile), None, &said);
    order::check(&frames).unwrap();
    for at in 0..frames.len() {
        let mut less = frames.clone();
        less.remove(at);
        order::check(&less).unwrap_err();
        let mut twice = frames.clone();
        twice.insert(at, frames[at].clone());
        order::check(&twice).unwrap_err();
        for (key, other) in
            [("output_index", json!(7)), ("item_id", json!("x")), ("delta", json!("x")), ("type", json!("ping"))]
        {
            let Ok(mut value) = serde_json::from_str::<Value>(&frames[at].data) else { continue };
            if value.get(key).is_some() {
                value[key] = other;
                let mut changed = frames.clone();
                changed[at].data = value.to_string();
                order::check(&changed).unwrap_err();
            }
        }
    }
}

proptest! {
    #[test]
    fn any_run_keeps_the_rules(run in strategies::run(), profile in strategies::profile(), asks in any::<bool>()) {
        let profile = Profile { approval_calls: asks, ..profile };
        let cx = context(&profile);
        let frames = stream(&cx, None, &run);
        let last = order::check(&frames).map_err(TestCaseError::fail)?;
        prop_assert_eq!(body(&document(&cx, None, &run, Form::Now)), last);
        prop_assert_eq!(stream(&cx, None, &run), frames, "a replay has the same bytes");
    }

    #[test]
    fn any_events_become_frames_or_a_typed_error(
        events in proptest::collection::vec(strategies::event(), 0..20), profile in strategies::profile(),
        run in strategies::long_id(),
    ) {
        let cx = Context { run: &run, thread: "t", profile: &profile };
        let mut fold = Wire::Responses.serializer(None, false).unwrap();
        for (event, at) in events.iter().zip(0..) {
            if let Ok(frames) = frames_of(&mut *fold, &cx, at, event) {
                for frame in frames {
                    let limit = if event.delta().is_some() { lastword::wire::DELTA_FRAME } else { lastword::wire::WHOLE_FRAME };
                    prop_assert!(frame.data.len() <= limit && frame.to_bytes().is_ok());
                }
            }
        }
    }

    #[test]
    fn the_parser_never_panics_on_bytes(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        parsed(&body).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn the_parser_answers_any_json_in_its_fields(
        key in prop::sample::select(FIELDS), value in strategies::json(), items in proptest::collection::vec(item(), 0..4),
    ) {
        let mut body = json!({ "model": "m", "input": items });
        parsed(body.to_string().as_bytes()).map_err(TestCaseError::fail)?;
        body[key] = value;
        parsed(body.to_string().as_bytes()).map_err(TestCaseError::fail)?;
    }
}

const FIELDS: &[&str] = &[
    "input",
    "model",
    "instructions",
    "tools",
    "tool_choice",
    "text",
    "reasoning",
    "include",
    "metadata",
    "conversation",
    "previous_response_id",
    "temperature",
    "max_output_tokens",
    "stream",
    "background",
    "store",
    "truncation",
    "prompt",
];

/// What a body becomes: a run, or an error that names its kind.
fn parsed(body: &[u8]) -> Result<(), String> {
    let names = lastword::wire::Names { run: "run", thread: None };
    match Wire::Responses.parse(body, &names, &Default::default()) {
        Ok(asked) if asked.input.fingerprint.len() == 64 && asked.input.echo.request.is_some() => Ok(()),
        Ok(asked) => Err(format!("{asked:?}")),
        Err(error) if matches!(error.code(), "invalid_input" | "malformed_json") => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// An item with the fields that matter, each good, wrong or left out.
fn item() -> impl Strategy<Value = Value> {
    let any_json = strategies::json;
    let kind = prop::sample::select(
        &["message", "function_call", "function_call_output", "reasoning", "compaction", "item_reference", "other"][..],
    );
    let role = prop::sample::select(&["user", "assistant", "system", "developer", "tool"][..]);
    let part = prop_oneof![
        any_json(),
        any::<String>().prop_map(|text| json!({ "type": "input_text", "text": text })),
        any::<String>().prop_map(|url| json!({ "type": "input_image", "image_url": url })),
        any::<String>().prop_map(|data| json!({ "type": "input_file", "file_data": data, "filename": data })),
        any_json().prop_map(|audio| json!({ "type": "input_audio", "input_audio": audio })),
        any::<String>().prop_map(|text| json!({ "type": "refusal", "refusal": text })),
    ];
    let content = prop_oneof![
        any::<String>().prop_map(Value::from),
        proptest::collection::vec(part, 0..3).prop_map(Value::from),
        any_json(),
    ];
    let id = prop_oneof![Just(json!("c1")), Just(json!("approval_i1")), any_json()];
    (kind, role, content, id, proptest::option::weighted(0.2, any_json())).prop_map(
        |(kind, role, content, id, wrong)| {
            let mut item = json!({ "type": kind, "role": role, "content": content, "output": content, "call_id": id });
            item["name"] = json!("f");
            item["arguments"] = wrong.unwrap_or(json!("{}"));
            item["encrypted_content"] = content;
            item
        },
    )
}
