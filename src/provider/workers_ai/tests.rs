//! The recordings, and what the platform is asked.

use crate::ErrorKind;
use crate::input::{Call, Echo, Media, Message, Part, RunInput, Settings, Source, TextForm, Tool, ToolChoice};
use crate::provider::Format;
use crate::provider::quirks::quirks;
use serde_json::{Number, Value, json};

quirks!(Format::WorkersAi, "workers_ai", 35);

/// An input that says something of everything.
pub(in crate::provider) fn input() -> RunInput {
    let text = |text: &str| Part::Text(text.to_owned());
    let image = Source::Data { value: "QUJD".to_owned(), mime: "image/png".to_owned() };
    let number = |number: f64| Number::from_f64(number);
    RunInput {
        thread: "t".to_owned(),
        run: "r".to_owned(),
        messages: vec![
            Message::System("Be brief.".to_owned()),
            Message::User(vec![text("What"), text("is this?"), Part::Media { kind: Media::Image, source: image }]),
            Message::Assistant { text: "A cat.".to_owned(), calls: Vec::new(), kept: None },
            Message::User(vec![text("Look again.")]),
        ],
        tools: vec![
            Tool {
                name: "look".to_owned(),
                description: "Looks.".to_owned(),
                parameters: Some(json!({"type": "object", "properties": {"at": {"type": "string"}}})),
            },
            Tool { name: "now".to_owned(), description: String::new(), parameters: None },
        ],
        context: vec![("The time".to_owned(), "noon".to_owned())],
        resume: Vec::new(),
        model: None,
        settings: Settings {
            temperature: number(0.5),
            top_p: number(0.9),
            max_output: Some(64),
            stop: vec!["END".to_owned()],
            tool_choice: Some(ToolChoice::Required),
            parallel_calls: Some(false),
            form: Some(TextForm::Schema {
                name: "city".to_owned(),
                schema: json!({"type": "object", "properties": {"city": {"type": "string"}}}),
                strict: Some(true),
            }),
            effort: Some("low".to_owned()),
            seed: Some(-7),
            presence_penalty: number(0.25),
            frequency_penalty: number(-1.5),
        },
        echo: Echo::default(),
        fingerprint: String::new(),
        protocol: None,
        exactly_once: false,
    }
}

/// What the run did since: two calls in two messages, their results the wrong way round.
pub(in crate::provider) fn transcript() -> Vec<Message> {
    let call = |id: &str, name: &str, arguments: &str| Call {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    let calls = |text: &str, call| Message::Assistant { text: text.to_owned(), calls: vec![call], kept: None };
    let result = |call: &str, content: &str| Message::Tool {
        call: call.to_owned(),
        content: vec![Part::Text(content.to_owned())],
    };
    vec![
        calls("I'll look.", call("c1", "look", "{\"at\":\"it\"}")),
        calls("", call("c2", "now", "")),
        result("c2", "noon"),
        result("c1", "a cat"),
    ]
}

/// The body for that input and what the run did since.
pub(in crate::provider) fn asked(format: Format, input: &RunInput, transcript: &[Message]) -> Value {
    let body = format.request("m", input, usize::MAX, transcript).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_whole_turn() {
    insta::assert_json_snapshot!(asked(Format::WorkersAi, &input(), &transcript()));
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
    let body = asked(Format::WorkersAi, &input, &[]);
    assert_eq!(body, json!({"messages": [{"role": "user", "content": "Hi."}], "stream": true}));
}

#[test]
fn each_choice_and_form() {
    let field = |field: &str, settings: Settings| {
        asked(Format::WorkersAi, &RunInput { settings, ..input() }, &[])[field].clone()
    };
    let choice = |choice| field("tool_choice", Settings { tool_choice: Some(choice), ..Settings::default() });
    assert_eq!(choice(ToolChoice::Auto), json!("auto"));
    assert_eq!(choice(ToolChoice::None), json!("none"));
    let look = json!({"type": "function", "function": {"name": "look"}});
    assert_eq!(choice(ToolChoice::Function("look".to_owned())), look);
    let form = field("response_format", Settings { form: Some(TextForm::Json), ..Settings::default() });
    assert_eq!(form, json!({"type": "json_object"}));
}

#[test]
fn a_part_that_it_cannot_be_given_is_named() {
    let source = Source::File { value: "f".to_owned() };
    let messages = vec![Message::User(vec![Part::Media { kind: Media::Image, source }])];
    let error = Format::WorkersAi.request("m", &RunInput { messages, ..input() }, usize::MAX, &[]).unwrap_err();
    assert_eq!((error.kind(), error.detail()), (ErrorKind::UnsupportedPart, Some("messages[0].content[0]")));
}
