//! OpenAI Responses, streamed and whole.

use super::values;
use crate::told::{Call, Finish, Told, maybe, text, tokens};
use lastword::sse::Frame;
use lastword::wire::Document;
use serde_json::{Value, json};

pub fn stream(frames: &[Frame]) -> Told {
    let (last, frames) = frames.split_last().unwrap();
    assert_eq!(last.data, "[DONE]");
    let mut told = Told { refusal: Some(false), ..Told::default() };
    let mut calls: Vec<(u64, String, String, String)> = Vec::new();
    let mut end = None;
    for (at, (event, frame)) in values(frames).iter().zip(frames).enumerate() {
        assert_eq!(frame.event.as_deref(), event["type"].as_str());
        assert_eq!(event["sequence_number"], at, "dense from 0");
        match text(event, "type") {
            "response.output_text.delta" => told.text.push_str(text(event, "delta")),
            "response.refusal.delta" => {
                told.refusal = Some(true);
                told.text.push_str(text(event, "delta"));
            }
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                let (item, place) = (&event["item"], event["output_index"].as_u64().unwrap());
                calls.push((place, text(item, "call_id").into(), text(item, "name").into(), String::new()));
            }
            "response.function_call_arguments.delta" => {
                let call = calls.iter_mut().find(|(place, ..)| event["output_index"] == *place).unwrap();
                call.3.push_str(text(event, "delta"));
            }
            "response.reasoning_summary_text.delta" => told.aside.push_str(text(event, "delta")),
            "error" => told.failure = maybe(&event["error"], "code"),
            "response.completed" | "response.incomplete" | "response.failed" => end = Some(event["response"].clone()),
            _ => {}
        }
    }
    told.calls = calls.iter().map(|(_, id, name, arguments)| Call::new(id, name, arguments)).collect();
    let end = end.unwrap();
    let whole = of_object(&end);
    assert_eq!((&told.text, &told.calls, told.refusal), (&whole.text, &whole.calls, whole.refusal), "as streamed");
    assert_eq!((&told.failure, &told.aside), (&whole.failure, &whole.aside), "as streamed");
    whole
}

pub fn document(document: &Document) -> Told {
    let body: Value = serde_json::from_str(&document.body).unwrap();
    if body.get("object").is_none() {
        assert!(document.status >= 400, "{}", document.status);
        return Told { failure: maybe(&body["error"], "code"), ..Told::default() };
    }
    assert_eq!(document.status, 200);
    of_object(&body)
}

fn of_object(response: &Value) -> Told {
    let mut told = Told { refusal: Some(false), ..Told::default() };
    for item in response["output"].as_array().unwrap() {
        match text(item, "type") {
            "message" => {
                for part in item["content"].as_array().unwrap() {
                    told.refusal = Some(part["type"] == "refusal");
                    told.text.push_str(part["text"].as_str().or(part["refusal"].as_str()).unwrap());
                }
            }
            "function_call" => {
                told.calls.push(Call::new(text(item, "call_id"), text(item, "name"), text(item, "arguments")));
            }
            "reasoning" => {
                let parts = item["summary"].as_array().unwrap();
                parts.iter().for_each(|part| told.aside.push_str(text(part, "text")));
            }
            other => panic!("{other}"),
        }
    }
    let status = text(response, "status");
    told.failure = maybe(&response["error"], "code");
    told.truncated = Some(response["incomplete_details"] == json!({"reason": "max_output_tokens"}));
    told.finish = match status {
        "completed" | "incomplete" if told.calls.is_empty() => Some(Finish::Done),
        "completed" => Some(Finish::Calls),
        "failed" | "cancelled" => None,
        other => panic!("{other}"),
    };
    assert_eq!(told.failure.is_some(), told.finish.is_none());
    told.usage = tokens(&response["usage"], ["input_tokens", "output_tokens", "total_tokens"]);
    told.model = maybe(response, "model");
    told.timing = response.get("timing").cloned();
    told.id = maybe(response, "id");
    told
}
