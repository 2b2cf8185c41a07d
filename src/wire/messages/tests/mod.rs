//! The request's fields, one by one.

mod refused;
mod settings;

use crate::input::{Answer, Call, Media, Message, Part, Source, Word};
use crate::wire::agui::{Limits, heard};
use crate::wire::{Asked, Form, Names};
use crate::{Error, ErrorKind};
use serde_json::{Value, json};

const NAMES: Names<'_> = Names { run: "run-1", thread: None };

fn parse(body: &Value) -> Result<Asked, Error> {
    super::parse(body.to_string().as_bytes(), &NAMES, &Limits::default())
}

/// The least request, with these members besides or instead.
fn with(members: Value) -> Value {
    let mut body = json!({"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}]});
    for (key, value) in members.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

fn conversation(messages: Value) -> Vec<Message> {
    parse(&with(json!({"messages": messages}))).unwrap().input.messages
}

fn text(text: &str) -> Part {
    Part::Text(text.into())
}

fn call(id: &str, arguments: &str) -> Call {
    Call { id: id.into(), name: "look".into(), arguments: arguments.into() }
}

fn result(call: &str, content: &[Part]) -> Message {
    Message::Tool { call: call.into(), content: content.to_vec() }
}

#[test]
fn the_least_request() {
    let asked = parse(&with(json!({}))).unwrap();
    assert_eq!(asked.input.messages, [Message::User(vec![text("Hi")])]);
    assert_eq!((asked.input.run.as_str(), asked.input.thread.as_str()), ("run-1", "run-1"));
    assert_eq!((asked.form, asked.previous), (Form::Whole, None));
    assert_eq!(asked.input.model.as_deref(), Some("m"));
    assert_eq!(asked.input.settings.max_output, Some(64));
    assert_eq!(asked.input.echo.messages, [json!({"id": "run-1-i-1", "role": "user", "content": "Hi"})]);
}

#[test]
fn a_stream_is_one_where_it_is_asked_for_and_a_thread_is_that_which_is_named() {
    for (stream, form) in [(json!(true), Form::Stream), (json!(false), Form::Whole), (Value::Null, Form::Whole)] {
        assert_eq!(parse(&with(json!({"stream": stream}))).unwrap().form, form);
    }
    let names = Names { thread: Some("t"), ..NAMES };
    let body = with(json!({})).to_string();
    assert_eq!(super::parse(body.as_bytes(), &names, &Limits::default()).unwrap().input.thread, "t");
}

#[test]
fn instructions_are_a_string_or_blocks_or_a_message() {
    let blocks = json!([{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "Be short."}]);
    for (system, said) in [(json!("Be kind."), "Be kind."), (blocks, "Be kind.\n\nBe short.")] {
        let messages = parse(&with(json!({"system": system}))).unwrap().input.messages;
        assert_eq!(messages, [Message::System(said.into()), Message::User(vec![text("Hi")])]);
    }
    for nothing in [json!(""), json!([]), Value::Null] {
        assert_eq!(parse(&with(json!({"system": nothing}))).unwrap().input.messages.len(), 1);
    }
    let later = conversation(json!([{"role": "user", "content": "Hi"}, {"role": "system", "content": "Be short."}]));
    assert_eq!(later, [Message::User(vec![text("Hi")]), Message::System("Be short.".into())]);
}

#[test]
fn a_person_says_texts_pictures_and_documents() {
    let media = |kind, source| Part::Media { kind, source };
    let data = |mime: &str| Source::Data { value: "QUJD".into(), mime: mime.into() };
    let url = |value: &str| Source::Url { value: value.into(), mime: None };
    let file = || Source::File { value: "f1".into() };
    let source = |source: Value| json!({"type": "image", "source": source});
    let document = |source: Value| json!({"type": "document", "source": source});
    let blocks = json!([
        {"type": "text", "text": "See", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": ""},
        source(json!({"type": "base64", "media_type": "image/png", "data": "QUJD"})),
        source(json!({"type": "url", "url": "https://a.example/b.png"})),
        source(json!({"type": "file", "file_id": "f1"})),
        document(json!({"type": "base64", "media_type": "application/pdf", "data": "QUJD"})),
        document(json!({"type": "url", "url": "https://a.example/b.pdf"})),
        document(json!({"type": "file", "file_id": "f1"})),
        {"type": "document", "title": "Terms", "context": "Of 2026", "citations": {"enabled": false},
            "source": {"type": "text", "media_type": "text/plain", "data": "No refunds."}},
        document(json!({"type": "content", "content": "Whole"})),
        document(json!({"type": "content", "content": [
            {"type": "text", "text": "Part"}, source(json!({"type": "url", "url": "https://a.example/c.png"})),
        ]})),
    ]);
    let said = [
        text("See"),
        media(Media::Image, data("image/png")),
        media(Media::Image, url("https://a.example/b.png")),
        media(Media::Image, file()),
        media(Media::Document, data("application/pdf")),
        media(Media::Document, url("https://a.example/b.pdf")),
        media(Media::Document, file()),
        text("Terms"),
        text("Of 2026"),
        text("No refunds."),
        text("Whole"),
        text("Part"),
        media(Media::Image, url("https://a.example/c.png")),
    ];
    assert_eq!(conversation(json!([{"role": "user", "content": blocks}])), [Message::User(said.to_vec())]);
}

#[test]
fn what_the_assistant_said_is_one_text_with_its_calls_and_without_what_it_thought() {
    let blocks = json!([
        {"type": "thinking", "thinking": "Hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "Let me "},
        {"type": "text", "text": "look."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"b": 1, "a": [true]}},
        {"type": "tool_use", "id": "c2", "name": "look"},
        {"type": "tool_use", "id": "c3", "name": "look", "input": "{\"cut"},
    ]);
    let messages = conversation(json!([
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": blocks}, {"role": "assistant", "content": "So:"},
    ]));
    let calls = vec![call("c1", r#"{"a":[true],"b":1}"#), call("c2", "{}"), call("c3", "{\"cut")];
    assert_eq!(messages[1], Message::Assistant { text: "Let me look.".into(), calls, kept: None });
    assert_eq!(messages[2], Message::Assistant { text: "So:".into(), calls: vec![], kept: None });
}

#[test]
fn results_of_tools_are_messages_of_their_own_and_come_first() {
    let picture = json!({"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}});
    let messages = conversation(json!([{"role": "user", "content": [
        {"type": "text", "text": "And now?"},
        {"type": "tool_result", "tool_use_id": "c1", "content": "42"},
        {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "43"}, picture]},
        {"type": "tool_result", "tool_use_id": "c3"},
        {"type": "tool_result", "tool_use_id": "c4", "is_error": true, "content": "no such city"},
        {"type": "tool_result", "tool_use_id": "c5", "is_error": true, "content": [picture]},
        {"type": "tool_result", "tool_use_id": "c6", "is_error": true},
    ]}]));
    let picture =
        Part::Media { kind: Media::Image, source: Source::Url { value: "https://a.example/b.png".into(), mime: None } };
    let expected = [
        result("c1", &[text("42")]),
        result("c2", &[text("43"), picture.clone()]),
        result("c3", &[]),
        result("c4", &[text("Error: no such city")]),
        result("c5", &[text("Error."), picture]),
        result("c6", &[text("Error.")]),
        Message::User(vec![text("And now?")]),
    ];
    assert_eq!(messages, expected);
    let alone = conversation(json!([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]}]));
    assert_eq!(alone, [result("c1", &[])], "and nothing besides");
}

/// An approval is asked for by a call, and answered by its result.
fn approval(interrupt: &str, answer: Value) -> [Value; 2] {
    let id = format!("approval_{interrupt}");
    let mut result = json!({"type": "tool_result", "tool_use_id": id});
    for (key, value) in answer.as_object().unwrap() {
        result[key] = value.clone();
    }
    let ask = json!({"type": "tool_use", "id": id, "name": "lastword_approval", "input": {"reason": "tool_call"}});
    [json!({"role": "assistant", "content": [ask]}), json!({"role": "user", "content": [result]})]
}

#[test]
fn the_last_answers_to_approvals_go_on_with_the_run_and_are_no_messages() {
    let [ask, answer] = approval("i1", json!({"content": "{\"approved\":true}"}));
    let [again, given_up] = approval("i2", json!({"content": [{"type": "text", "text": "never"}], "is_error": true}));
    let hi = || json!({"role": "user", "content": "Hi"});
    let asked = parse(&with(json!({"messages": [hi(), ask, answer]}))).unwrap().input;
    assert_eq!(asked.messages, [Message::User(vec![text("Hi")])]);
    let word = Word::Resolved(Some(json!({"approved": true})));
    assert_eq!(asked.resume, [Answer { interrupt: "i1".into(), word }]);

    let later = parse(&with(json!({"messages": [hi(), ask, answer, again, given_up]}))).unwrap().input;
    assert_eq!(later.messages, [Message::User(vec![text("Hi")])]);
    assert_eq!(
        later.resume,
        [Answer { interrupt: "i2".into(), word: Word::Cancelled }],
        "the first was answered before"
    );

    let spoken = json!({"role": "assistant", "content": "Done."});
    let old = parse(&with(json!({"messages": [hi(), ask, answer, spoken, hi()]}))).unwrap().input;
    assert_eq!((old.resume.len(), old.messages.len()), (0, 3));
}

#[test]
fn an_approval_is_answered_once_and_by_json() {
    let [ask, answer] = approval("i1", json!({"content": "yes"}));
    let error = parse(&with(json!({"messages": [ask, answer]}))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("messages[1].content[0] must have JSON"), "{error}");
    let [ask, answer] = approval("i1", json!({"content": "{}"}));
    let twice = parse(&with(json!({"messages": [ask, answer, answer]}))).unwrap().input;
    assert_eq!(twice.resume.len(), 1);
    assert_eq!(twice.messages, [result("approval_i1", &[text("{}")])], "nobody asked again");
    let own = json!({"type": "tool_use", "id": "approval_1", "name": "look", "input": {}});
    let own = json!([{"role": "assistant", "content": [own]}, answer_of("approval_1")]);
    let own = parse(&with(json!({"messages": own}))).unwrap().input;
    assert_eq!((own.resume.len(), own.messages.len()), (0, 2), "a call of the app's that happens to be named so");
}

fn answer_of(call: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "{}"}]})
}

#[test]
fn what_is_echoed_is_heard_again() {
    let [ask, answer] = approval("i1", json!({"content": "{}"}));
    let body = with(json!({"system": "Be kind.", "messages": [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "42"}]},
        ask, answer,
    ]}));
    let input = parse(&body).unwrap().input;
    assert_eq!(heard(&input.echo.messages, &Limits::default()).unwrap(), input.messages);
}

#[test]
fn the_fingerprint_is_of_what_says_something() {
    let print = |members: Value| parse(&with(members)).unwrap().input.fingerprint;
    let plain = print(json!({}));
    let said = |content: Value| json!({"messages": [{"role": "user", "content": content}]});
    for same in [
        json!({"stream": true}),
        json!({"metadata": {"user_id": "u"}, "top_k": 5, "service_tier": "auto", "system": null, "tools": null}),
        said(json!([{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}])),
    ] {
        assert_eq!(print(same.clone()), plain, "{same}");
    }
    let tool = json!([{"name": "look", "input_schema": {"type": "object"}}]);
    for other in [
        said(json!("Ho")),
        json!({"model": "n"}),
        json!({"max_tokens": 65}),
        json!({"temperature": 0.5}),
        json!({"system": "Be kind."}),
        json!({"tools": tool}),
        json!({"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        json!({"stop_sequences": ["x"]}),
        json!({"output_config": {"effort": "low"}}),
    ] {
        assert_ne!(print(other.clone()), plain, "{other}");
    }
    let after = |words: &str, answer: &str| {
        let [ask, answer] = approval("i1", json!({"content": answer}));
        print(
            json!({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": words}, ask, answer]}),
        )
    };
    assert_eq!(after("One", "{}"), after("Two", "{}"), "what the assistant said is not the client's");
    assert_ne!(after("One", "{}"), after("One", "[]"));
}
