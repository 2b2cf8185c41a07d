//! The canonical wire.

use super::values;
use crate::told::{Call, Finish, Told, maybe, text, tokens};
use lastword::sse::Frame;
use serde_json::Value;

pub fn read(frames: &[Frame]) -> Told {
    let values = values(frames);
    let mut told = Told { refusal: Some(false), ..Told::default() };
    let mut open: Vec<(String, String, String)> = Vec::new();
    for value in &values {
        match text(value, "type") {
            "content_start" => {
                told.message = maybe(value, "message");
                told.refusal = Some(value["refusal"] == true);
            }
            "content" => {
                assert_eq!(told.message, maybe(value, "message"));
                told.text.push_str(text(value, "delta"));
            }
            "tool_call" => open.push((text(value, "call").into(), text(value, "name").into(), String::new())),
            "tool_call_args" => {
                let call = open.iter_mut().find(|(id, ..)| *id == text(value, "call")).unwrap();
                call.2.push_str(text(value, "delta"));
            }
            "intermediate" | "thinking" if value["public"] == true => told.aside.push_str(text(value, "delta")),
            "intermediate_start" | "intermediate_end" | "thinking_start" | "thinking_end" => {}
            "task_started" | "content_end" | "tool_call_end" | "state" => {}
            "task_completed" | "task_failed" | "approval_requested" | "task_cancelled" => end(&mut told, value),
            _ => told.aside.push_str(&value.to_string()),
        }
    }
    told.calls = open.iter().map(|(id, name, arguments)| Call::new(id, name, arguments)).collect();
    if told.finish == Some(Finish::Done) && !told.calls.is_empty() {
        told.finish = Some(Finish::Calls);
    }
    told.id = values[0]["meta"]["run"].as_str().map(str::to_owned);
    told
}

fn end(told: &mut Told, value: &Value) {
    match text(value, "type") {
        "task_completed" => {
            told.finish = Some(Finish::Done);
            told.truncated = Some(value["truncated"] == true);
            told.timing = value.get("timing").cloned();
        }
        "approval_requested" => told.finish = Some(Finish::Interrupt),
        "task_cancelled" => told.failure = Some("cancelled".into()),
        _ => told.failure = Some(text(value, "code").into()),
    }
    let usage = &value["usage"][0];
    told.usage = tokens(usage, ["input_tokens", "output_tokens", "total_tokens"]);
    told.model = maybe(usage, "model");
}
