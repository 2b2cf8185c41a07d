//! OpenAI Chat Completions, streamed with usage, and whole.

use crate::told::{Call, Finish, Told, maybe, text, tokens};
use lastword::sse::Frame;
use lastword::wire::Document;
use serde_json::Value;

const TOKENS: [&str; 3] = ["prompt_tokens", "completion_tokens", "total_tokens"];

pub fn stream(frames: &[Frame]) -> Told {
    let mut told = Told { refusal: Some(false), ..Told::default() };
    let mut calls: Vec<(String, String, String)> = Vec::new();
    let done = frames.last().unwrap().data == "[DONE]";
    for frame in frames.iter().filter(|frame| frame.data != "[DONE]") {
        let chunk: Value = serde_json::from_str(&frame.data).unwrap();
        if let Some(error) = chunk.get("error") {
            told.failure = maybe(error, "code");
            continue;
        }
        told.id = maybe(&chunk, "id");
        told.model = maybe(&chunk, "model");
        if let Some(usage) = chunk["usage"].as_object() {
            told.usage = tokens(&usage.clone().into(), TOKENS);
        }
        told.timing = chunk.get("timing").cloned().or(told.timing);
        let Some(choice) = chunk["choices"].get(0) else { continue };
        let delta = &choice["delta"];
        told.text.push_str(delta["content"].as_str().unwrap_or_default());
        if let Some(refusal) = delta["refusal"].as_str() {
            told.refusal = Some(true);
            told.text.push_str(refusal);
        }
        told.aside.push_str(delta["reasoning_content"].as_str().unwrap_or_default());
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = call["index"].as_u64().unwrap() as usize;
            if index == calls.len() {
                calls.push((text(call, "id").into(), text(&call["function"], "name").into(), String::new()));
            }
            calls[index].2.push_str(text(&call["function"], "arguments"));
        }
        finish(&mut told, choice["finish_reason"].as_str());
    }
    assert_eq!(done, told.failure.is_none());
    told.calls = calls.iter().map(|(id, name, arguments)| Call::new(id, name, arguments)).collect();
    told
}

pub fn document(document: &Document) -> Told {
    let body: Value = serde_json::from_str(&document.body).unwrap();
    let mut told = Told { refusal: Some(false), ..Told::default() };
    if let Some(error) = body.get("error") {
        assert!(document.status >= 400, "{}", document.status);
        told.failure = maybe(error, "code");
        return told;
    }
    assert_eq!(document.status, 200);
    let message = &body["choices"][0]["message"];
    told.refusal = Some(message["refusal"].is_string());
    told.text = maybe(message, "content").or_else(|| maybe(message, "refusal")).unwrap_or_default();
    told.aside = maybe(message, "reasoning_content").unwrap_or_default();
    let call = |call: &Value| {
        let function = &call["function"];
        Call::new(text(call, "id"), text(function, "name"), text(function, "arguments"))
    };
    told.calls = message["tool_calls"].as_array().into_iter().flatten().map(call).collect();
    finish(&mut told, body["choices"][0]["finish_reason"].as_str());
    told.usage = tokens(&body["usage"], TOKENS);
    told.model = maybe(&body, "model");
    told.timing = body.get("timing").cloned();
    told.id = maybe(&body, "id");
    told
}

fn finish(told: &mut Told, reason: Option<&str>) {
    let Some(reason) = reason else { return };
    assert!(told.finish.is_none(), "one end");
    told.truncated = Some(reason == "length");
    told.finish = Some(match reason {
        "stop" | "length" => Finish::Done,
        "tool_calls" => Finish::Calls,
        other => panic!("{other}"),
    });
}
