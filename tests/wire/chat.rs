//! Chat Completions: every kind of run for eyes and for ever, and what holds for any run.

use crate::runs::{answer, call, completed, ended, failed, interrupted, with_one_answer};
use crate::samples::{AT, context, frames_of, modern, sample_run, usage};
use crate::strategies::{long_id, profile, run};
use insta::assert_snapshot;
use lastword::event::{Completion, Event, Plain, Sealed, View};
use lastword::profile::Profile;
use lastword::wire::{Context, DELTA_FRAME, Document, Form, Output, Wire};
use lastword::{Error, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What the stream's frames hold, for events that a customer may see.
fn frames(cx: &Context<'_>, usage: bool, events: &[Event]) -> Vec<String> {
    let mut stream = Wire::ChatCompletions.serializer(None, usage).unwrap();
    let mut out = Vec::new();
    for event in events.iter().filter(|event| View::Customer.sees(event.audience())) {
        for frame in frames_of(&mut *stream, cx, AT, event).unwrap() {
            assert_eq!((&frame.id, &frame.event), (&None, &None), "no cursor and no name");
            out.push(frame.data);
        }
    }
    out
}

fn document(cx: &Context<'_>, events: &[Event]) -> Document {
    let mut output = Output::default();
    events.iter().filter(|event| View::Customer.sees(event.audience())).for_each(|event| output.take(event));
    Wire::ChatCompletions.document(cx, None, &output, Form::Whole, AT).unwrap()
}

fn page(profile: &Profile, events: &[Event]) -> String {
    let cx = context(profile);
    let Document { status, body } = document(&cx, events);
    let (asked, plain) = (frames(&cx, true, events).join("\n"), frames(&cx, false, events).join("\n"));
    format!("# stream with usage\n{asked}\n# stream\n{plain}\n# document, {status}\n{body}")
}

#[test]
fn an_answer() {
    let events = ended(answer(false, &["It is in \"Porto\",", "", "\n🦀."]), completed(Completion::default()));
    assert_snapshot!(page(&modern(), &events));
}

#[test]
fn an_answer_without_text() {
    let end = || completed(Completion::default());
    let empty = page(&modern(), &ended(answer(false, &[]), end()));
    assert_eq!(empty, page(&modern(), &ended(vec![], end())), "the same as none");
    assert_snapshot!(empty);
}

#[test]
fn an_answer_that_the_limit_has_cut() {
    let end = completed(Completion { truncated: true, ..Completion::default() });
    assert_snapshot!(page(&modern(), &ended(answer(false, &["It is"]), end)));
}

#[test]
fn a_refusal() {
    assert_snapshot!(page(&modern(), &ended(answer(true, &["I can't ", "say."]), completed(Completion::default()))));
}

#[test]
fn public_narration_and_thinking_calls_of_ours_and_of_the_client() {
    let profile = Profile { public_intermediate: true, public_thinking: true, public_tools: true, ..modern() };
    assert_snapshot!(page(&profile, &sample_run()));
}

#[test]
fn a_call_without_arguments() {
    let end = completed(Completion { pending: vec!["c1".into()], ..Completion::default() });
    assert_snapshot!(page(&modern(), &ended(call("c1", &[]), end)));
}

#[test]
fn an_answer_whose_cost_nobody_counted() {
    let end = Sealed::Completed(Completion::default());
    assert_snapshot!(page(&modern(), &ended(answer(false, &["Yes."]), end)));
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
fn runs_that_failed_or_were_cancelled() {
    let ends = [
        failed("upstream_unavailable", "The model's provider is not available.", "ref-7"),
        failed("content_filter", "The model's provider filtered the response.", ""),
        failed("of_a_newer_version", "Something new.", ""),
        Sealed::Cancelled { usage: usage() },
    ];
    let pages = ends.into_iter().map(|end| page(&modern(), &ended(vec![], end)));
    assert_snapshot!(pages.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn an_early_answer_that_is_withdrawn_breaks_the_stream_and_not_the_document() {
    let mut events = answer(false, &["Half a"]);
    events.push(Sealed::AnswerWithdrawn { message: "a2".into() }.into());
    let mut unsaid = answer(false, &[]);
    unsaid.push(Sealed::AnswerWithdrawn { message: "a2".into() }.into());
    let then = Sealed::AnswerDelta { message: "a4".into(), refusal: false, delta: "Whole.".into() };
    for events in [&mut events, &mut unsaid] {
        events.push(Sealed::AnswerStart { message: "a4".into(), refusal: false }.into());
        events.push(then.clone().into());
    }
    let end = || completed(Completion::default());
    let (events, unsaid) = (ended(events, end()), ended(unsaid, end()));
    let withdrawn = page(&modern(), &events);
    let profile = modern();
    let plain = frames(&context(&profile), true, &ended(answer(false, &["Whole."]), end()));
    assert_eq!(frames(&context(&profile), true, &unsaid), plain, "nothing was said, so nothing is broken");
    assert_snapshot!(withdrawn);
}

#[test]
fn the_readers_own_failure() {
    let profile = modern();
    let errors =
        [ErrorKind::StreamInterrupted.into(), Error::with(ErrorKind::BadCursor, "7.x"), ErrorKind::UnknownRun.into()];
    let lines = errors.iter().map(|error| Wire::ChatCompletions.failure(&context(&profile), error).data);
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_list_of_models() {
    use lastword::wire::chat_completions::models;
    assert_snapshot!([models(&["house-model", "small \"one\""], AT), models(&[], AT)].join("\n"));
}

/// A small client: what it has put together when the stream ends.
#[derive(Debug, Default, PartialEq)]
struct Client {
    content: Option<String>,
    refusal: Option<String>,
    reasoning: String,
    calls: Vec<(String, String, String)>,
    finish: Option<String>,
    usage: Option<Value>,
    timing: Option<Value>,
    error: Option<Value>,
}

/// Reads a stream, and holds it to the format's order.
fn read(cx: &Context<'_>, asked: bool, frames: &[String]) -> Client {
    let mut client = Client::default();
    let (done, chunks) = match frames.split_last().unwrap() {
        (last, chunks) if last == "[DONE]" => (true, chunks),
        _ => (false, frames),
    };
    for (at, line) in chunks.iter().enumerate() {
        let chunk: Value = serde_json::from_str(line).unwrap();
        if let Some(error) = chunk.get("error") {
            assert!(!done && at + 1 == chunks.len() && client.finish.is_none(), "an error is the last, and the end");
            client.error = Some(error.clone());
            continue;
        }
        let room = DELTA_FRAME.max(6 * (cx.run.len() + cx.profile.model.len()) + 8_192);
        assert!(line.len() <= room && !line.contains(['\n', '\r', '\u{2028}']), "{} bytes", line.len());
        assert_eq!(chunk["id"], format!("chatcmpl-{}", cx.run));
        assert_eq!((&chunk["object"], &chunk["model"]), (&json!("chat.completion.chunk"), &json!(cx.profile.model)));
        assert_eq!(chunk["created"], cx.profile.created_at / 1000);
        let Some(choice) = chunk["choices"].get(0) else {
            assert!(asked && done && at + 1 == chunks.len() && client.finish.is_some(), "usage is last");
            client.usage = Some(chunk["usage"].clone());
            client.timing = chunk.get("timing").cloned();
            continue;
        };
        assert_eq!(chunk.get("usage"), asked.then_some(&Value::Null), "null, if it was asked for");
        assert_eq!(choice["delta"].get("role").is_some(), at == 0, "the role comes once, first");
        assert!(client.finish.is_none(), "nothing of the message behind its end");
        client.finish = choice["finish_reason"].as_str().map(str::to_owned);
        client.delta(&choice["delta"]);
    }
    assert_eq!(done, client.finish.is_some(), "one end, and only where all was said");
    assert_eq!(asked && done, client.usage.is_some());
    client
}

impl Client {
    fn delta(&mut self, delta: &Value) {
        if let Some(text) = delta["content"].as_str() {
            self.content.get_or_insert_default().push_str(text);
        }
        if let Some(text) = delta["refusal"].as_str() {
            self.refusal.get_or_insert_default().push_str(text);
        }
        self.reasoning.push_str(delta["reasoning_content"].as_str().unwrap_or_default());
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let (index, function) = (call["index"].as_u64().unwrap() as usize, &call["function"]);
            match call["id"].as_str() {
                Some(id) => {
                    assert_eq!(index, self.calls.len(), "dense");
                    assert_eq!(call["type"], "function");
                    self.calls.push((id.into(), function["name"].as_str().unwrap().into(), String::new()));
                }
                None => assert!(index < self.calls.len() && function.get("name").is_none()),
            }
            self.calls[index].2.push_str(function["arguments"].as_str().unwrap());
        }
    }

    /// What a client has of a document.
    fn of(document: &Document) -> Client {
        let body: Value = serde_json::from_str(&document.body).unwrap();
        if let Some(error) = body.get("error") {
            assert!(document.status >= 400);
            return Client { error: Some(error.clone()), ..Client::default() };
        }
        assert_eq!(document.status, 200);
        let choice = &body["choices"][0];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let call = |call: &Value| {
            let function = &call["function"];
            (text(&call["id"]).unwrap(), text(&function["name"]).unwrap(), text(&function["arguments"]).unwrap())
        };
        let message = &choice["message"];
        Client {
            content: text(&message["content"]),
            refusal: text(&message["refusal"]),
            reasoning: text(&message["reasoning_content"]).unwrap_or_default(),
            calls: message["tool_calls"].as_array().into_iter().flatten().map(call).collect(),
            finish: text(&choice["finish_reason"]),
            usage: Some(body["usage"].clone()),
            timing: body.get("timing").cloned(),
            error: None,
        }
    }
}

/// True if no two texts of reasoning are open at once.
fn reasons_in_turn(events: &[Event]) -> bool {
    let mut open = 0;
    events.iter().all(|event| {
        match event {
            Event::Plain(Plain::NarrationStart { .. } | Plain::ThinkingStart { public: true, .. }) => open += 1,
            Event::Plain(Plain::NarrationEnd { .. } | Plain::ThinkingEnd { public: true, .. }) => open -= 1,
            _ => {}
        }
        open < 2
    })
}

proptest! {
    #[test]
    fn any_run_is_told_in_order_and_as_its_document(
        events in run(), refusal: bool, asked: bool, approvals: bool, profile in profile(), id in long_id(),
    ) {
        let events = with_one_answer(events, refusal);
        let profile = Profile { approval_calls: approvals, ..profile };
        let cx = Context { run: &id, thread: "t", profile: &profile };
        let frames = frames(&cx, asked, &events);
        let streamed = read(&cx, asked, &frames);
        let whole = Client::of(&document(&cx, &events));
        match &whole.error {
            Some(_) => prop_assert_eq!(streamed.error, whole.error),
            None => {
                if reasons_in_turn(&events) {
                    prop_assert_eq!(&streamed.reasoning, &whole.reasoning);
                }
                let told = Client { reasoning: String::new(), ..streamed };
                let whole = Client { reasoning: String::new(), ..whole };
                let whole = if asked { whole } else { Client { usage: None, timing: None, ..whole } };
                prop_assert_eq!(told, whole);
            }
        }
    }
}
