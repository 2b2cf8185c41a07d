//! Whole bodies of requests, and what they make of what the format can't say.

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
    let body = Format::Gemini.request("gemini-test-1", input, input.messages.len(), transcript)?;
    Ok(serde_json::from_slice(&body).unwrap())
}

fn contents(messages: Vec<Message>, transcript: &[Message]) -> Value {
    sent(&input(messages), transcript).unwrap()["contents"].take()
}

fn said(text: &str) -> Value {
    json!({ "text": text })
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
        top_p: Number::from_f64(0.9),
        max_output: Some(100),
        stop: vec!["END".to_owned()],
        tool_choice: Some(ToolChoice::Function("look".to_owned())),
        parallel_calls: Some(false),
        form: Some(TextForm::Schema { name: "place".to_owned(), schema: json!({"type": "object"}), strict: None }),
        effort: Some("high".to_owned()),
        seed: Some(-1),
        presence_penalty: Some(1.into()),
        frequency_penalty: Some(0.into()),
    };
    let transcript = [model("", &["c3"], None), result("c3", vec![text("{\"found\":true}")])];
    insta::assert_json_snapshot!(sent(&input, &transcript).unwrap());
}

#[test]
fn every_part_that_the_format_has() {
    let url = Source::Url { value: "https://img.example/a".to_owned(), mime: Some("video/mp4".to_owned()) };
    let parts = vec![
        text("text"),
        text(""),
        media(Media::Image, data("image/png")),
        media(Media::Audio, data("audio/wav")),
        media(Media::Video, url),
        media(Media::Document, Source::Url { value: "https://img.example/b".to_owned(), mime: None }),
        media(Media::Document, Source::File { value: "https://files.example/c".to_owned() }),
    ];
    insta::assert_json_snapshot!(contents(vec![user(parts)], &[]));
}

#[test]
fn a_result_that_is_not_text_is_refused_with_its_place() {
    let content = vec![text("b"), media(Media::Image, data("image/png"))];
    let error = sent(&input(vec![user(vec![]), result("c", content.clone())]), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedPart);
    assert!(error.to_string().contains("messages[1].content[1]"), "{error}");
    let error = sent(&input(vec![]), &[result("c", content)]).unwrap_err();
    assert!(error.to_string().contains("transcript[0].content[1]"), "{error}");
}

#[test]
fn an_empty_input_says_nothing_more_than_it_has_to() {
    let body = sent(&input(vec![user(vec![text("a")]), model("", &[], None)]), &[]).unwrap();
    assert_eq!(body, json!({"contents": [{"role": "user", "parts": [said("a")]}]}));
}

#[test]
fn results_are_named_and_stand_directly_behind_their_calls() {
    let response = |name: &str, text: &str| json!({"functionResponse": {"name": name, "response": {"output": text}}});
    let sent = contents(
        vec![
            model("Both.", &["a", "b"], None),
            user(vec![text("Wait.")]),
            result("b", vec![text("2"), text("two")]),
            result("a", vec![text("[1]")]),
            result("lost", vec![text("3")]),
        ],
        &[],
    );
    let call = |id: &str| json!({"functionCall": {"name": "look", "args": {"at": id}}});
    let mut first = call("a");
    first["thoughtSignature"] = json!("skip_thought_signature_validator");
    let asked = json!([response("look", "[1]"), response("look", "2\ntwo"), said("Wait."), response("lost", "3")]);
    assert_eq!(
        sent,
        json!([
            {"role": "model", "parts": [said("Both."), first, call("b")]},
            {"role": "user", "parts": asked},
        ])
    );
}

#[test]
fn what_the_provider_wanted_back_stands_in_the_place_of_text_and_calls() {
    let call = |id: Option<&str>| {
        let mut part = json!({"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "c2ln"});
        if let Some(id) = id {
            part["functionCall"]["id"] = json!(id);
        }
        part
    };
    let kept = json!({"gemini": [said("Both."), call(Some("fc-1")), call(None), call(Some("fc-1"))]});
    let transcript = [
        model("Both.", &["r-x1", "r-x2", "r-x3"], Some(kept)),
        result("r-x1", vec![text("1")]),
        result("r-x2", vec![text("2")]),
        result("r-x3", vec![text("3")]),
    ];
    let sent = contents(vec![], &transcript);
    let expected = json!([said("Both."), call(Some("r-x1")), call(None), call(Some("r-x3"))]);
    assert_eq!(sent[0]["parts"], expected, "with the ids of the thread, where there are ids");
    let ids: Vec<Value> = (0..3).map(|at| sent[1]["parts"][at]["functionResponse"]["id"].clone()).collect();
    assert_eq!(ids, [json!("r-x1"), Value::Null, json!("r-x3")]);

    let others = json!({"anthropic": [{"type": "text", "text": "Both."}]});
    let sent = contents(vec![], &[model("Both.", &["c"], Some(others))]);
    assert_eq!(sent[0]["parts"][0], said("Both."), "what another provider wanted back says nothing here");
    assert_eq!(sent[0]["parts"][1]["functionCall"]["args"]["at"], "c");
}

#[test]
fn arguments_that_are_no_object_are_an_empty_one() {
    for arguments in ["", "[1]", "{\"a\"", "null"] {
        let call = Call { id: "c".to_owned(), name: "look".to_owned(), arguments: arguments.to_owned() };
        let sent = contents(vec![], &[Message::Assistant { text: String::new(), calls: vec![call], kept: None }]);
        assert_eq!(sent[0]["parts"][0]["functionCall"], json!({"name": "look", "args": {}}));
    }
}

#[test]
fn tools_may_be_chosen_and_thinking_is_as_the_models_generation_has_it() {
    let with = |name: &str, settings: Settings| {
        let mut input = input(vec![]);
        input.tools = vec![Tool { name: "look".to_owned(), description: String::new(), parameters: None }];
        input.settings = settings;
        let body = Format::Gemini.request(name, &input, 0, &[]).unwrap();
        serde_json::from_slice::<Value>(&body).unwrap()
    };
    for (choice, mode) in [(ToolChoice::Auto, "AUTO"), (ToolChoice::None, "NONE"), (ToolChoice::Required, "ANY")] {
        let body = with("m", Settings { tool_choice: Some(choice), ..Settings::default() });
        assert_eq!(body["toolConfig"], json!({"functionCallingConfig": {"mode": mode}}));
    }
    let json_form = with("m", Settings { form: Some(TextForm::Json), ..Settings::default() });
    assert_eq!(json_form["generationConfig"], json!({"responseMimeType": "application/json"}));
    assert_eq!(with("m", Settings::default()).get("generationConfig"), None);
    for (name, effort, expected) in [
        ("gemini-3-pro", "low", json!({"includeThoughts": true, "thinkingLevel": "low"})),
        ("gemini-3-pro", "xhigh", json!({"includeThoughts": true, "thinkingLevel": "high"})),
        ("gemini-3-flash", "none", json!({"thinkingLevel": "minimal"})),
        ("gemini-2.5-flash", "none", json!({"thinkingBudget": 0})),
        ("gemini-2.5-pro", "medium", json!({"includeThoughts": true, "thinkingBudget": 8192})),
        ("gemini-2.0-flash", "high", Value::Null),
        ("gemma-4", "high", Value::Null),
    ] {
        let body = with(name, Settings { effort: Some(effort.to_owned()), ..Settings::default() });
        assert_eq!(body["generationConfig"]["thinkingConfig"], expected, "{name} {effort}");
    }
}
