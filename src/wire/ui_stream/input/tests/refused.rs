//! What is no request.

use super::*;
use crate::ErrorKind;

#[test]
fn what_is_refused_names_its_place() {
    let part = |part: Value| chat(json!([{ "id": "u", "role": "user", "parts": [part] }]));
    let own = |part: Value| chat(json!([assistant(json!([part]))]));
    let file = |url: &str| part(json!({ "type": "file", "mediaType": "image/png", "url": url }));
    let tool = |more: Value| {
        let mut part = json!({ "type": "tool-pick", "toolCallId": "c", "state": "output-available" });
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        own(part)
    };
    let with = |key: &str, value: Value| {
        let mut body = chat(json!([user("u1", "Hi")]));
        body[key] = value;
        body
    };
    for (body, place) in [
        (json!([]), "the body must be an object"),
        (json!({ "messages": [] }), "id is required"),
        (json!({ "id": "", "messages": [] }), "id must not be empty"),
        (json!({ "id": "c" }), "messages is required"),
        (json!({ "id": "c", "messages": {} }), "messages must be an array"),
        (with("trigger", json!("resume-stream")), "trigger must be submit-message or regenerate-message"),
        (with("trigger", json!(1)), "trigger must be a string"),
        (with("messageId", json!(1)), "messageId must be a string"),
        (with("model", json!({})), "model must be a string"),
        (with("system", json!([])), "system must be a string"),
        (with("tools", json!("all")), "tools must be an object or an array"),
        (with("tools", json!({ "": {} })), "tools must hold an object under each tool's name"),
        (with("tools", json!({ "a": 1 })), "tools must hold an object under each tool's name"),
        (with("tools", json!([{}])), "tools[0].name is required"),
        (with("tools", json!([{ "name": "a" }, { "name": "a" }])), "tools[1].name must not be the name of another"),
        (with("tools", json!({ "a": { "inputSchema": [] } })), "inputSchema must be an object"),
        (chat(json!([1])), "messages[0] must be an object"),
        (chat(json!([{ "role": "user", "parts": [] }])), "messages[0].id is required"),
        (chat(json!([{ "id": "a", "parts": [] }])), "messages[0].role is required"),
        (chat(json!([{ "id": "a", "role": "data", "parts": [] }])), "messages[0].role must be one of"),
        (chat(json!([{ "id": "a", "role": "user" }])), "messages[0].parts is required"),
        (chat(json!([{ "id": "a", "role": "user", "content": [] }])), "messages[0].content must be a string"),
        (chat(json!([{ "id": "a", "role": "user", "parts": "x" }])), "messages[0].parts must be an array"),
        (chat(json!([{ "id": "a", "role": "system", "parts": [{ "type": "file" }] }])), "parts[0].type must be text"),
        (part(json!({})), "messages[0].parts[0].type is required"),
        (part(json!({ "type": "text" })), "messages[0].parts[0].text is required"),
        (part(json!({ "type": "tool-pick" })), "messages[0].parts[0].type must be text or file"),
        (part(json!({ "type": "file", "url": "https://a" })), "parts[0].mediaType is required"),
        (part(json!({ "type": "file", "mediaType": "a/b" })), "parts[0].url is required"),
        (part(json!({ "type": "file", "mediaType": "a/b", "providerReference": {} })), "must name a file"),
        (file("blob:x"), "must be a data:, https: or http: address"),
        (file("data:image/png,abc"), "must hold its data in base64"),
        (file("data:image/png;base64"), "must hold data behind a comma"),
        (own(json!({ "type": "file", "mediaType": "a/b", "url": "https://a" })), "must not be file in a message of"),
        (own(json!({ "type": "tool-invocation-of-later" })), "parts[0].toolCallId is required"),
        (own(json!({ "type": "tool-" })), "parts[0].type must be a type of part that is known"),
        (own(json!({ "type": "hologram" })), "parts[0].type must be a type of part that is known"),
        (own(json!({ "type": "dynamic-tool" })), "parts[0].toolName is required"),
        (tool(json!({ "toolCallId": "" })), "parts[0].toolCallId must not be empty"),
        (tool(json!({ "state": "done" })), "parts[0].state must be a state of a tool's part that is known"),
        (tool(json!({ "state": "output-error" })), "parts[0].errorText is required"),
        (tool(json!({ "approval": "yes" })), "parts[0].approval must be an object"),
    ] {
        let error = read(body.to_string().as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{body}");
        assert!(error.detail().unwrap().contains(place), "{body}: {:?}", error.detail());
    }
    assert_eq!(read(b"{").unwrap_err().kind(), ErrorKind::MalformedJson);
    assert_eq!(read(&vec![b' '; Limits::default().body + 1]).unwrap_err().kind(), ErrorKind::BodyTooLarge);
}

#[test]
fn the_bounds_are_those_of_any_request() {
    let tight = Limits { messages: 1, tools: 1, parts: 1, id: 8, ..Limits::default() };
    let names = Names { run: "r", thread: None };
    let refused = |body: Value| parse(body.to_string().as_bytes(), &names, &tight).unwrap_err();
    let long = "x".repeat(9);
    let two = json!([{ "type": "text", "text": "" }, { "type": "text", "text": "" }]);
    let of = |role: &str| chat(json!([{ "id": "u", "role": role, "parts": two }]));
    for body in [
        json!({ "id": long, "messages": [] }),
        json!({ "id": "c", "messages": [user("a", ""), user("b", "")] }),
        json!({ "id": "c", "messages": [user(&long, "")] }),
        json!({ "id": "c", "messages": [], "tools": { "a": {}, "b": {} } }),
        json!({ "id": "c", "messages": [], "tools": [{ "name": "a" }, { "name": "b" }] }),
        json!({ "id": "c", "messages": [], "tools": { "xxxxxxxxx": {} } }),
        chat(json!([assistant(json!([{ "type": "tool-xxxxxxxxx", "toolCallId": "c", "state": "input-available" }]))])),
        of("user"),
        of("system"),
        of("assistant"),
    ] {
        assert_eq!(refused(body.clone()).kind(), ErrorKind::InvalidInput, "{body}");
    }
}
