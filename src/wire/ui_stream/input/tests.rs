mod refused;

use super::*;
use crate::input::{Call, Media, Part, Source};
use crate::wire::agui::heard;
use proptest::prelude::*;

fn asked(body: &Value) -> RunInput {
    read(body.to_string().as_bytes()).unwrap().input
}

fn read(body: &[u8]) -> Result<Asked, Error> {
    parse(body, &Names { run: "of the header", thread: Some("of the header") }, &Limits::default())
}

fn chat(messages: Value) -> Value {
    json!({ "id": "chat-1", "messages": messages, "trigger": "submit-message" })
}

fn text(text: &str) -> Part {
    Part::Text(text.into())
}

fn user(id: &str, said: &str) -> Value {
    json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": said }] })
}

fn assistant(parts: Value) -> Value {
    json!({ "id": "a1", "role": "assistant", "parts": parts })
}

/// The messages of a chat in which the assistant's parts stand between two words of a user.
fn between(parts: Value) -> Vec<Message> {
    let messages = asked(&chat(json!([user("u1", "Hi"), assistant(parts), user("u2", "And?")]))).messages;
    messages[1..messages.len() - 1].to_vec()
}

fn said(text: &str, calls: &[(&str, &str, &str)]) -> Message {
    let call = |(id, name, arguments): &(&str, &str, &str)| Call {
        id: (*id).into(),
        name: (*name).into(),
        arguments: (*arguments).into(),
    };
    Message::Assistant { text: text.into(), calls: calls.iter().map(call).collect(), kept: None }
}

fn result(call: &str, said: &str) -> Message {
    Message::Tool { call: call.into(), content: vec![text(said)] }
}

#[test]
fn what_the_transport_posts_is_a_run_of_the_chat() {
    let body = json!({
        "id": "chat-1", "messages": [user("u1", "Where is my parcel?")], "trigger": "submit-message",
        "model": "house", "anything": { "else": 1 },
    });
    let asked = read(body.to_string().as_bytes()).unwrap();
    assert_eq!((asked.form, asked.previous.as_ref(), asked.usage), (Default::default(), None, false));
    let input = asked.input;
    assert_eq!((input.thread.as_str(), input.model.as_deref()), ("chat-1", Some("house")));
    assert_eq!(input.run.len(), DIGITS);
    assert!(input.run.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(input.messages, [Message::User(vec![text("Where is my parcel?")])]);
    let echo = [json!({ "id": "u1", "role": "user", "content": "Where is my parcel?" })];
    assert_eq!((input.echo.messages.as_slice(), input.echo.request), (echo.as_slice(), None));
}

#[test]
fn every_kind_of_a_users_part() {
    let parts = json!([
        { "type": "file", "mediaType": "image/png", "filename": "a.png", "url": "data:image/png;base64,QUJD" },
        { "type": "file", "mediaType": "audio/*", "url": "https://a.example/b" },
        { "type": "file", "mediaType": "video/mp4", "url": "http://a.example/c" },
        { "type": "file", "mediaType": "application/pdf", "url": "", "providerReference": { "house": "f1" } },
        { "type": "step-start" },
        { "type": "data-context", "data": {} },
        { "type": "source-url", "sourceId": "s", "url": "https://a.example" },
        { "type": "text", "text": "See" },
    ]);
    let input = asked(&chat(json!([{ "id": "u1", "role": "user", "metadata": { "at": 7 }, "parts": parts }])));
    let media = |kind, source| Part::Media { kind, source };
    let url = |value: &str, mime: Option<&str>| Source::Url { value: value.into(), mime: mime.map(str::to_owned) };
    let expected = Message::User(vec![
        media(Media::Image, Source::Data { value: "QUJD".into(), mime: "image/png".into() }),
        media(Media::Audio, url("https://a.example/b", None)),
        media(Media::Video, url("http://a.example/c", Some("video/mp4"))),
        media(Media::Document, Source::File { value: "f1".into() }),
        text("See"),
    ]);
    assert_eq!(input.messages, std::slice::from_ref(&expected));
    let echo = &input.echo.messages[0];
    assert_eq!(echo["metadata"], json!({ "at": 7 }));
    assert_eq!(echo["content"][0]["metadata"], json!({ "filename": "a.png" }));
    assert_eq!(heard(&input.echo.messages, &Limits::default()).unwrap(), [expected]);
}

#[test]
fn content_of_older_clients_and_instructions() {
    let body = json!({
        "id": "c", "system": "Be brief.", "messages": [
            { "id": "s", "role": "system", "parts": [{ "type": "text", "text": "Be" }, { "type": "text", "text": "kind." }] },
            { "id": "u", "role": "user", "content": "Hi" },
            { "id": "a", "role": "assistant", "content": "Hello" },
            { "id": "e", "role": "assistant", "content": "" },
            { "id": "v", "role": "user", "content": "" },
        ],
    });
    let input = asked(&body);
    let expected = [
        Message::System("Be brief.".into()),
        Message::System("Be\n\nkind.".into()),
        Message::User(vec![text("Hi")]),
        said("Hello", &[]),
        Message::User(Vec::new()),
    ];
    assert_eq!(input.messages, expected);
    let ids: Vec<_> = input.echo.messages.iter().map(|message| message["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["s", "u", "a", "v"], "the app's instructions are no message of the chat");
}

#[test]
fn every_state_of_a_call() {
    let call = |state: &str, more: Value| {
        let mut part = json!({ "type": "tool-pick", "toolCallId": "c1", "state": state, "input": { "n": 1 } });
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([part])
    };
    let none: Vec<Message> = Vec::new();
    let with = |content: &str| vec![said("", &[("c1", "pick", "{\"n\":1}")]), result("c1", content)];
    for (state, more, expected) in [
        ("input-streaming", json!({}), none.clone()),
        ("input-available", json!({}), none.clone()),
        ("approval-requested", json!({ "approval": { "id": "i1" } }), none.clone()),
        ("approval-responded", json!({ "approval": { "id": "i1", "approved": true } }), none.clone()),
        ("output-available", json!({ "output": "found" }), with("found")),
        ("output-available", json!({ "output": { "b": [1], "a": null } }), with("{\"a\":null,\"b\":[1]}")),
        ("output-available", json!({}), with("null")),
        ("output-error", json!({ "errorText": "It fell." }), with("It fell.")),
        (
            "output-denied",
            json!({ "approval": { "id": "i1", "approved": false } }),
            with(super::super::continued::DENIED),
        ),
        ("output-denied", json!({ "approval": { "id": "i1", "approved": false, "reason": "No." } }), with("No.")),
    ] {
        assert_eq!(between(call(state, more)), expected, "{state}");
    }
    let raw = json!([{ "type": "dynamic-tool", "toolName": "spin", "toolCallId": "c1", "state": "output-error",
        "input": "{\"n\":", "errorText": "No JSON." }]);
    assert_eq!(between(raw), [said("", &[("c1", "spin", "{\"n\":")]), result("c1", "No JSON.")]);
    let none = json!([{ "type": "tool-a-b", "toolCallId": "c1", "state": "output-available", "output": "" }]);
    assert_eq!(between(none)[0], said("", &[("c1", "a-b", "{}")]));
}

#[test]
fn a_message_of_the_assistant_is_what_its_steps_say() {
    let call = |id: &str, ours: bool| {
        json!({ "type": "tool-pick", "toolCallId": id, "state": "output-available", "input": {}, "output": id,
            "providerExecuted": ours })
    };
    let parts = json!([
        { "type": "step-start" }, { "type": "reasoning", "text": "Hm." },
        { "type": "text", "text": "Look:" }, call("c1", true), call("c2", false),
        { "type": "text", "text": "So." }, { "type": "text", "text": "" },
        { "type": "step-start" }, { "type": "text", "text": "No." }, { "type": "data-withdrawn", "data": {} },
        call("c3", false),
        { "type": "reasoning-file", "url": "x" }, { "type": "custom", "kind": "a.b" },
        { "type": "steering-message", "id": "st", "parts": [{ "type": "text", "text": "Hurry." }] },
        { "type": "step-start" }, { "type": "text", "text": "Done." },
    ]);
    let call = |id| (id, "pick", "{}");
    let expected = [
        said("Look:", &[call("c1"), call("c2")]),
        result("c1", "c1"),
        result("c2", "c2"),
        said("So.", &[]),
        said("", &[call("c3")]),
        result("c3", "c3"),
        Message::User(vec![text("Hurry.")]),
        said("Done.", &[]),
    ];
    assert_eq!(between(parts.clone()), expected);
    let echo = asked(&chat(json!([assistant(parts)]))).echo.messages;
    let ids: Vec<_> = echo.iter().map(|message| message["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a1", "a1-s2", "a1-r-c1", "a1-o-c2", "a1-s3", "a1-s4", "a1-o-c3", "st", "a1-s5"]);
    assert_eq!(heard(&echo, &Limits::default()).unwrap(), expected);
}

#[test]
fn tools_by_name_or_as_a_list() {
    let schema = json!({ "type": "object" });
    let tools = |tools: Value| {
        let mut body = chat(json!([user("u1", "Hi")]));
        body["tools"] = tools;
        asked(&body).tools
    };
    let tool = |name: &str, description: &str, parameters: Option<&Value>| crate::input::Tool {
        name: name.into(),
        description: description.into(),
        parameters: parameters.cloned(),
    };
    assert_eq!(
        tools(json!({ "a": { "description": "d", "inputSchema": schema }, "b": { "parameters": schema }, "c": {} })),
        [tool("a", "d", Some(&schema)), tool("b", "", Some(&schema)), tool("c", "", None)]
    );
    assert_eq!(
        tools(json!([{ "name": "a", "description": "d", "inputSchema": { "jsonSchema": schema } }, { "name": "b" }])),
        [tool("a", "d", Some(&schema)), tool("b", "", None)]
    );
}

/// What a person has said to two questions of the run that shows a call of ours before, behind a client's call.
fn answered(second: Value) -> Value {
    let own = |id: &str, approval: Value, state: &str| {
        json!({ "type": "tool-refund", "toolCallId": id, "state": state, "input": {}, "providerExecuted": true,
            "approval": approval })
    };
    chat(json!([
        user("u1", "Hi"),
        assistant(json!([
            { "type": "step-start" },
            { "type": "tool-pick", "toolCallId": "c1", "state": "output-available", "input": {}, "output": 1 },
            { "type": "step-start" },
            { "type": "tool-look", "toolCallId": "o1", "state": "output-available", "input": {}, "output": "x",
                "providerExecuted": true },
            own("o2", json!({ "id": "i0", "approved": true }), "approval-responded"),
            { "type": "step-start" },
            own("o3", json!({ "id": "i1", "approved": true, "reason": "Fine." }), "approval-responded"),
            own("o4", second, "approval-responded"),
        ]))
    ]))
}

#[test]
fn answers_go_on_with_the_run_that_asks_and_with_nothing_that_it_has_done() {
    let input = asked(&answered(json!({ "id": "i2", "approved": false })));
    let answer =
        |interrupt: &str, payload: Value| Answer { interrupt: interrupt.into(), word: Word::Resolved(Some(payload)) };
    let expected =
        [answer("i1", json!({ "approved": true, "reason": "Fine." })), answer("i2", json!({ "approved": false }))];
    assert_eq!(input.resume, expected);
    let expected = [Message::User(vec![text("Hi")]), said("", &[("c1", "pick", "{}")]), result("c1", "1")];
    assert_eq!(input.messages, expected);
    assert_eq!(input.echo.messages.len(), 6, "{:?}", input.echo.messages);
    assert_eq!(input.echo.request.unwrap()["ui_message"]["id"], "a1");
    // Twice the same interrupt is one answer, and one without a word is none.
    assert_eq!(asked(&answered(json!({ "id": "i1", "approved": false }))).resume.len(), 1);
    assert_eq!(asked(&answered(json!({ "id": "i2" }))).resume.len(), 1);
    // Behind it a user has spoken: it was answered by an earlier run.
    let mut later = answered(json!({ "id": "i2", "approved": true }));
    later["messages"].as_array_mut().unwrap().push(user("u2", "And?"));
    assert!(asked(&later).resume.is_empty());
}

#[test]
fn the_same_post_is_the_same_run_and_another_is_not() {
    let call = |output: Value| json!({ "type": "tool-pick", "toolCallId": "c1", "state": "output-available", "input": {}, "output": output });
    let body = |trigger: &str, message: Value, messages: Value| {
        let input = asked(&json!({ "id": "c", "trigger": trigger, "messageId": message, "messages": messages }));
        (input.run, input.fingerprint)
    };
    let submit = |messages: Value| body("submit-message", Value::Null, messages);
    let hi = || user("u1", "Hi");
    let plain = submit(json!([hi()]));
    assert_eq!(plain, submit(json!([hi()])));
    let without = asked(&json!({ "messages": [hi()], "id": "c" }));
    assert_eq!(plain, (without.run, without.fingerprint), "submit-message is what is meant where nothing is said");
    let mut runs = vec![
        plain.0,
        submit(json!([user("u2", "Hi")])).0,
        submit(json!([user("u1", "Hi!")])).0,
        body("submit-message", "u1".into(), json!([hi()])).0,
        submit(json!([hi(), assistant(json!([call(json!(1))]))])).0,
        submit(json!([hi(), assistant(json!([call(json!(2))]))])).0,
        submit(json!([hi(), assistant(json!([]))])).0,
        asked(&json!({ "id": "d", "messages": [hi()] })).run,
        asked(&json!({ "id": "c", "messages": [hi()], "model": "m" })).run,
    ];
    let count = runs.len();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), count);
    let again = body("regenerate-message", "a1".into(), json!([hi()]));
    assert_eq!(again.0, "of the header", "the client posts the same for each");
    // What the assistant has said makes no difference, in neither.
    let before =
        |said: &str| submit(json!([hi(), assistant(json!([{ "type": "text", "text": said }])), user("u2", "So?")]));
    assert_eq!(before("A"), before("B"));
    let behind =
        |said: &str| submit(json!([hi(), assistant(json!([{ "type": "text", "text": said }, call(json!(1))]))]));
    assert_eq!(behind("A"), behind("B"));
}

#[test]
fn the_fingerprint_is_of_what_users_and_their_tools_say() {
    let of = |parts: Value, first: &str| {
        asked(&chat(json!([user("u1", first), assistant(parts), user("u2", "So?")]))).fingerprint
    };
    let call = |ours: bool, output: &str| {
        json!([{ "type": "tool-pick", "toolCallId": "c1", "state": "output-available", "input": {}, "output": output,
            "providerExecuted": ours }])
    };
    assert_eq!(of(call(true, "a"), "Hi"), of(call(true, "b"), "Hi"));
    assert_ne!(of(call(false, "a"), "Hi"), of(call(false, "b"), "Hi"));
    assert_ne!(of(json!([]), "Hi"), of(json!([]), "Ho"));
    let yes = asked(&answered(json!({ "id": "i2", "approved": true })));
    let no = asked(&answered(json!({ "id": "i2", "approved": false })));
    assert_ne!((yes.run, yes.fingerprint), (no.run, no.fingerprint));
}

proptest! {
    #[test]
    fn any_bytes_are_a_request_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    /// A body of which any piece is something else.
    #[test]
    fn any_body_with_a_fault_is_a_request_or_an_error(at in any::<prop::sample::Index>(), with in "[\"{}:,0a\\\\]{0,3}") {
        let mut text = answered(json!({ "id": "i2", "approved": true })).to_string();
        let cut = text.floor_char_boundary(at.index(text.len()));
        text.replace_range(cut..cut + 1, &with);
        if let Ok(asked) = read(text.as_bytes()) {
            prop_assert!(!asked.input.thread.is_empty());
            heard(&asked.input.echo.messages, &Limits::default()).unwrap();
        }
    }
}
