mod refusals;

use super::*;
use crate::input::{Answer, Call, Media, Source, Tool, ToolChoice, Word};

const NAMES: Names<'_> = Names { run: "run-1", thread: None };

fn asked(body: Value) -> Asked {
    parse(body.to_string().as_bytes(), &NAMES, &Limits::default()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// What a refusal says behind the fixed sentence.
fn refusal(body: Value) -> String {
    let error = parse(body.to_string().as_bytes(), &NAMES, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), "invalid_input");
    error.detail().unwrap().to_owned()
}

fn with(key: &str, value: Value) -> Value {
    let mut body = json!({ "model": "m", "input": "Hi" });
    body[key] = value;
    body
}

fn messages(input: Value) -> Vec<Message> {
    asked(json!({ "input": input })).input.messages
}

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.into())])
}

fn said(text: &str, calls: &[(&str, &str)]) -> Message {
    let call =
        |(id, arguments): &(&str, &str)| Call { id: (*id).into(), name: "f".into(), arguments: (*arguments).into() };
    Message::Assistant { text: text.into(), calls: calls.iter().map(call).collect(), kept: None }
}

fn result(call: &str, text: &str) -> Message {
    Message::Tool { call: call.into(), content: vec![Part::Text(text.into())] }
}

#[test]
fn the_least_request_is_a_text() {
    let asked = asked(json!({ "input": "Hi" }));
    assert_eq!((asked.form, asked.previous.as_deref()), (Form::Whole, None));
    let input = asked.input;
    assert_eq!((input.thread.as_str(), input.run.as_str(), input.messages), ("run-1", "run-1", vec![user("Hi")]));
    assert_eq!(input.echo.messages, [json!({ "id": "run-1-i-1", "role": "user", "content": "Hi" })]);
    assert_eq!(input.echo.request, Some(json!({})));
    assert_eq!((input.settings, input.tools, input.model), (Settings::default(), vec![], None));
    assert_eq!(input.fingerprint.len(), 64);
}

#[test]
fn messages_of_every_role_and_form() {
    let text = |kind: &str, text: &str| json!([{ "type": kind, "text": text, "annotations": [] }]);
    let input = json!([
        { "role": "system", "content": "a" },
        { "type": "message", "role": "developer", "content": text("input_text", "b") },
        { "role": "user", "content": "c" },
        { "type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "phase": "commentary",
          "content": text("output_text", "d") },
        { "role": "assistant", "content": [{ "type": "refusal", "refusal": "e" }] },
        { "role": "assistant", "content": [] },
        { "role": "user", "content": text("input_text", "f") },
    ]);
    let system = |text: &str| Message::System(text.into());
    let expected = [system("a"), system("b"), user("c"), said("d", &[]), said("e", &[]), user("f")];
    assert_eq!(messages(input), expected);
}

#[test]
fn parts_of_every_kind() {
    let part = |part: Value| match messages(json!([{ "role": "user", "content": [part] }])).remove(0) {
        Message::User(mut parts) => parts.remove(0),
        other => panic!("{other:?}"),
    };
    let media = |kind, source| Part::Media { kind, source };
    let url = |value: &str| Source::Url { value: value.into(), mime: None };
    let data = |mime: &str| Source::Data { value: "QUJD".into(), mime: mime.into() };
    let file = || Source::File { value: "f1".into() };
    let cases = [
        (json!({"type": "input_image", "image_url": "https://a.example/b"}), Media::Image, url("https://a.example/b")),
        (
            json!({"type": "input_image", "detail": "low", "image_url": "data:image/png;base64,QUJD"}),
            Media::Image,
            data("image/png"),
        ),
        (json!({"type": "input_image", "image_url": null, "file_id": "f1"}), Media::Image, file()),
        (json!({"type": "input_file", "file_id": "f1"}), Media::Document, file()),
        (json!({"type": "input_file", "file_url": "https://a.example/b"}), Media::Document, url("https://a.example/b")),
        (
            json!({"type": "input_file", "filename": "a.b.PDF", "file_data": "QUJD"}),
            Media::Document,
            data("application/pdf"),
        ),
        (json!({"type": "input_file", "file_data": "QUJD"}), Media::Document, data("application/octet-stream")),
        (
            json!({"type": "input_file", "filename": "a.pdf", "file_data": "data:text/csv;charset=utf-8;base64,QUJD"}),
            Media::Document,
            data("text/csv"),
        ),
        (json!({"type": "input_video", "video_url": "https://a.example/b"}), Media::Video, url("https://a.example/b")),
        (
            json!({"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}),
            Media::Audio,
            data("audio/wav"),
        ),
        (
            json!({"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}}),
            Media::Audio,
            data("audio/mpeg"),
        ),
    ];
    for (value, kind, source) in cases {
        assert_eq!(part(value), media(kind, source));
    }
}

#[test]
fn what_the_model_said_and_called_is_one_message() {
    let call =
        |id: &str| json!({ "type": "function_call", "id": "fc_1", "call_id": id, "name": "f", "arguments": "{}" });
    let output = |id: &str, output: Value| json!({ "type": "function_call_output", "call_id": id, "output": output });
    let parts = json!([{ "type": "input_text", "text": "2" }]);
    let input = json!([
        { "role": "user", "content": "a" },
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        { "role": "assistant", "content": "b" },
        call("c1"), call("c2"), output("c1", json!("1")), output("c2", parts),
        call("c3"), { "role": "assistant", "content": "late" }, output("c3", json!("3")),
        { "role": "assistant", "content": "c" },
    ]);
    let expected = [
        user("a"),
        said("b", &[("c1", "{}"), ("c2", "{}")]),
        result("c1", "1"),
        result("c2", "2"),
        said("late", &[("c3", "{}")]),
        result("c3", "3"),
        said("c", &[]),
    ];
    assert_eq!(messages(input), expected);
}

#[test]
fn an_approvals_call_and_answer_are_no_messages() {
    let call =
        json!({ "type": "function_call", "call_id": "approval_i1", "name": "lastword_approval", "arguments": "{}" });
    let output = |id: &str, output: &str| json!({ "type": "function_call_output", "call_id": id, "output": output });
    let answer = output("approval_i1", r#"{"approved":true}"#);
    let input = asked(json!({ "input": [{ "role": "user", "content": "a" }, call, answer] })).input;
    assert_eq!(input.messages, [user("a")]);
    let word = Word::Resolved(Some(json!({ "approved": true })));
    assert_eq!(input.resume, [Answer { interrupt: "i1".into(), word }]);
    let old = asked(json!({ "input": [call, answer, { "role": "assistant", "content": "b" }] })).input;
    assert_eq!((old.messages, old.resume), (vec![said("b", &[])], vec![]), "it was answered in its own turn");
    let two = asked(json!({ "previous_response_id": "resp_r", "input": [answer, output("approval_i2", "{}")] }));
    assert_eq!((two.input.resume.len(), two.previous.as_deref()), (2, Some("r")));
    assert_eq!(refusal(json!({ "input": [answer, answer] })), "input[1].call_id must not be answered twice.");
    let said = refusal(json!({ "input": [output("approval_i1", "yes")] }));
    assert_eq!(said, r#"input[0].output must be a JSON object, as {"approved":true}."#);
}

#[test]
fn how_the_answer_is_to_come() {
    let form = |body: Value| asked(body).form;
    assert_eq!(form(with("stream", json!(true))), Form::Stream);
    assert_eq!(form(with("stream", json!(null))), Form::Whole);
    assert_eq!(form(with("background", json!(true))), Form::Now);
    assert_eq!(form(json!({ "input": "x", "background": true, "stream": true })), Form::Stream);
}

#[test]
fn settings_are_the_models_and_are_kept_for_the_response() {
    let schema = json!({ "type": "object" });
    let body = json!({
        "model": "m", "input": "x", "temperature": 0.5, "top_p": 1, "max_output_tokens": 9, "parallel_tool_calls": false,
        "presence_penalty": 1, "frequency_penalty": -1.5, "reasoning": { "effort": "high", "summary": "auto" },
        "text": { "format": { "type": "json_schema", "name": "n", "schema": schema, "strict": true }, "verbosity": "low" },
        "metadata": { "a": "b" }, "user": "u", "store": false, "include": ["reasoning.encrypted_content"],
    });
    let input = asked(body).input;
    let number = |text: &str| Some(text.parse().unwrap());
    let form = TextForm::Schema { name: "n".into(), schema, strict: Some(true) };
    let expected = Settings {
        temperature: number("0.5"),
        top_p: number("1"),
        max_output: Some(9),
        parallel_calls: Some(false),
        presence_penalty: number("1"),
        frequency_penalty: number("-1.5"),
        effort: Some("high".into()),
        form: Some(form),
        ..Settings::default()
    };
    assert_eq!((input.settings, input.model.as_deref()), (expected, Some("m")));
    let request = input.echo.request.unwrap();
    assert_eq!(
        (&request["metadata"]["a"], &request["store"], &request["user"]),
        (&json!("b"), &json!(false), &json!("u"))
    );
    let json = asked(with("text", json!({ "format": { "type": "json_object" } }))).input.settings.form;
    assert_eq!(json, Some(TextForm::Json));
    assert_eq!(asked(with("text", json!({ "format": { "type": "text" } }))).input.settings.form, None);
}

#[test]
fn tools_and_the_choice_among_them() {
    let tool = |name: &str| json!({ "type": "function", "name": name, "description": "d", "parameters": { "type": "object" } });
    let body = |choice: Value| json!({ "input": "x", "tools": [tool("f"), tool("g")], "tool_choice": choice });
    let of = |choice: Value| {
        let input = asked(body(choice)).input;
        (input.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>(), input.settings.tool_choice)
    };
    let both = || vec!["f".to_owned(), "g".to_owned()];
    assert_eq!(of(json!(null)), (both(), None));
    assert_eq!(of(json!("auto")), (both(), Some(ToolChoice::Auto)));
    assert_eq!(of(json!("none")), (both(), Some(ToolChoice::None)));
    assert_eq!(of(json!("required")), (both(), Some(ToolChoice::Required)));
    let function = json!({ "type": "function", "name": "g" });
    assert_eq!(of(function.clone()), (both(), Some(ToolChoice::Function("g".into()))));
    let allowed = json!({ "type": "allowed_tools", "mode": "required", "tools": [function] });
    assert_eq!(of(allowed), (vec!["g".into()], Some(ToolChoice::Required)));
    let parameters = Some(json!({ "type": "object" }));
    assert_eq!(
        asked(body(json!("auto"))).input.tools[0],
        Tool { name: "f".into(), description: "d".into(), parameters }
    );
}

#[test]
fn threads_and_previous_responses() {
    let body = |key: &str, value: Value| with(key, value).to_string();
    let thread = |body: &str, thread| {
        parse(body.as_bytes(), &Names { run: "r", thread }, &Limits::default()).unwrap().input.thread
    };
    assert_eq!(thread(&body("conversation", json!("conv_1")), None), "conv_1");
    assert_eq!(thread(&body("conversation", json!({ "id": "conv_1" })), None), "conv_1");
    assert_eq!(thread(&body("conversation", json!({ "id": "conv_1" })), Some("t")), "t");
    assert_eq!(thread(&body("x", json!(1)), None), "r");
    let previous = asked(json!({ "previous_response_id": "resp_a_b" }));
    assert_eq!((previous.previous.as_deref(), previous.input.messages.len()), (Some("a_b"), 0));
}

#[test]
fn instructions_stand_first_and_are_no_part_of_the_conversation() {
    let input = asked(with("instructions", json!("Be kind."))).input;
    assert_eq!(input.messages, [Message::System("Be kind.".into()), user("Hi")]);
    assert_eq!(input.echo.messages.len(), 1);
    assert_eq!(input.echo.request.unwrap()["instructions"], "Be kind.");
}

#[test]
fn a_request_to_compact_asks_for_a_summary() {
    use super::super::compact;
    let compact = |body: Value| compact::parse(body.to_string().as_bytes(), &NAMES, &Limits::default());
    let asked = compact(json!({ "model": "m", "input": "Hi", "stream": true, "tools": 1 })).unwrap();
    assert_eq!((asked.form, asked.input.echo.messages.len()), (Form::Whole, 1));
    assert_eq!(asked.input.messages, [user("Hi"), user(TASK)]);
    assert_eq!(asked.input.echo.request.unwrap()["compact"], true);
    let error = compact(json!({ "input": "Hi" })).unwrap_err();
    assert_eq!(error.detail(), Some("model is required."));
    assert_ne!(asked.input.fingerprint, self::asked(json!({ "model": "m", "input": "Hi" })).input.fingerprint);
}

#[test]
fn a_body_past_the_bounds_or_that_is_no_json() {
    let code = |body: &[u8], limits: &Limits| parse(body, &NAMES, limits).unwrap_err().code();
    assert_eq!(code(b"{", &Limits::default()), "malformed_json");
    assert_eq!(code(b"{\"input\":\"x\"}", &Limits { body: 4, ..Limits::default() }), "body_too_large");
    let two = json!({ "input": [{ "role": "user", "content": "a" }, { "role": "user", "content": "b" }] }).to_string();
    assert_eq!(code(two.as_bytes(), &Limits { messages: 1, ..Limits::default() }), "invalid_input");
}

#[test]
fn the_fingerprint_is_of_what_the_model_is_told() {
    let print = |body: Value| asked(body).input.fingerprint;
    let base = || print(with("x", json!(1)));
    for (key, value) in [
        ("stream", json!(true)),
        ("store", json!(true)),
        ("background", json!(true)),
        ("metadata", json!({ "a": "b" })),
        ("user", json!("u")),
        ("prompt_cache_key", json!("k")),
        ("safety_identifier", json!("s")),
        ("temperature", json!(null)),
    ] {
        assert_eq!(print(with(key, value)), base(), "{key}");
    }
    for (key, value) in [
        ("input", json!("Ho")),
        ("model", json!("n")),
        ("instructions", json!("x")),
        ("temperature", json!(1)),
        ("max_output_tokens", json!(1)),
        ("previous_response_id", json!("resp_a")),
        ("conversation", json!("c")),
        ("tools", json!([{ "type": "function", "name": "f" }])),
        ("text", json!({ "format": { "type": "json_object" } })),
        ("reasoning", json!({ "effort": "low" })),
    ] {
        assert_ne!(print(with(key, value)), base(), "{key}");
    }
    let history = |id: &str, said: &str| {
        json!({ "input": [
            { "role": "user", "content": "a" },
            { "role": "assistant", "id": id, "content": said },
            { "type": "function_call_output", "id": id, "call_id": "c", "output": "1" },
        ] })
    };
    assert_eq!(print(history("m1", "b")), print(history("m2", "c")));
    let spelt = br#"{"temperature":1.0,"input":"Hi","model":"m"}"#;
    let spelt = parse(spelt, &NAMES, &Limits::default()).unwrap().input.fingerprint;
    assert_eq!(spelt, print(with("temperature", json!(1))));
    let answer =
        |said: &str| json!({ "input": [{ "type": "function_call_output", "call_id": "approval_i", "output": said }] });
    assert_ne!(print(answer(r#"{"approved":true}"#)), print(answer(r#"{"approved":false}"#)));
}
