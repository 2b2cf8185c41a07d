//! The request's body.

use crate::input::{Call, Echo, Media, Message, Part, RunInput, Settings, Source, TextForm, Tool, ToolChoice};
use crate::provider::Format;
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

fn url() -> Source {
    Source::Url { value: "https://a.example/b".to_owned(), mime: None }
}

fn file() -> Source {
    Source::File { value: "file-1".to_owned() }
}

fn calls(text: &str, ids: &[&str], kept: Option<Value>) -> Message {
    let call =
        |id: &&str| Call { id: (*id).to_owned(), name: "look".to_owned(), arguments: format!("{{\"at\":\"{id}\"}}") };
    Message::Assistant { text: text.to_owned(), calls: ids.iter().map(call).collect(), kept }
}

fn result(call: &str, content: Vec<Part>) -> Message {
    Message::Tool { call: call.to_owned(), content }
}

fn sent(input: &RunInput, transcript: &[Message]) -> Result<Value, Error> {
    let body = Format::Responses.request("m", input, input.messages.len(), transcript)?;
    Ok(serde_json::from_slice(&body).unwrap())
}

fn items(messages: Vec<Message>, transcript: &[Message]) -> Value {
    sent(&input(messages), transcript).unwrap()["input"].take()
}

#[test]
fn a_whole_conversation_with_all_that_a_client_can_say() {
    let number = |value: Value| value.as_number().cloned();
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    let settings = Settings {
        temperature: number(json!(0.5)),
        top_p: number(json!(1)),
        max_output: Some(99),
        stop: vec!["a".into()],
        tool_choice: Some(ToolChoice::Function("look".into())),
        parallel_calls: Some(false),
        form: Some(TextForm::Schema { name: "out".into(), schema: schema.clone(), strict: Some(true) }),
        effort: Some("low".into()),
        seed: Some(-3),
        presence_penalty: number(json!(-1)),
        frequency_penalty: number(json!(2)),
    };
    let tools = vec![
        Tool { name: "look".into(), description: "Looks".into(), parameters: Some(schema) },
        Tool { name: "wait".into(), description: String::new(), parameters: None },
    ];
    let messages = vec![
        Message::System("Be kind.".into()),
        Message::User(vec![text("What is this?"), media(Media::Image, url())]),
        calls("Let me look.", &["c1", "c2"], None),
        result("c1", vec![text("a"), text("b")]),
        result("c2", vec![text("c")]),
        Message::System("Be brief.".into()),
    ];
    let kept = json!({"responses": [
        {"type": "reasoning", "summary": [], "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "phase": "commentary", "content": [{"type": "output_text", "text": "And here."}]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    ]});
    let transcript = [calls("And here.", &["r-1"], Some(kept)), result("r-1", vec![text("d")])];
    let context = vec![("The time".to_owned(), "noon".to_owned())];
    let input = RunInput { tools, context, settings, ..input(messages) };
    let body = sent(&input, &transcript).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn what_is_not_asked_is_not_said() {
    let body = sent(&input(vec![Message::User(vec![text("Hi")])]), &[]).unwrap();
    let hello = json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]);
    assert_eq!(body, json!({"model": "m", "input": hello, "stream": true, "store": false}));
    let choice = Settings { tool_choice: Some(ToolChoice::Required), ..Settings::default() };
    let body = sent(&RunInput { settings: choice, ..input(vec![]) }, &[]).unwrap();
    assert_eq!(body.get("tool_choice"), None, "there are no tools");
}

#[test]
fn every_choice_and_form_and_effort() {
    let tool = || vec![Tool { name: "look".into(), description: String::new(), parameters: None }];
    let said = |settings| sent(&RunInput { settings, tools: tool(), ..input(vec![]) }, &[]).unwrap();
    for (choice, word) in [(ToolChoice::Auto, "auto"), (ToolChoice::None, "none"), (ToolChoice::Required, "required")] {
        assert_eq!(said(Settings { tool_choice: Some(choice), ..Settings::default() })["tool_choice"], word);
    }
    let form = said(Settings { form: Some(TextForm::Json), ..Settings::default() });
    assert_eq!(form["text"], json!({"format": {"type": "json_object"}}));
    let effort = |effort: &str| said(Settings { effort: Some(effort.into()), ..Settings::default() });
    assert_eq!(effort("high")["reasoning"], json!({"effort": "high", "summary": "auto"}));
    assert_eq!(effort("none")["reasoning"], json!({"effort": "none"}));
    assert_eq!(effort("high")["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(said(Settings::default()).get("include"), None);
}

#[test]
fn images_and_documents_from_wherever_they_are() {
    let parts = vec![
        media(Media::Image, data("image/png")),
        media(Media::Image, url()),
        media(Media::Image, file()),
        media(Media::Document, data("application/pdf")),
        media(Media::Document, url()),
        media(Media::Document, file()),
    ];
    let expected = json!([
        {"type": "input_image", "image_url": "data:image/png;base64,QUJD"},
        {"type": "input_image", "image_url": "https://a.example/b"},
        {"type": "input_image", "file_id": "file-1"},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,QUJD"},
        {"type": "input_file", "file_url": "https://a.example/b"},
        {"type": "input_file", "file_id": "file-1"},
    ]);
    let items = items(vec![Message::User(parts.clone())], &[calls("", &["c"], None), result("c", parts)]);
    assert_eq!(items[0]["content"], expected);
    assert_eq!(items[2], json!({"type": "function_call_output", "call_id": "c", "output": expected}));
}

#[test]
fn sound_and_films_are_refused_with_their_place() {
    for kind in [Media::Audio, Media::Video] {
        for source in [data("audio/wav"), url(), file()] {
            let parts = vec![text("a"), media(kind, source)];
            let error = sent(&input(vec![Message::System("s".into()), Message::User(parts.clone())]), &[]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnsupportedPart);
            assert!(error.to_string().contains("messages[1].content[1]"), "{error}");
            let error = sent(&input(vec![]), &[calls("", &["c"], None), result("c", parts)]).unwrap_err();
            assert!(error.to_string().contains("transcript[1].content[1]"), "{error}");
        }
    }
}

#[test]
fn a_call_without_arguments_has_an_empty_object_and_who_says_nothing_no_message() {
    let bare = Call { id: "c".into(), name: "look".into(), arguments: " ".into() };
    let said = Message::Assistant { text: String::new(), calls: vec![bare], kept: None };
    let items = items(vec![Message::User(vec![]), said], &[]);
    let expected = json!([
        {"type": "message", "role": "user", "content": ""},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
    ]);
    assert_eq!(items, expected);
}

#[test]
fn kept_calls_have_the_threads_ids_and_their_results_the_type_that_belongs_to_them() {
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "look", "arguments": "{}"});
    let custom = |id: &str| json!({"type": "custom_tool_call", "call_id": id, "name": "run", "input": "x"});
    let kept = json!({"responses": [call("b"), custom("a"), call("a"), call("unheard")]});
    let said = calls("", &["a", "r-1", "b"], Some(kept));
    let done = ["a", "r-1", "b"].map(|id| result(id, vec![text(id)]));
    let items = items(vec![], &[vec![said], done.to_vec()].concat());
    let result = |kind: &str, id: &str| json!({"type": kind, "call_id": id, "output": id});
    let expected = json!([
        call("b"),
        custom("a"),
        call("r-1"),
        result("custom_tool_call_output", "a"),
        result("function_call_output", "r-1"),
        result("function_call_output", "b"),
    ]);
    assert_eq!(items, expected);
}

#[test]
fn a_call_of_which_nothing_was_kept_is_sent_all_the_same() {
    let kept = json!({"responses": [{"type": "reasoning", "encrypted_content": "x"}]});
    let items = items(vec![], &[calls("", &["c"], Some(kept))]);
    assert_eq!(items[0]["type"], "reasoning");
    assert_eq!(
        items[1],
        json!({"type": "function_call", "call_id": "c", "name": "look", "arguments": "{\"at\":\"c\"}"})
    );
}

#[test]
fn what_another_format_has_kept_is_nothing_here() {
    let items = items(vec![calls("Hm", &["c"], Some(json!({"anthropic": []})))], &[]);
    assert_eq!(items[0]["content"], json!([{"type": "output_text", "text": "Hm"}]));
    assert_eq!(items[1]["call_id"], "c");
}
