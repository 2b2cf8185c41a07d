//! The AI SDK's UI message stream.

use super::values;
use crate::told::{Call, Finish, Told, maybe, text, tokens};
use lastword::sse::Frame;
use serde_json::Value;

pub fn read(frames: &[Frame]) -> Told {
    let (last, frames) = frames.split_last().unwrap();
    assert_eq!(last.data, "[DONE]");
    let mut told = Told { refusal: Some(false), ..Told::default() };
    for part in &values(frames) {
        let metadata = &part["messageMetadata"];
        told.model = maybe(metadata, "model").or(told.model);
        told.id = maybe(metadata, "run").or(told.id);
        told.failure = maybe(&metadata["error"], "code").or(told.failure);
        match text(part, "type") {
            "text-start" => told.message = maybe(part, "id"),
            "text-delta" => told.text.push_str(text(part, "delta")),
            "tool-input-available" | "tool-input-error" if part["providerExecuted"] != true => {
                let (id, name) = (text(part, "toolCallId").to_owned(), text(part, "toolName").to_owned());
                told.calls.push(Call { id, name, arguments: part["input"].clone() });
            }
            "finish" => {
                told.finish = Some(finish(text(part, "finishReason"), metadata));
                told.truncated = Some(metadata["truncated"] == true);
                told.refusal = Some(metadata["refusal"] == true);
                told.usage = tokens(&metadata["usage"], ["inputTokens", "outputTokens", "totalTokens"]);
                told.timing = metadata.get("timing").cloned();
            }
            "error" => {
                let code = told.failure.as_deref().unwrap();
                assert!(text(part, "errorText").contains(&format!("({code}")), "the text says the code");
            }
            "reasoning-delta" => told.aside.push_str(text(part, "delta")),
            "data-intermediate" => told.aside.push_str(text(&part["data"], "text")),
            _ => {}
        }
    }
    told
}

fn finish(reason: &str, metadata: &Value) -> Finish {
    match reason {
        "tool-calls" if metadata["interrupts"].is_array() => Finish::Interrupt,
        "tool-calls" => Finish::Calls,
        "stop" | "length" => Finish::Done,
        other => panic!("{other}"),
    }
}
