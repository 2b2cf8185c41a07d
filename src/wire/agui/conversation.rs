//! What was said up to the end of a run, from the frames that a reader who joins it is sent: the snapshot, and what follows
//! it because its place or its size keeps it out of there.

use crate::positions::Positions;
use serde_json::{Map, Value, json};

/// The messages of a prelude's frames: each result of a call stands behind the message that made it, a text that turned
/// out to be no answer is none.
pub fn conversation<'a>(frames: impl Iterator<Item = &'a str>) -> Vec<Value> {
    let mut all = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    for frame in frames.filter_map(|frame| crate::stored::parse(frame.as_bytes())) {
        let text = |key: &str| frame.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "MESSAGES_SNAPSHOT" => {
                all = frame.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
            }
            "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" => {
                let message = all.iter_mut().rev().find(|message| id(message) == text("messageId"));
                message.into_iter().for_each(|message| longer(message, "content", text("delta")));
            }
            "TOOL_CALL_ARGS" => {
                let call = all.iter_mut().rev().flat_map(calls_mut).find(|call| id(call) == text("toolCallId"));
                let function = call.and_then(|call| call.get_mut("function"));
                function.into_iter().for_each(|function| longer(function, "arguments", text("delta")));
            }
            "TOOL_CALL_RESULT" => results.push(json!({
                "id": text("messageId"), "role": "tool", "toolCallId": text("toolCallId"), "content": text("content"),
            })),
            "CUSTOM" if text("name") == "lastword.withdrawn" => {
                let none = frame.get("value").and_then(|value| value.get("messageId")).and_then(Value::as_str);
                all.retain(|message| Some(id(message)) != none);
            }
            _ => {}
        }
    }
    behind(all, results)
}

/// Each result behind the message of its call. One without a call comes last.
fn behind(all: Vec<Value>, results: Vec<Value>) -> Vec<Value> {
    let mut owners = Positions::default();
    for (at, message) in all.iter().enumerate() {
        let calls = message.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
        calls.for_each(|call| owners.insert(id(call), at));
    }
    let mut of: Vec<Vec<Value>> = all.iter().map(|_| Vec::new()).collect();
    let mut lost = Vec::new();
    for result in results {
        let call = result.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
        match owners.of(call).and_then(|at| of.get_mut(at)) {
            Some(list) => list.push(result),
            None => lost.push(result),
        }
    }
    let mut ordered = Vec::new();
    for (message, results) in all.into_iter().zip(of) {
        ordered.push(message);
        ordered.extend(results);
    }
    ordered.extend(lost);
    ordered
}

fn id(value: &Value) -> &str {
    value.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn calls_mut(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    message.get_mut("toolCalls").and_then(Value::as_array_mut).into_iter().flatten()
}

fn longer(value: &mut Value, key: &str, more: &str) {
    let Some(value) = value.as_object_mut() else { return };
    match value.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        _ => drop(Map::insert(value, key.to_owned(), more.into())),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::event::{Event, Plain, Sealed, ToolOutcome};
    use crate::input::Echo;
    use crate::profile::Profile;
    use crate::wire::Context;
    use crate::wire::agui::Prelude;

    #[test]
    fn results_stand_behind_their_calls_and_what_was_withdrawn_is_away() {
        let call = |id: &str, parent: &str| -> [Event; 2] {
            [
                Plain::ShownCallStart { call: id.into(), name: "look".into(), parent: parent.into() }.into(),
                Plain::ShownCallEnd { call: id.into() }.into(),
            ]
        };
        let result = |id: &str| -> Event {
            let (message, content) = (format!("r-{id}"), "found".into());
            Plain::ShownCallResult { call: id.into(), message, content, outcome: ToolOutcome::Ok }.into()
        };
        let text = |id: &str, delta: &str| -> [Event; 2] {
            let message = || id.to_owned();
            [
                Sealed::AnswerStart { message: message(), refusal: false }.into(),
                Sealed::AnswerDelta { message: message(), refusal: false, delta: delta.into() }.into(),
            ]
        };
        let long = "x".repeat(5 << 20);
        let echo = Echo { messages: vec![json!({ "id": "u", "role": "user", "content": "Hi" })], ..Echo::default() };
        let mut prelude = Prelude::new(&echo);
        let events = [call("c1", "p1"), call("c2", "p1"), [result("c2"), result("c1")], call("c3", "p2")];
        events.iter().flatten().for_each(|event| prelude.fold(event));
        let withdrawn = Sealed::AnswerWithdrawn { message: "a".into() }.into();
        text("a", "No.").iter().chain([&result("c3"), &withdrawn]).for_each(|event| prelude.fold(event));
        text("a2", &long).iter().for_each(|event| prelude.fold(event));
        let profile = Profile::new("m", None, 0);
        let frames = prelude.frames(&Context { run: "r", thread: "t", profile: &profile }).unwrap();
        let all = conversation(frames.iter().map(String::as_str));
        let ids: Vec<_> = all.iter().map(id).collect();
        assert_eq!(ids, ["u", "p1", "r-c2", "r-c1", "p2", "r-c3", "a2"]);
        assert_eq!(all[6]["content"].as_str().unwrap().len(), long.len());
        assert_eq!(all[2], json!({ "id": "r-c2", "role": "tool", "toolCallId": "c2", "content": "found" }));
    }
}
