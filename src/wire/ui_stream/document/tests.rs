use super::*;
use crate::event::Interrupt;
use crate::input::RunInput;
use crate::wire::ui_stream::parse;
use crate::wire::{Names, agui};
use insta::assert_snapshot;

fn shown(history: &Value, waiting: Option<Waiting<'_>>) -> String {
    let text = messages(history.as_array().unwrap(), waiting);
    serde_json::to_string_pretty(&serde_json::from_str::<Value>(&text).unwrap()).unwrap()
}

/// The chat, posted again with a word of the user more.
fn posted(history: &[Value]) -> RunInput {
    let mut all: Vec<Value> = serde_json::from_str(&messages(history, None)).unwrap();
    all.push(json!({ "id": "new", "role": "user", "parts": [{ "type": "text", "text": "And?" }] }));
    let body = json!({ "id": "chat", "messages": all }).to_string();
    parse(body.as_bytes(), &Names { run: "r", thread: None }, &Limits::default()).unwrap().input
}

fn call(id: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "pick", "arguments": arguments } })
}

/// What two runs have come to: a client's call, and the answer behind its result.
fn history() -> Value {
    json!([
        { "id": "s", "role": "system", "content": "Be kind." },
        { "id": "u1", "role": "user", "metadata": { "at": 7 }, "content": [
            { "type": "text", "text": "See" },
            { "type": "image", "source": { "type": "data", "value": "QUJD", "mimeType": "image/png" },
              "metadata": { "filename": "a.png" } },
            { "type": "audio", "source": { "type": "url", "value": "https://a.example/b" } },
            { "type": "document", "source": { "type": "file", "value": "f1" } },
            { "type": "video", "source": { "type": "url", "value": "https://a.example/c", "mimeType": "video/mp4" } },
        ] },
        { "id": "run-1-n1", "role": "reasoning", "content": "Public narration." },
        { "id": "run-1-t1", "role": "reasoning", "content": "Hm." },
        { "id": "run-1-u1", "role": "assistant", "toolCalls": [call("o1", "{\"n\":1}"), call("o2", "")] },
        { "id": "run-1-r-o1", "role": "tool", "toolCallId": "o1", "content": "found" },
        { "id": "run-1-r-o2", "role": "tool", "toolCallId": "o2", "content": "", "error": "It fell." },
        { "id": "run-1-c", "role": "assistant", "toolCalls": [call("c1", "{\"n\":"), call("c2", "[]"), call("c3", "{}")] },
        { "id": "t1", "role": "tool", "toolCallId": "c1", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
        { "id": "t2", "role": "tool", "toolCallId": "c2", "content": "{\"a\":1}", "metadata": { "json": true } },
        { "id": "nobody", "role": "tool", "toolCallId": "c9", "content": "lost" },
        { "id": "w", "role": "activity", "activityType": "working", "content": { "step": 1 } },
        { "id": "run-2-a", "role": "assistant", "content": "Done." },
        { "id": "u2", "role": "user", "content": "Hi" },
        { "id": "x", "role": "assistant", "content": "One." },
        { "id": "y", "role": "assistant", "content": "Another." },
        { "what": "is none" },
    ])
}

#[test]
fn a_chat() {
    assert_snapshot!(shown(&history(), None));
}

#[test]
fn a_chat_that_waits_for_a_person() {
    let ask = |call: &str| Interrupt {
        id: "run-9-i1".into(),
        reason: "tool_call".into(),
        message: Some("May refund run?".into()),
        call: Some(call.into()),
        metadata: Some(json!({ "tool": "refund", "input": { "order": 4242 } })),
        ..Interrupt::default()
    };
    let hi = json!([{ "id": "u1", "role": "user", "content": "Hi" }]);
    let worked = json!([
        { "id": "u1", "role": "user", "content": "Hi" },
        { "id": "run-9-u1", "role": "assistant", "toolCalls": [call("o1", "{}")] },
        { "id": "run-9-r-o1", "role": "tool", "toolCallId": "o1", "content": "found" },
    ]);
    let pages = [hi, worked].map(|history| {
        let (asked, bare) = ([ask("c7")], [Interrupt { id: "i2".into(), ..Interrupt::default() }]);
        let both = [asked.as_slice(), bare.as_slice()].concat();
        shown(&history, Some(Waiting { run: "run-9", interrupts: &both }))
    });
    assert_snapshot!(pages.join("\n---\n"));
    assert_eq!(messages(&[], None), "[]");
}

#[test]
fn what_the_document_gives_says_the_same_to_a_model() {
    let history = history();
    let history = history.as_array().unwrap();
    let input = posted(history);
    let mut heard: Vec<Message> = Vec::new();
    for message in history.iter().filter(|message| message["id"] != "nobody") {
        heard.extend(agui::heard(std::slice::from_ref(message), &Limits::default()).unwrap_or_default());
    }
    // A call that never got its result is left out, arguments are written anew, and texts of a result are one.
    for message in &mut heard {
        match message {
            Message::Assistant { calls, .. } => {
                calls.retain(|call| call.id != "c3");
                for call in calls.iter_mut().filter(|call| call.arguments.is_empty()) {
                    call.arguments = "{}".into();
                }
                for call in calls.iter_mut().filter(|call| call.id == "c1") {
                    call.arguments = json::text(&Value::from("{\"n\":"));
                }
            }
            Message::Tool { content, .. } if content.len() == 2 => {
                *content = vec![crate::input::Part::Text("ab".into())];
            }
            _ => {}
        }
    }
    heard.push(Message::User(vec![crate::input::Part::Text("And?".into())]));
    assert_eq!(input.messages, heard);
}

#[test]
fn a_chat_that_was_posted_is_given_back() {
    let history = history();
    let once = messages(history.as_array().unwrap(), None);
    let input = posted(history.as_array().unwrap());
    let again: Vec<Value> = serde_json::from_str(&messages(&input.echo.messages, None)).unwrap();
    let once: Vec<Value> = serde_json::from_str(&once).unwrap();
    assert_eq!(again[..again.len() - 1], once);
}

#[test]
fn an_approval_and_its_answer_are_given_back() {
    let refund = |state: &str, approval: Value| {
        json!({ "type": "tool-refund", "toolCallId": "c7", "state": state, "input": { "order": 4242 },
            "providerExecuted": true, "approval": approval })
    };
    for part in [
        refund("approval-requested", json!({ "id": "i1" })),
        refund("approval-responded", json!({ "id": "i1", "approved": true })),
        refund("output-denied", json!({ "id": "i1", "approved": false, "reason": "No." })),
    ] {
        let all = json!([{ "id": "a", "role": "assistant", "parts": [{ "type": "step-start" }, part] }]);
        let body = json!({ "id": "chat", "messages": all }).to_string();
        let input = parse(body.as_bytes(), &Names { run: "r", thread: None }, &Limits::default()).unwrap().input;
        let back: Value = serde_json::from_str(&messages(&input.echo.messages, None)).unwrap();
        let mut expected = all.clone();
        if part["state"] == "output-denied" {
            // The reason stands where a result does.
            expected[0]["parts"][1]["state"] = "output-denied".into();
        }
        assert_eq!(back, expected);
    }
}

#[test]
fn a_run_goes_on_with_the_message_that_its_request_ended_in() {
    let body = json!({ "id": "chat", "messages": [
        { "id": "u", "role": "user", "content": "Hi" },
        { "id": "mine", "role": "assistant", "parts": [
            { "type": "reasoning", "text": "Hm." },
            { "type": "tool-pick", "toolCallId": "c1", "state": "output-available", "input": {}, "output": 1 },
        ] },
    ] });
    let body = body.to_string();
    let input = parse(body.as_bytes(), &Names { run: "r", thread: None }, &Limits::default()).unwrap().input;
    let mut history = input.echo.messages;
    history.push(json!({ "id": "run-2-a", "role": "assistant", "content": "Done." }));
    let chat: Value = serde_json::from_str(&messages(&history, None)).unwrap();
    assert_eq!(chat.as_array().unwrap().len(), 2);
    assert_eq!(chat[1]["id"], "mine");
    let kinds: Vec<_> =
        chat[1]["parts"].as_array().unwrap().iter().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["step-start", "reasoning", "tool-pick", "step-start", "text"]);
}
