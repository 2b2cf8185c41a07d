//! What the agent is asked.

use crate::input::{Call, Echo, Message, Part, RunInput, Settings, Tool};
use crate::provider::{Ask, agui};
use serde_json::{Value, json};

fn ask(input: &RunInput, model: &str, transcript: &[Message]) -> Value {
    let body = agui::request(&Ask { model, input, sent: &input.messages, transcript }).unwrap();
    serde_json::from_str(&body).unwrap()
}

fn input() -> RunInput {
    RunInput {
        thread: "t".into(),
        run: "r".into(),
        messages: vec![Message::User(vec![Part::Text("Hi".into())])],
        tools: vec![Tool {
            name: "look".into(),
            description: "Looks".into(),
            parameters: Some(json!({"type": "object"})),
        }],
        context: vec![("Place".into(), "Lisbon".into())],
        resume: Vec::new(),
        model: None,
        settings: Settings { max_output: Some(9), ..Settings::default() },
        echo: Echo { state: Some(json!({"cart": []})), ..Echo::default() },
        fingerprint: String::new(),
        protocol: None,
        exactly_once: false,
    }
}

#[test]
fn it_is_a_run_agent_input() {
    let body = ask(&input(), "agent", &[]);
    let expected = json!({
        "threadId": "t",
        "runId": "r",
        "protocolVersion": "1.0",
        "state": {"cart": []},
        "messages": [{"id": body["messages"][0]["id"], "role": "user", "content": "Hi"}],
        "tools": [{"name": "look", "description": "Looks", "parameters": {"type": "object"}}],
        "context": [{"description": "Place", "value": "Lisbon"}],
        "forwardedProps": {"maxTokens": 9},
    });
    assert_eq!(body, expected);
    assert_eq!(ask(&input(), "other", &[])["forwardedProps"]["model"], "other");
    let bare = RunInput { echo: Echo::default(), settings: Settings::default(), ..input() };
    assert_eq!(
        (&ask(&bare, "agent", &[])["state"], &ask(&bare, "agent", &[])["forwardedProps"]),
        (&json!({}), &json!({}))
    );
}

#[test]
fn a_later_call_is_a_run_of_its_own_behind_what_was_done() {
    let call = Call { id: "c1".into(), name: "look".into(), arguments: "{}".into() };
    let done = [
        Message::Assistant { text: String::new(), calls: vec![call], kept: None },
        Message::Tool { call: "c1".into(), content: vec![Part::Text("42".into())] },
    ];
    let body = ask(&input(), "agent", &done);
    assert_eq!(body["runId"], "r-2");
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[1]["toolCalls"][0]["function"]["name"], "look");
    assert_eq!((&messages[2]["toolCallId"], &messages[2]["content"]), (&json!("c1"), &json!("42")));
    let mut ids: Vec<&str> = messages.iter().map(|message| message["id"].as_str().unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}
