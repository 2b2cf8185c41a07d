//! The request's body.

use crate::input::{Call, Echo, Media, Message, Part, RunInput, Source, Tool};
use crate::provider::chat_completions::request;
use crate::{Error, ErrorKind};
use serde_json::{Value, json};

fn input(messages: Vec<Message>) -> RunInput {
    RunInput {
        thread: "t".to_owned(),
        run: "r".to_owned(),
        messages,
        tools: Vec::new(),
        context: Vec::new(),
        resume: Default::default(),
        model: None,
        settings: Default::default(),
        echo: Echo::default(),
        fingerprint: String::new(),
        protocol: None,
        exactly_once: false,
    }
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn media(kind: Media, source: Source) -> Part {
    Part::Media { kind, source }
}

fn data(mime: &str) -> Source {
    Source::Data { value: "QUJD".to_owned(), mime: mime.to_owned() }
}

fn url(value: &str) -> Source {
    Source::Url { value: value.to_owned(), mime: None }
}

fn file() -> Source {
    Source::File { value: "file-1".to_owned() }
}

fn says(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), calls: Vec::new(), kept: None }
}

fn calls(text: &str, ids: &[&str]) -> Message {
    let call =
        |id: &&str| Call { id: (*id).to_owned(), name: "look".to_owned(), arguments: format!("{{\"at\":\"{id}\"}}") };
    Message::Assistant { text: text.to_owned(), calls: ids.iter().map(call).collect(), kept: None }
}

fn result(call: &str, content: Vec<Part>) -> Message {
    Message::Tool { call: call.to_owned(), content }
}

fn user(content: Vec<Part>) -> Message {
    Message::User(content)
}

fn body(messages: Vec<Message>, transcript: &[Message]) -> Value {
    parsed(request("m", &input(messages), transcript, &[]))
}

fn parsed(body: Result<String, Error>) -> Value {
    serde_json::from_str(&body.unwrap()).unwrap()
}

/// The messages of a body in short: who, and what for.
fn order(body: &Value) -> Vec<String> {
    let line = |message: &Value| {
        let ids: Vec<&str> =
            message["tool_calls"].as_array().into_iter().flatten().filter_map(|call| call["id"].as_str()).collect();
        let what = message["tool_call_id"].as_str().or(message["content"].as_str()).unwrap_or_default();
        format!("{} {what} {}", message["role"].as_str().unwrap(), ids.join("+")).trim_end().to_owned()
    };
    body["messages"].as_array().unwrap().iter().map(line).collect()
}

fn refused(messages: Vec<Message>, transcript: &[Message]) -> Error {
    request("m", &input(messages), transcript, &[]).unwrap_err()
}

#[test]
fn a_whole_turn() {
    let mut input = input(vec![
        Message::System("Be brief.".to_owned()),
        user(vec![text("Hi.")]),
        says("Hello."),
        user(vec![text("Look at this:"), media(Media::Image, data("image/png"))]),
    ]);
    input.context =
        vec![("The page that is open".to_owned(), "/orders".to_owned()), ("The time".to_owned(), "noon".to_owned())];
    let transcript = [calls("I'll look.", &["c1"]), result("c1", vec![text("{\"ok\":true}")])];
    let tools = [
        Tool {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            parameters: Some(json!({ "type": "object", "properties": { "at": { "type": "string" } } })),
        },
        Tool { name: "now".to_owned(), description: String::new(), parameters: None },
    ];
    insta::assert_json_snapshot!(parsed(request("aster-2", &input, &transcript, &tools)));
}

#[test]
fn every_part_that_the_format_has() {
    let parts = vec![
        text("All of them:"),
        media(Media::Image, data("image/png")),
        media(Media::Image, url("https://example.com/a.png")),
        media(Media::Audio, data("audio/wav")),
        media(Media::Audio, data("Audio/MPEG; rate=44100")),
        media(Media::Document, data("application/pdf")),
        media(Media::Document, data("text/csv")),
        media(Media::Document, file()),
    ];
    insta::assert_json_snapshot!(body(vec![user(parts)], &[])["messages"]);
}

#[test]
fn parts_that_the_format_lacks_are_refused_with_their_place() {
    let lacking = [
        media(Media::Image, file()),
        media(Media::Audio, data("audio/ogg")),
        media(Media::Audio, url("https://example.com/a.wav")),
        media(Media::Audio, file()),
        media(Media::Video, data("video/mp4")),
        media(Media::Video, url("https://example.com/a.mp4")),
        media(Media::Video, file()),
        media(Media::Document, url("https://example.com/a.pdf")),
    ];
    for part in lacking {
        let error = refused(vec![says("Hello."), user(vec![text("a"), part.clone()])], &[]);
        assert_eq!(error, Error::with(ErrorKind::UnsupportedPart, "messages[1].content[1]"), "{part:?}");
    }
}

#[test]
fn a_result_that_is_no_text_is_refused_with_its_place() {
    let image = || vec![text("a"), media(Media::Image, data("image/png"))];
    let sent = refused(vec![user(vec![text("a")]), calls("", &["c1"]), result("c1", image())], &[]);
    assert_eq!(sent.detail(), Some("messages[2].content[1]"));
    let done = refused(vec![user(vec![text("a")])], &[calls("", &["c1"]), result("c1", image())]);
    assert_eq!(done.detail(), Some("transcript[1].content[1]"));
}

#[test]
fn text_alone_is_a_plain_string() {
    let body = body(vec![user(vec![text("a"), text("b")]), user(Vec::new())], &[]);
    assert_eq!(body["messages"][0]["content"], json!("a\nb"));
    assert_eq!(body["messages"][1]["content"], json!(""));
}

#[test]
fn without_context_and_tools_there_is_no_trace_of_them() {
    let body = body(vec![user(vec![text("a")])], &[]);
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    assert_eq!(body.get("tools"), None);
}

#[test]
fn neighbouring_calls_become_one_message() {
    let sent = vec![
        user(vec![text("q")]),
        calls("", &["a"]),
        calls("", &["b", "c"]),
        result("a", vec![]),
        result("b", vec![]),
    ];
    let done = [result("c", vec![])];
    let body = body(sent, &done);
    assert_eq!(order(&body), ["user q", "assistant  a+b+c", "tool a", "tool b", "tool c"]);
    assert_eq!(body["messages"][1]["content"], Value::Null);
}

#[test]
fn the_texts_of_neighbouring_calls_are_kept() {
    let body = body(vec![calls("One.", &["a"]), calls("", &["b"]), calls("Two.", &["c"])], &[]);
    assert_eq!(order(&body), ["assistant One.\n\nTwo. a+b+c"]);
}

#[test]
fn rounds_of_calls_stay_apart() {
    let sent = vec![calls("", &["a"]), result("a", vec![]), calls("", &["b"]), result("b", vec![]), says("done")];
    assert_eq!(order(&body(sent, &[])), ["assistant  a", "tool a", "assistant  b", "tool b", "assistant done"]);
}

#[test]
fn an_assistant_message_without_calls_is_not_merged() {
    let sent = vec![calls("", &["a"]), says("between"), calls("", &["b"])];
    assert_eq!(order(&body(sent, &[])), ["assistant  a", "assistant between", "assistant  b"]);
}

#[test]
fn results_stand_directly_behind_their_calls() {
    let sent = vec![
        calls("", &["a", "b"]),
        result("b", vec![]),
        user(vec![text("meanwhile")]),
        result("a", vec![]),
        result("lost", vec![]),
    ];
    assert_eq!(order(&body(sent, &[])), ["assistant  a+b", "tool a", "tool b", "user meanwhile", "tool lost"]);
}

#[test]
fn an_id_used_twice_takes_its_results_in_order() {
    let first = || vec![text("1")];
    let sent = vec![
        calls("", &["a"]),
        result("a", first()),
        calls("", &["a"]),
        result("a", vec![text("2")]),
        result("a", vec![]),
    ];
    let body = body(sent, &[]);
    assert_eq!(order(&body), ["assistant  a", "tool a", "assistant  a", "tool a", "tool a"]);
    assert_eq!([&body["messages"][1]["content"], &body["messages"][3]["content"]], ["1", "2"]);
}

#[test]
fn a_result_before_its_call_stays_where_it_is() {
    let sent = vec![result("a", vec![text("1")]), calls("", &["a"]), says("between"), result("a", vec![text("2")])];
    let body = body(sent, &[]);
    assert_eq!(order(&body), ["tool a", "assistant  a", "tool a", "assistant between"]);
    assert_eq!(body["messages"][2]["content"], "2");
}

#[test]
fn empty_arguments_are_an_empty_object() {
    let call = Call { id: "a".to_owned(), name: "now".to_owned(), arguments: " ".to_owned() };
    let body = body(vec![Message::Assistant { text: String::new(), calls: vec![call], kept: None }], &[]);
    assert_eq!(body["messages"][0]["tool_calls"][0]["function"]["arguments"], json!("{}"));
}
