use super::*;
use crate::input::{Answer, Message, Word};

fn asks(id: &str) -> Value {
    json!({"id": format!("approval_{id}"), "type": "function", "function": {"name": "lastword_approval", "arguments": "{}"}})
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "pick", "arguments": "{}"}})
}

fn assistant(calls: &[Value]) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn result(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn answer(id: &str, payload: Value) -> Answer {
    Answer { interrupt: id.into(), word: Word::Resolved(Some(payload)) }
}

fn user() -> Value {
    json!({"role": "user", "content": "Refund it."})
}

#[test]
fn the_answer_to_an_approval_goes_on_with_the_turn_and_is_not_told_to_the_model() {
    let list = json!([
        user(),
        assistant(&[asks("i1"), call("c1"), asks("i2")]),
        result("c1", "7"),
        result("approval_i2", "{\"approved\": false, \"why\": \"dear\"}"),
        result("approval_i1", "{\"approved\":true}")
    ]);
    let input = read(&json!({ "messages": list })).unwrap().input;
    let expected = [answer("i2", json!({"approved": false, "why": "dear"})), answer("i1", json!({"approved": true}))];
    assert_eq!(input.resume, expected);
    assert_eq!(input.messages.len(), 3);
    assert_eq!(input.messages[1].calls().len(), 1);
    assert!(!input.echo.messages.iter().any(|message| message.to_string().contains("approval")));
}

#[test]
fn an_assistant_that_only_asked_has_said_nothing() {
    let list = json!([user(), assistant(&[asks("i1")]), result("approval_i1", "{\"approved\":true}")]);
    let input = read(&json!({ "messages": list })).unwrap().input;
    assert_eq!(input.messages.len(), 1);
    assert_eq!(input.resume, [answer("i1", json!({"approved": true}))]);
}

#[test]
fn one_that_was_answered_before_is_history() {
    let yes = "{\"approved\":true}";
    let done = json!({"role": "assistant", "content": "Done."});
    let list = json!([user(), assistant(&[asks("i1")]), result("approval_i1", yes), done, user()]);
    let input = read(&json!({ "messages": list })).unwrap().input;
    assert!(input.resume.is_empty());
    assert!(matches!(input.messages[..], [Message::User(_), Message::Assistant { .. }, Message::User(_)]));
    let list = json!([
        user(),
        assistant(&[asks("i1")]),
        result("approval_i1", yes),
        assistant(&[asks("i2")]),
        result("approval_i2", yes)
    ]);
    let input = read(&json!({ "messages": list })).unwrap().input;
    assert_eq!(input.resume, [answer("i2", json!({"approved": true}))]);
}

#[test]
fn an_answer_that_is_none_is_refused() {
    let refused = |results: &[Value]| {
        let mut list = vec![user(), assistant(&[asks("i1")])];
        list.extend_from_slice(results);
        refused(&json!({ "messages": list })).1
    };
    assert_eq!(refused(&[result("approval_i1", "sure")]), "messages[2].content must be JSON: it answers an approval.");
    let twice = [result("approval_i1", "true"), result("approval_i1", "true")];
    assert_eq!(refused(&twice), "messages[3] must not answer an approval twice.");
}

#[test]
fn a_call_of_the_clients_own_may_have_any_id() {
    let list = json!([user(), assistant(&[call("approval_x")]), result("approval_x", "sure")]);
    let input = read(&json!({ "messages": list })).unwrap().input;
    assert!(input.resume.is_empty() && matches!(input.messages[2], Message::Tool { .. }));
    assert_eq!(input.messages[1].calls()[0].id, "approval_x");
}
