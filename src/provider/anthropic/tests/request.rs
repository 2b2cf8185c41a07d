//! The request's body.

use crate::input::{Call, Echo, Media, Message, Part, RunInput, Settings, Source, TextForm, Tool, ToolChoice};
use crate::provider::Format;
use crate::{Error, ErrorKind};
use serde_json::{Number, Value, json};

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

fn user(content: Vec<Part>) -> Message {
    Message::User(content)
}

fn model(text: &str, ids: &[&str], kept: Option<Value>) -> Message {
    let call =
        |id: &&str| Call { id: (*id).to_owned(), name: "look".to_owned(), arguments: format!("{{\"at\":\"{id}\"}}") };
    Message::Assistant { text: text.to_owned(), calls: ids.iter().map(call).collect(), kept }
}

fn result(call: &str, content: Vec<Part>) -> Message {
    Message::Tool { call: call.to_owned(), content }
}

fn sent(input: &RunInput, transcript: &[Message]) -> Result<Value, Error> {
    let body = Format::Anthropic.request("m", input, input.messages.len(), transcript)?;
    Ok(serde_json::from_slice(&body).unwrap())
}

fn messages(messages: Vec<Message>, transcript: &[Message]) -> Value {
    sent(&input(messages), transcript).unwrap()["messages"].take()
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn a_whole_turn() {
    let mut input = input(vec![
        Message::System("Be brief.".to_owned()),
        user(vec![text("Where is it?"), media(Media::Image, data("image/png"))]),
        model("Let me see.", &["c1", "c2"], None),
        result("c2", vec![text("nowhere")]),
        result("c1", vec![]),
        user(vec![text("And now?")]),
    ]);
    input.context.push(("Time".to_owned(), "noon".to_owned()));
    let parameters = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    input.tools = vec![
        Tool { name: "look".to_owned(), description: "Looks.".to_owned(), parameters: Some(parameters) },
        Tool { name: "wait".to_owned(), description: String::new(), parameters: None },
    ];
    input.settings = Settings {
        temperature: Number::from_f64(0.5),
        max_output: Some(100),
        stop: vec!["END".to_owned(), "\n".to_owned()],
        tool_choice: Some(ToolChoice::Function("look".to_owned())),
        parallel_calls: Some(false),
        form: Some(TextForm::Schema { name: "place".to_owned(), schema: json!({"type": "object"}), strict: None }),
        effort: Some("high".to_owned()),
        seed: Some(1),
        presence_penalty: Some(1.into()),
        ..Settings::default()
    };
    let transcript =
        [model("", &["c3"], None), result("c3", vec![text("[1]"), media(Media::Document, data("application/pdf"))])];
    insta::assert_json_snapshot!(sent(&input, &transcript).unwrap());
}

#[test]
fn every_part_that_the_format_has() {
    let url = |value: &str| Source::Url { value: value.to_owned(), mime: None };
    let parts = vec![
        text("text"),
        media(Media::Image, data("IMAGE/JPG; q=1")),
        media(Media::Image, url("https://img.example/a.png")),
        media(Media::Image, Source::File { value: "file_1".to_owned() }),
        media(Media::Document, data("application/pdf")),
        media(Media::Document, data("text/plain; charset=utf-8")),
        media(Media::Document, url("https://img.example/a.pdf")),
        media(Media::Document, Source::File { value: "file_2".to_owned() }),
    ];
    insta::assert_json_snapshot!(messages(vec![user(parts)], &[]));
}

#[test]
fn a_part_that_the_format_cannot_say_is_refused_with_its_place() {
    let plain = |value: &str| Source::Data { value: value.to_owned(), mime: "text/plain".to_owned() };
    for part in [
        media(Media::Audio, data("audio/wav")),
        media(Media::Video, Source::Url { value: "https://img.example/a".to_owned(), mime: None }),
        media(Media::Image, data("image/tiff")),
        media(Media::Document, data("application/msword")),
        media(Media::Document, plain("not base64!")),
        media(Media::Document, plain("/w==")),
    ] {
        let error = sent(&input(vec![model("a", &[], None), user(vec![text("b"), part.clone()])]), &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedPart);
        assert!(error.to_string().contains("messages[1].content[1]"), "{error}");
        let error = sent(&input(vec![]), &[result("c", vec![part])]).unwrap_err();
        assert!(error.to_string().contains("transcript[0].content[0]"), "{error}");
    }
}

#[test]
fn white_space_is_never_a_text_block_and_who_says_nothing_has_no_message() {
    let sent = messages(vec![user(vec![text("a")]), model(" \n", &[], None), user(vec![text(""), text("b")])], &[]);
    assert_eq!(sent, json!([{"role": "user", "content": [said("a"), said("b")]}]));
    let mut blank = input(vec![Message::System(" ".to_owned()), user(vec![text("a")])]);
    blank.settings.stop = vec!["\n".to_owned()];
    let body = Format::Anthropic.request("m", &blank, 2, &[]).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        body,
        json!({"model": "m", "max_tokens": 8192, "stream": true, "messages": [{"role": "user", "content": [said("a")]}]})
    );
}

#[test]
fn results_stand_first_and_directly_behind_their_calls() {
    let sent = messages(
        vec![
            model("", &["a"], None),
            model("Both.", &["b"], None),
            user(vec![text("Wait.")]),
            result("b", vec![text("2")]),
            result("a", vec![text("1")]),
            result("a", vec![text("again")]),
            result("lost", vec![text("3")]),
        ],
        &[],
    );
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "look", "input": {"at": id}});
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": [said(text)]});
    let asked = json!([result("a", "1"), result("b", "2"), said("Wait."), result("a", "again"), result("lost", "3")]);
    assert_eq!(
        sent,
        json!([
            {"role": "assistant", "content": [call("a"), said("Both."), call("b")]},
            {"role": "user", "content": asked},
        ])
    );
}

#[test]
fn an_id_that_comes_again_belongs_to_the_call_before_it() {
    let turn = |answer: &str| [model("", &["a"], None), result("a", vec![text(answer)])];
    let sent = messages([turn("1"), turn("2")].concat(), &[]);
    let results: Vec<&Value> = [1, 3].iter().map(|at| &sent[at]["content"][0]["content"][0]["text"]).collect();
    assert_eq!(results, ["1", "2"]);
}

#[test]
fn what_the_provider_wanted_back_stands_in_the_place_of_text_and_calls() {
    let thinking = json!({"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "look", "input": {}});
    let server = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "a"}});
    let kept = json!({"anthropic": [thinking, said("Both."), call("toolu_1"), call("toolu_1")]});
    let paused = json!({"anthropic": [server]});
    let transcript = [model("", &[], Some(paused)), model("Both.", &["r-x1", "r-x2"], Some(kept))];
    let sent = messages(vec![], &transcript);
    let content = json!([server, thinking, said("Both."), call("r-x1"), call("r-x2")]);
    assert_eq!(sent, json!([{"role": "assistant", "content": content}]), "with the ids of the thread");

    let others = json!({"gemini": [{"text": "Both."}]});
    let sent = messages(vec![], &[model("Both.", &["c"], Some(others))]);
    assert_eq!(sent[0]["content"][0], said("Both."), "what another provider wanted back says nothing here");
    assert_eq!(sent[0]["content"][1]["id"], "c");
}

#[test]
fn arguments_that_are_no_object_are_an_empty_one() {
    for arguments in ["", "[1]", "{\"a\"", "null"] {
        let call = Call { id: "c".to_owned(), name: "look".to_owned(), arguments: arguments.to_owned() };
        let sent = messages(vec![], &[Message::Assistant { text: String::new(), calls: vec![call], kept: None }]);
        assert_eq!(sent[0]["content"], json!([{"type": "tool_use", "id": "c", "name": "look", "input": {}}]));
    }
}

#[test]
fn settings_that_the_format_says_otherwise_or_not_at_all() {
    let with = |settings: Settings, tools: bool| {
        let mut input = input(vec![user(vec![text("a")])]);
        input.settings = settings;
        let tool = Tool { name: "look".to_owned(), description: String::new(), parameters: None };
        input.tools = if tools { vec![tool] } else { vec![] };
        let mut body = sent(&input, &[]).unwrap();
        let body = body.as_object_mut().unwrap();
        for known in ["model", "max_tokens", "messages", "stream", "tools"] {
            body.remove(known);
        }
        Value::Object(std::mem::take(body))
    };
    let number = |value: f64| Number::from_f64(value);
    let hot = Settings { temperature: number(1.5), top_p: number(0.9), ..Settings::default() };
    assert_eq!(with(hot, false), json!({"temperature": 1}));
    assert_eq!(with(Settings { top_p: number(0.9), ..Settings::default() }, false), json!({"top_p": 0.9}));
    assert_eq!(with(Settings { form: Some(TextForm::Json), ..Settings::default() }, false), json!({}));
    for (effort, expected) in [
        ("none", json!({})),
        ("minimal", json!({"output_config": {"effort": "low"}})),
        ("max", json!({"output_config": {"effort": "max"}})),
    ] {
        assert_eq!(with(Settings { effort: Some(effort.to_owned()), ..Settings::default() }, false), expected);
    }
    let choice = |choice: Option<ToolChoice>, parallel: Option<bool>, tools: bool| {
        with(Settings { tool_choice: choice, parallel_calls: parallel, ..Settings::default() }, tools)
    };
    let one = |kind: &str| json!({"tool_choice": {"type": kind, "disable_parallel_tool_use": true}});
    assert_eq!(choice(None, Some(true), true), json!({}));
    assert_eq!(choice(None, Some(false), true), one("auto"));
    assert_eq!(choice(Some(ToolChoice::Required), Some(false), true), one("any"));
    assert_eq!(choice(Some(ToolChoice::Auto), None, true), json!({"tool_choice": {"type": "auto"}}));
    assert_eq!(choice(Some(ToolChoice::None), Some(false), true), json!({"tool_choice": {"type": "none"}}));
    assert_eq!(choice(Some(ToolChoice::Required), Some(false), false), json!({}), "without tools there is no choice");
}
