//! The parser: what it makes of a good request, and what it says of a bad one.

mod echoed;
mod fields;
mod same;

use super::*;
use crate::input::{Call, Media, Part, Source};
use serde_json::json;

/// A request with one of everything.
fn whole() -> Value {
    json!({
        "threadId": "t1", "runId": "r1", "protocolVersion": "1.0", "parentRunId": "r0", "state": {"step": 2},
        "messages": [
            {"id": "m0", "role": "developer", "content": "Be kind."},
            {"id": "m1", "role": "system", "content": "Be brief.", "name": "house"},
            {"id": "m2", "role": "user", "content": "Hello", "metadata": {"k": null}},
            {"id": "m3", "role": "reasoning", "content": "Hm.", "encryptedValue": "e"},
            {"id": "m4", "role": "assistant", "toolCalls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
            ]},
            {"id": "m5", "role": "tool", "toolCallId": "c1", "content": "rain", "error": "late"},
            {"id": "m6", "role": "activity", "activityType": "plan", "content": {"a": null}},
            {"id": "m7", "role": "assistant", "content": "It rains."},
            {"id": "m8", "role": "user", "content": [
                {"type": "text", "text": "And this?", "id": "p1"},
                {"type": "image", "source": {"type": "data", "value": "QQ==", "mimeType": "image/png"}},
                {"type": "audio", "source": {"type": "url", "value": "https://a.example/a"}},
                {"type": "video", "source": {"type": "url", "value": "https://a.example/v", "mimeType": "video/mp4"}},
                {"type": "document", "source": {"type": "file", "value": "f1", "provider": "p"}},
            ]},
        ],
        "tools": [{"name": "look", "description": "Looks.", "parameters": {"type": "object"}}],
        "context": [{"description": "city", "value": "Porto"}],
        "forwardedProps": {"model": "replay/plain", "other": 1},
        "resume": [],
    })
}

fn parsed(body: &Value) -> Result<RunInput, Error> {
    parse(body.to_string().as_bytes(), &Limits::default())
}

/// The error's code and detail.
fn refused(body: &Value) -> (&'static str, String) {
    let error = parsed(body).unwrap_err();
    (error.code(), error.detail().unwrap_or_default().to_owned())
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

#[test]
fn a_whole_request_becomes_the_cores_input() {
    let input = parsed(&whole()).unwrap();
    assert_eq!((input.thread.as_str(), input.run.as_str()), ("t1", "r1"));
    assert_eq!(input.protocol, Some(Protocol::V1));
    assert_eq!(input.model.as_deref(), Some("replay/plain"));
    assert_eq!(input.context, [("city".to_owned(), "Porto".to_owned())]);
    let parameters = Some(json!({"type": "object"}));
    assert_eq!(input.tools, [Tool { name: "look".into(), description: "Looks.".into(), parameters }]);
    let call = Call { id: "c1".into(), name: "look".into(), arguments: "{}".into() };
    let media = |kind, source| Part::Media { kind, source };
    let url = |value: &str, mime: Option<&str>| Source::Url { value: value.into(), mime: mime.map(str::to_owned) };
    assert_eq!(
        input.messages,
        [
            Message::System("Be kind.".into()),
            Message::System("Be brief.".into()),
            Message::User(vec![text("Hello")]),
            Message::Assistant { text: String::new(), calls: vec![call], kept: None },
            Message::Tool { call: "c1".into(), content: vec![text("rain"), text("late")] },
            Message::Assistant { text: "It rains.".into(), calls: Vec::new(), kept: None },
            Message::User(vec![
                text("And this?"),
                media(Media::Image, Source::Data { value: "QQ==".into(), mime: "image/png".into() }),
                media(Media::Audio, url("https://a.example/a", None)),
                media(Media::Video, url("https://a.example/v", Some("video/mp4"))),
                media(Media::Document, Source::File { value: "f1".into() }),
            ]),
        ]
    );
}

#[test]
fn the_echo_has_every_message_and_the_state_as_they_came() {
    let input = parsed(&whole()).unwrap();
    assert_eq!(json!(input.echo.messages), whole()["messages"]);
    assert_eq!(input.echo.state, Some(json!({"step": 2})));
}

#[test]
fn the_three_required_fields_are_enough_and_null_is_absent() {
    let least = json!({"threadId": "t", "runId": "r", "messages": []});
    let mut nulls = least.clone();
    for key in ["protocolVersion", "parentRunId", "state", "tools", "context", "resume", "forwardedProps"] {
        nulls[key] = Value::Null;
    }
    let input = parsed(&least).unwrap();
    assert_eq!(input, parsed(&nulls).unwrap());
    assert_eq!((input.protocol, input.model, input.echo), (None, None, Echo::default()));
}

#[test]
fn nulls_in_a_messages_optional_fields_are_not_sent_back() {
    let body = json!({"threadId": "t", "runId": "r", "messages": [
        {"id": "a", "role": "assistant", "content": null, "name": null, "metadata": {"k": null}, "toolCalls": [
            {"id": "c", "type": "function", "encryptedValue": null, "function": {"name": "f", "arguments": "", "x": null}},
        ]},
        {"id": "u", "role": "user", "content": [
            {"type": "image", "id": null, "metadata": null, "source": {"type": "url", "value": "v", "mimeType": null}},
        ]},
        {"id": "p", "role": "activity", "activityType": "plan", "content": {"k": null}, "metadata": null},
    ]});
    assert_eq!(
        json!(parsed(&body).unwrap().echo.messages),
        json!([
            {"id": "a", "role": "assistant", "metadata": {"k": null}, "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}},
            ]},
            {"id": "u", "role": "user", "content": [{"type": "image", "source": {"type": "url", "value": "v"}}]},
            {"id": "p", "role": "activity", "activityType": "plan", "content": {"k": null}},
        ])
    );
}

#[test]
fn an_old_binary_part_is_taken_for_what_its_media_type_says() {
    let source = |part: Value| {
        let body = json!({"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": [part]}]});
        parsed(&body).map(|input| input.messages)
    };
    let said = |kind, source| Ok(vec![Message::User(vec![Part::Media { kind, source }])]);
    assert_eq!(
        source(json!({"type": "binary", "mimeType": "image/png", "data": "QQ==", "url": "u", "id": "i"})),
        said(Media::Image, Source::Data { value: "QQ==".into(), mime: "image/png".into() })
    );
    assert_eq!(
        source(json!({"type": "binary", "mimeType": "audio/ogg", "data": "", "url": "u"})),
        said(Media::Audio, Source::Url { value: "u".into(), mime: Some("audio/ogg".into()) })
    );
    assert_eq!(
        source(json!({"type": "binary", "mimeType": "application/pdf", "data": null, "id": "i"})),
        said(Media::Document, Source::File { value: "i".into() })
    );
    let error = source(json!({"type": "binary", "mimeType": "video/mp4"})).unwrap_err();
    assert_eq!(error.detail(), Some("messages[0].content[0] must have one of data, url, id."));
}

#[test]
fn a_tools_error_is_not_said_twice() {
    let content = |content: &str, error: &str| {
        let message = json!({"id": "m", "role": "tool", "toolCallId": "c", "content": content, "error": error});
        let body = json!({"threadId": "t", "runId": "r", "messages": [message]});
        parsed(&body).unwrap().messages
    };
    let said = |parts| [Message::Tool { call: "c".into(), content: parts }];
    assert_eq!(content("late", "late"), said(vec![text("late")]));
    assert_eq!(content("", "late"), said(vec![text("late")]));
    assert_eq!(content("rain", ""), said(vec![text("rain")]));
}

#[test]
fn what_is_no_json_is_said_to_be_none() {
    for body in [&b""[..], b"{", b"{\"threadId\": }", b"\xff", b"{\"a\":\"\\ud800\"", b"{} {}"] {
        assert_eq!(parse(body, &Limits::default()).unwrap_err().kind(), ErrorKind::MalformedJson, "{body:?}");
    }
    let error = parse(b"{\n  \"threadId\": secret }", &Limits::default()).unwrap_err();
    assert_eq!(error.detail(), Some("Line 2, column 15."));
}

#[test]
fn limits_hold_at_their_borders() {
    let body = whole().to_string();
    let fits = Limits { body: body.len(), messages: 9, tools: 1, context: 1, parts: 5, depth: 6, ..Limits::default() };
    parse(body.as_bytes(), &fits).unwrap();
    let code = |limits| parse(body.as_bytes(), &limits).unwrap_err().code();
    assert_eq!(code(Limits { body: body.len() - 1, ..fits }), "body_too_large");
    let detail = |limits| parse(body.as_bytes(), &limits).unwrap_err().detail().unwrap().to_owned();
    assert_eq!(detail(Limits { messages: 8, ..fits }), "messages must hold at most 8 items.");
    assert_eq!(detail(Limits { tools: 0, ..fits }), "tools must hold at most 0 items.");
    assert_eq!(detail(Limits { context: 0, ..fits }), "context must hold at most 0 items.");
    assert_eq!(detail(Limits { parts: 4, ..fits }), "messages[8].content must hold at most 4 items.");
    assert_eq!(detail(Limits { id: 1, ..fits }), "threadId must be at most 1 bytes long.");
    assert_eq!(detail(Limits { depth: 5, ..fits }), "the body must not be nested deeper than 5 levels.");
    assert_eq!(detail(Limits { containers: 9, ..fits }), "the body must not hold more than 9 objects and arrays.");
}

#[test]
fn brackets_in_strings_count_for_nothing() {
    let text = r#"[[[{{{\"[[\\"#.repeat(20_000);
    let body = json!({"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": text}]});
    assert_eq!(parsed(&body).unwrap().messages, [Message::User(vec![Part::Text(text)])]);
}

#[test]
fn deep_json_is_refused_before_it_is_parsed() {
    let deep = |levels: usize| format!("{{\"state\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    let detail = |body: &str| parse(body.as_bytes(), &Limits::default()).unwrap_err().detail().unwrap().to_owned();
    assert_eq!(detail(&deep(64)), "threadId is required.");
    assert_eq!(detail(&deep(65)), "the body must not be nested deeper than 64 levels.");
    assert_eq!(detail(&"[".repeat(500_000)), "the body must not be nested deeper than 64 levels.");
}
