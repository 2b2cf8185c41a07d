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

fn call(id: &str) -> Call {
    Call { id: id.to_owned(), name: "look".to_owned(), arguments: format!("{{\"at\":\"{id}\"}}") }
}

fn model(said: &str, ids: &[&str], kept: Option<Value>) -> Message {
    Message::Assistant { text: said.to_owned(), calls: ids.iter().map(|id| call(id)).collect(), kept }
}

fn result(call: &str, said: &str) -> Message {
    Message::Tool { call: call.to_owned(), content: vec![text(said)] }
}

fn sent(name: &str, input: &RunInput, transcript: &[Message]) -> Result<Value, Error> {
    let body = Format::Gemini.request(name, input, input.messages.len(), transcript)?;
    Ok(serde_json::from_slice(&body).unwrap())
}

fn contents(name: &str, messages: Vec<Message>, transcript: &[Message]) -> Value {
    sent(name, &input(messages), transcript).unwrap()["contents"].take()
}

fn hello() -> Message {
    Message::User(vec![text("Hi")])
}

#[test]
fn instructions_stand_apart_and_turns_alternate() {
    let mut input =
        input(vec![Message::System("Be kind.".into()), hello(), hello(), model("Well.", &[], None), hello()]);
    input.context = vec![("Place".into(), "Lisbon".into())];
    let body = sent("gemini-2.5-flash", &input, &[]).unwrap();
    assert_eq!(body["systemInstruction"]["parts"], json!([{"text": "Place:\nLisbon"}, {"text": "Be kind."}]));
    let expected = json!([
        {"role": "user", "parts": [{"text": "Hi"}, {"text": "Hi"}]},
        {"role": "model", "parts": [{"text": "Well."}]},
        {"role": "user", "parts": [{"text": "Hi"}]},
    ]);
    assert_eq!(body["contents"], expected);
}

#[test]
fn results_stand_behind_their_calls_by_name_and_order() {
    let messages = vec![hello(), model("", &["a", "b"], None), result("b", "{\"x\":1}"), result("a", "fine")];
    let sent = contents("gemini-2.5-flash", messages, &[]);
    let called = |id: &str| json!({"functionCall": {"name": "look", "args": {"at": id}}});
    assert_eq!(sent[1], json!({"role": "model", "parts": [called("a"), called("b")]}));
    let results = json!([
        {"functionResponse": {"name": "look", "response": {"output": "fine"}}},
        {"functionResponse": {"name": "look", "response": {"x": 1}}},
    ]);
    assert_eq!(sent[2], json!({"role": "user", "parts": results}));
}

#[test]
fn a_call_without_a_signature_has_the_word_for_it_where_the_model_asks_for_one() {
    let messages = || vec![hello(), model("", &["a", "b"], None), result("a", "1"), result("b", "2")];
    for (name, wants) in
        [("gemini-3-pro", true), ("models/gemini-pro-latest", true), ("gemini-2.5-pro", false), ("other", false)]
    {
        let sent = contents(name, messages(), &[]);
        let signature = sent[1]["parts"][0].get("thoughtSignature");
        assert_eq!(signature.is_some(), wants, "{name}");
        assert_eq!(sent[1]["parts"][1].get("thoughtSignature"), None, "{name}: the first alone");
    }
}

#[test]
fn what_was_kept_is_sent_back_with_the_ids_that_the_thread_has() {
    let parts = json!([
        {"text": "Hm.", "thought": true, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "look", "id": "theirs", "args": {"at": "x"}}, "thoughtSignature": "d2ln"},
    ]);
    let transcript = [model("", &["ours"], Some(json!({"gemini": parts}))), result("ours", "1")];
    let sent = contents("gemini-3-pro", vec![hello()], &transcript);
    assert_eq!(sent[1]["parts"][0], parts[0]);
    assert_eq!(sent[1]["parts"][1]["functionCall"]["id"], "ours");
    assert_eq!(sent[1]["parts"][1]["thoughtSignature"], "d2ln");
    assert_eq!(sent[2]["parts"][0]["functionResponse"]["id"], "ours");
    let foreign = [model("Looking.", &["ours"], Some(json!({"anthropic": []}))), result("ours", "1")];
    let sent = contents("gemini-2.5-pro", vec![hello()], &foreign);
    assert_eq!(sent[1]["parts"][0], json!({"text": "Looking."}), "another format's is not read");
}

#[test]
fn settings_are_said_where_the_format_can_say_them() {
    let settings = Settings {
        temperature: Number::from_f64(0.5),
        top_p: Number::from_f64(0.9),
        max_output: Some(100),
        stop: vec!["END".into()],
        tool_choice: Some(ToolChoice::Function("look".into())),
        form: Some(TextForm::Schema { name: "n".into(), schema: json!({"type": "object"}), strict: Some(true) }),
        effort: Some("low".into()),
        seed: Some(7),
        ..Settings::default()
    };
    let tools =
        vec![Tool { name: "look".into(), description: "Looks.".into(), parameters: Some(json!({"type": "object"})) }];
    let body = sent("gemini-2.5-flash", &RunInput { settings, tools, ..input(vec![hello()]) }, &[]).unwrap();
    let declared = json!([{"name": "look", "description": "Looks.", "parametersJsonSchema": {"type": "object"}}]);
    assert_eq!(body["tools"], json!([{"functionDeclarations": declared}]));
    let calling = json!({"mode": "ANY", "allowedFunctionNames": ["look"]});
    assert_eq!(body["toolConfig"], json!({"functionCallingConfig": calling}));
    let generation = json!({
        "temperature": 0.5,
        "topP": 0.9,
        "maxOutputTokens": 100,
        "stopSequences": ["END"],
        "seed": 7,
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
        "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 1024},
    });
    assert_eq!(body["generationConfig"], generation);
    assert!(sent("m", &input(vec![hello()]), &[]).unwrap().get("generationConfig").is_none());
}

#[test]
fn media_are_said_and_what_cannot_be_is_named() {
    let media = |source| Part::Media { kind: Media::Image, source };
    let data = || media(Source::Data { value: "QUJD".into(), mime: "image/png".into() });
    let sent_parts = contents("m", vec![Message::User(vec![text("See"), data()])], &[]);
    assert_eq!(sent_parts[0]["parts"][1], json!({"inlineData": {"mimeType": "image/png", "data": "QUJD"}}));
    let messages = vec![hello(), model("", &["a"], None), Message::Tool { call: "a".into(), content: vec![data()] }];
    let error = sent("m", &input(messages), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedPart);
    assert!(error.detail().unwrap().contains("messages[2].content[0]"), "{error}");
}
