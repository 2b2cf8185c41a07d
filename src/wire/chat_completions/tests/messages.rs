use super::*;
use crate::input::{Call, Media, Message, Part, Source};
use crate::wire::agui::heard;

fn messages(list: Value) -> Vec<Message> {
    read(&json!({ "messages": list })).unwrap().input.messages
}

fn one(message: Value) -> Message {
    messages(json!([message])).remove(0)
}

fn why(message: Value) -> String {
    refused(&json!({ "messages": [message] })).1
}

fn text(text: &str) -> Part {
    Part::Text(text.into())
}

fn said(text: &str, calls: Vec<Call>) -> Message {
    Message::Assistant { text: text.into(), calls, kept: None }
}

fn call(id: &str) -> Call {
    Call { id: id.into(), name: "pick".into(), arguments: "{\"n\":1}".into() }
}

#[test]
fn instructions() {
    let expected = Message::System("Be kind.".into());
    for role in ["system", "developer"] {
        assert_eq!(one(json!({"role": role, "content": "Be kind.", "name": "x"})), expected);
    }
    let parts = json!([{"type": "text", "text": "Be"}, {"type": "text", "text": "kind."}]);
    assert_eq!(one(json!({"role": "system", "content": parts})), Message::System("Be\nkind.".into()));
}

#[test]
fn what_a_user_says_in_every_kind_of_part() {
    assert_eq!(one(json!({"role": "user", "content": "Hi"})), Message::User(vec![text("Hi")]));
    assert_eq!(one(json!({"role": "user", "content": ""})), Message::User(vec![]));
    let parts = json!([
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        {"type": "image_url", "image_url": {"url": "DATA:image/svg+xml;charset=utf-8;base64,QQ=="}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "mp3"}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
        {"type": "file", "file": {"file_id": "f1", "filename": "a.pdf"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,QQ==", "filename": "a.pdf"}},
    ]);
    let data = |value: &str, mime: &str| Source::Data { value: value.into(), mime: mime.into() };
    let media = |kind, source| Part::Media { kind, source };
    let expected = vec![
        text("See"),
        media(Media::Image, Source::Url { value: "https://a.example/b.png".into(), mime: None }),
        media(Media::Image, data("QUJD", "image/png")),
        media(Media::Image, data("QQ==", "image/svg+xml;charset=utf-8")),
        media(Media::Audio, data("QQ==", "audio/mpeg")),
        media(Media::Audio, data("QQ==", "audio/wav")),
        media(Media::Document, Source::File { value: "f1".into() }),
        media(Media::Document, data("QQ==", "application/pdf")),
    ];
    assert_eq!(one(json!({"role": "user", "content": parts})), Message::User(expected));
}

#[test]
fn what_the_assistant_said_refused_and_called() {
    let calls = json!([{"id": "c1", "type": "function", "function": {"name": "pick", "arguments": "{\"n\":1}"}}]);
    assert_eq!(one(json!({"role": "assistant", "content": "Hi"})), said("Hi", vec![]));
    assert_eq!(one(json!({"role": "assistant", "content": null, "tool_calls": calls})), said("", vec![call("c1")]));
    assert_eq!(one(json!({"role": "assistant", "tool_calls": calls})), said("", vec![call("c1")]));
    assert_eq!(one(json!({"role": "assistant", "content": null, "refusal": "No."})), said("No.", vec![]));
    assert_eq!(one(json!({"role": "assistant", "content": "Yes.", "refusal": "No."})), said("Yes.", vec![]));
    let parts = json!([{"type": "text", "text": "A"}, {"type": "refusal", "refusal": "B"}]);
    assert_eq!(one(json!({"role": "assistant", "content": parts})), said("AB", vec![]));
    let reasoned = json!({"role": "assistant", "content": "Hi", "reasoning_content": "Hm", "annotations": []});
    assert_eq!(one(reasoned), said("Hi", vec![]));
}

#[test]
fn results_in_both_forms() {
    let list = json!([
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "function": {"name": "pick", "arguments": "{\"n\":1}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]},
        {"role": "assistant", "content": null, "function_call": {"name": "pick", "arguments": "{\"n\":1}"}},
        {"role": "function", "name": "pick", "content": "43"},
        {"role": "assistant", "content": "", "function_call": {"name": "pick", "arguments": "{\"n\":1}"}},
        {"role": "function", "name": "pick", "content": null},
    ]);
    let result = |id: &str, content| Message::Tool { call: id.into(), content };
    let expected = [
        said("", vec![call("c1")]),
        result("c1", vec![text("4"), text("2")]),
        said("", vec![call("function_1")]),
        result("function_1", vec![text("43")]),
        said("", vec![call("function_2")]),
        result("function_2", vec![]),
    ];
    assert_eq!(messages(list), expected);
}

#[test]
fn the_conversation_is_echoed_as_agui_has_it() {
    let list = json!([
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a.example"}}]},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "pick", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]);
    let input = read(&json!({ "messages": list })).unwrap().input;
    assert_eq!(heard(&input.echo.messages, &Limits::default()).unwrap(), input.messages);
}

#[test]
fn a_message_of_the_wrong_form_is_named() {
    let user = |part: Value| json!({"role": "user", "content": [part]});
    let calls = |call: Value| json!({"role": "assistant", "tool_calls": [call]});
    let cases = [
        (json!("Hi"), "messages[0] must be an object."),
        (json!({"content": "Hi"}), "messages[0].role is required."),
        (
            json!({"role": "critic", "content": ""}),
            "messages[0].role must be one of system, developer, user, assistant, tool, function.",
        ),
        (json!({"role": "user"}), "messages[0].content is required."),
        (json!({"role": "user", "content": 7}), "messages[0].content must be a string or an array of parts."),
        (json!({"role": "system", "content": null}), "messages[0].content must be a string or an array of parts."),
        (json!({"role": "system", "content": [{"type": "image_url"}]}), "messages[0].content[0].type must be text."),
        (
            user(json!({"type": "video_url"})),
            "messages[0].content[0].type must be one of text, image_url, input_audio, file.",
        ),
        (user(json!({"type": "text"})), "messages[0].content[0].text is required."),
        (
            user(json!({"type": "image_url", "image_url": "https://a.example"})),
            "messages[0].content[0].image_url must be an object.",
        ),
        (
            user(json!({"type": "image_url", "image_url": {"url": "data:,Hi"}})),
            "messages[0].content[0].image_url.url must be base64 with its media type, where it is a data URL.",
        ),
        (
            user(json!({"type": "input_audio", "input_audio": {"data": "", "format": "ogg"}})),
            "messages[0].content[0].input_audio.format must be wav or mp3.",
        ),
        (user(json!({"type": "file", "file": {}})), "messages[0].content[0].file must have one of file_id, file_data."),
        (
            user(json!({"type": "file", "file": {"file_data": "QQ=="}})),
            "messages[0].content[0].file.file_data must be a data URL in base64.",
        ),
        (
            json!({"role": "assistant", "content": [{"type": "thinking"}]}),
            "messages[0].content[0].type must be one of text, refusal.",
        ),
        (
            json!({"role": "assistant", "audio": {"id": "a"}}),
            "messages[0].audio must be left out: sound is not supported.",
        ),
        (calls(json!({"id": "", "function": {}})), "messages[0].tool_calls[0].id must not be empty."),
        (calls(json!({"id": "c", "type": "custom"})), "messages[0].tool_calls[0].type must be function."),
        (calls(json!({"id": "c", "type": "function"})), "messages[0].tool_calls[0].function is required."),
        (
            calls(json!({"id": "c", "function": {"name": "a"}})),
            "messages[0].tool_calls[0].function.arguments is required.",
        ),
        (json!({"role": "tool", "content": ""}), "messages[0].tool_call_id is required."),
        (json!({"role": "tool", "tool_call_id": "c"}), "messages[0].content is required."),
        (json!({"role": "function", "content": ""}), "messages[0].name is required."),
    ];
    for (message, detail) in cases {
        assert_eq!(why(message), detail);
    }
}
