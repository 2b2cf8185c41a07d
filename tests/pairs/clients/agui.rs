//! AG-UI 1.0.

use super::values;
use crate::told::{Call, Finish, Told, maybe, text, tokens};
use lastword::sse::Frame;

pub fn read(frames: &[Frame]) -> Told {
    let values = values(frames);
    let mut told = Told::default();
    let mut open: Vec<(String, String, String)> = Vec::new();
    for value in &values {
        match text(value, "type") {
            "RUN_STARTED" => told.id = maybe(value, "runId"),
            "TEXT_MESSAGE_START" => told.message = maybe(value, "messageId"),
            "TEXT_MESSAGE_CONTENT" => told.text.push_str(text(value, "delta")),
            "TOOL_CALL_START" => {
                open.push((text(value, "toolCallId").into(), text(value, "toolCallName").into(), String::new()));
            }
            "TOOL_CALL_ARGS" => {
                let call = open.iter_mut().find(|(id, ..)| *id == text(value, "toolCallId")).unwrap();
                call.2.push_str(text(value, "delta"));
            }
            "REASONING_MESSAGE_CONTENT" => told.aside.push_str(text(value, "delta")),
            "REASONING_START" | "REASONING_MESSAGE_START" | "REASONING_MESSAGE_END" | "REASONING_END" => {}
            "TEXT_MESSAGE_END" | "TOOL_CALL_END" | "STATE_SNAPSHOT" => {}
            "RUN_FINISHED" => {
                told.finish = Some(match text(&value["outcome"], "type") {
                    "interrupt" => Finish::Interrupt,
                    _ if open.is_empty() => Finish::Done,
                    _ => Finish::Calls,
                });
            }
            "RUN_ERROR" => told.failure = maybe(value, "code"),
            _ => told.aside.push_str(&value.to_string()),
        }
    }
    told.calls = open.iter().map(|(id, name, arguments)| Call::new(id, name, arguments)).collect();
    let usage = &values.last().unwrap()["usage"][0];
    told.usage = tokens(usage, ["inputTokens", "outputTokens", "totalTokens"]);
    told.model = maybe(usage, "model");
    told
}
