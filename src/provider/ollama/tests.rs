//! The recordings, and what Ollama is asked.

use crate::ErrorKind;
use crate::input::{Call, Media, Message, Part, RunInput, Settings, Source, TextForm, ToolChoice};
use crate::provider::Format;
use crate::provider::quirks::quirks;
use crate::provider::workers_ai::tests::{asked, input, transcript};
use serde_json::{Value, json};

quirks!(Format::Ollama, "ollama", 40);

#[test]
fn a_whole_turn() {
    insta::assert_json_snapshot!(asked(Format::Ollama, &input(), &transcript()));
}

#[test]
fn what_nobody_said_is_left_out() {
    let input = RunInput {
        settings: Settings::default(),
        tools: Vec::new(),
        context: Vec::new(),
        messages: vec![Message::User(vec![Part::Text("Hi.".to_owned())])],
        ..input()
    };
    let body = asked(Format::Ollama, &input, &[]);
    assert_eq!(body, json!({"model": "m", "messages": [{"role": "user", "content": "Hi."}], "stream": true}));
}

fn with(settings: Settings) -> Value {
    asked(Format::Ollama, &RunInput { settings, ..input() }, &[])
}

#[test]
fn how_hard_it_thinks_is_one_of_what_it_knows() {
    let think =
        |effort: &str| with(Settings { effort: Some(effort.to_owned()), ..Settings::default() })["think"].clone();
    for effort in ["low", "medium", "high"] {
        assert_eq!(think(effort), json!(effort));
    }
    assert_eq!(
        ["none", "minimal", "xhigh", "max", "on"].map(think),
        [json!(false), json!("low"), json!("high"), json!("high"), json!(true)]
    );
}

#[test]
fn a_form_is_json_or_the_schema_itself_and_no_tools_are_sent_that_may_not_be_called() {
    let body =
        with(Settings { form: Some(TextForm::Json), tool_choice: Some(ToolChoice::None), ..Settings::default() });
    assert_eq!(body["format"], json!("json"));
    assert_eq!((body.get("tools"), body.get("options")), (None, None));
    assert_eq!(with(Settings::default())["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn arguments_are_an_object_whatever_the_model_wrote() {
    let made = |arguments: &str| {
        let call = Call { id: "c".to_owned(), name: "look".to_owned(), arguments: arguments.to_owned() };
        let message = Message::Assistant { text: String::new(), calls: vec![call], kept: None };
        let body = asked(Format::Ollama, &RunInput { messages: vec![message], context: Vec::new(), ..input() }, &[]);
        body["messages"][0]["tool_calls"][0]["function"]["arguments"].clone()
    };
    assert_eq!(made("{\"a\":[1]}"), json!({"a": [1]}));
    assert_eq!(made(" "), json!({}));
    for text in ["[1]", "{\"a\"", "look"] {
        assert_eq!(made(text), json!({"arguments": text}));
    }
}

#[test]
fn a_part_that_it_cannot_be_given_is_named() {
    let refused = |kind: Media, source: Source| {
        let messages = vec![Message::User(vec![Part::Text("a".to_owned()), Part::Media { kind, source }])];
        let error = Format::Ollama.request("m", &RunInput { messages, ..input() }, usize::MAX, &[]).unwrap_err();
        assert_eq!((error.kind(), error.detail()), (ErrorKind::UnsupportedPart, Some("messages[0].content[1]")));
    };
    let data = |mime: &str| Source::Data { value: "QUJD".to_owned(), mime: mime.to_owned() };
    refused(Media::Image, Source::Url { value: "https://example.com/a.png".to_owned(), mime: None });
    refused(Media::Image, Source::File { value: "f".to_owned() });
    refused(Media::Audio, data("audio/wav"));
    refused(Media::Video, data("video/mp4"));
    refused(Media::Document, data("application/pdf"));
    let content = vec![Part::Media { kind: Media::Image, source: data("image/png") }];
    let result = [Message::Tool { call: "c".to_owned(), content }];
    let error = Format::Ollama.request("m", &input(), usize::MAX, &result).unwrap_err();
    assert_eq!(error.detail(), Some("transcript[0].content[0]"));
}
