//! Anthropic Messages, streamed and whole.

use crate::told::{Call, Finish, Told, maybe, text};
use lastword::sse::Frame;
use lastword::wire::Document;
use serde_json::Value;

pub fn stream(frames: &[Frame]) -> Told {
    let mut told = Told { refusal: Some(false), ..Told::default() };
    let mut blocks: Vec<Value> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for frame in frames {
        let event: Value = serde_json::from_str(&frame.data).unwrap();
        assert_eq!(frame.event.as_deref(), event["type"].as_str(), "the name is the type");
        match text(&event, "type") {
            "message_start" => {
                told.id = maybe(&event["message"], "id");
                told.model = maybe(&event["message"], "model");
            }
            "content_block_start" => {
                assert_eq!(event["index"], blocks.len());
                blocks.push(event["content_block"].clone());
                said.push(String::new());
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                let member = ["text", "thinking", "partial_json"].into_iter().find_map(|key| delta[key].as_str());
                assert_eq!(event["index"], blocks.len() - 1);
                said.last_mut().unwrap().push_str(member.unwrap());
            }
            "message_delta" => ended(&mut told, &event["delta"], &event),
            "error" => told.failure = maybe(&event["error"], "code"),
            "content_block_stop" | "message_stop" | "ping" => {}
            other => panic!("{other}"),
        }
    }
    for (block, said) in blocks.iter().zip(said) {
        match text(block, "type") {
            "tool_use" => told.calls.push(Call::new(text(block, "id"), text(block, "name"), &said)),
            "text" => told.text.push_str(&said),
            _ => told.aside.push_str(&said),
        }
    }
    told
}

pub fn document(document: &Document) -> Told {
    let body: Value = serde_json::from_str(&document.body).unwrap();
    let mut told = Told { refusal: Some(false), ..Told::default() };
    if body["type"] == "error" {
        assert!(document.status >= 400, "{}", document.status);
        told.failure = maybe(&body["error"], "code");
        return told;
    }
    assert_eq!(document.status, 200);
    for block in body["content"].as_array().unwrap() {
        match text(block, "type") {
            "tool_use" => told.calls.push(Call {
                id: text(block, "id").into(),
                name: text(block, "name").into(),
                arguments: block["input"].clone(),
            }),
            "text" => told.text.push_str(text(block, "text")),
            "thinking" => told.aside.push_str(text(block, "thinking")),
            other => panic!("{other}"),
        }
    }
    told.id = maybe(&body, "id");
    told.model = maybe(&body, "model");
    ended(&mut told, &body, &body);
    told
}

fn ended(told: &mut Told, delta: &Value, cost: &Value) {
    let reason = text(delta, "stop_reason");
    told.refusal = Some(reason == "refusal");
    told.truncated = Some(reason == "max_tokens");
    told.finish = Some(match reason {
        "end_turn" | "refusal" | "max_tokens" => Finish::Done,
        "tool_use" => Finish::Calls,
        other => panic!("{other}"),
    });
    let count = |name: &str| cost["usage"][name].as_u64().unwrap_or_default();
    // Those that a cache had to do with are counted beside the others.
    let read = count("input_tokens") + count("cache_creation_input_tokens") + count("cache_read_input_tokens");
    let written = count("output_tokens");
    told.usage = Some((read, written, read + written)).filter(|(.., total)| *total > 0);
    told.timing = cost.get("timing").cloned();
}
