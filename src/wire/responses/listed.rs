//! `GET /v1/responses/{id}/input_items`.

use crate::json;
use crate::json::Json;
use serde_json::{Value, json};

/// The items that a run was asked with, from its messages as they are echoed ([`crate::input::Echo::messages`]): at most
/// `limit`, those behind the one of the id `after`, newest first unless `ascending`.
pub fn input_items(messages: &[Value], ascending: bool, after: Option<&str>, limit: usize) -> String {
    let mut items: Vec<Value> = messages.iter().flat_map(items).collect();
    if !ascending {
        items.reverse();
    }
    let from = after.and_then(|after| items.iter().position(|item| item.get("id") == Some(&after.into())));
    let mut rest = items.into_iter().skip(from.map_or(0, |at| at + 1));
    let data: Vec<Value> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let id = |item: Option<&Value>| item.and_then(|item| item.get("id")).cloned().unwrap_or_default();
    let (first, last) = (id(data.first()), id(data.last()));
    json::object(|list| {
        let fields: [(&str, &dyn Json); 5] =
            [("object", &"list"), ("data", &data), ("first_id", &first), ("last_id", &last), ("has_more", &more)];
        list.fields(&fields);
    })
}

/// A message as items.
fn items(message: &Value) -> Vec<Value> {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let id = text("id");
    let content = message.get("content");
    match text("role") {
        "tool" => vec![json!({
            "id": format!("fco_{id}"), "type": "function_call_output", "status": "completed",
            "call_id": text("toolCallId"),
            "output": match content { Some(Value::Array(_)) => parts(content, "input_text").into(), _ => json!(text("content")) },
        })],
        "assistant" => {
            let said = !text("content").is_empty();
            let words = said.then(|| said_by("assistant", id, parts(content, "output_text")));
            let calls = message.get("toolCalls").and_then(Value::as_array).into_iter().flatten().map(call);
            words.into_iter().chain(calls).collect()
        }
        role @ ("user" | "system" | "developer") => vec![said_by(role, id, parts(content, "input_text"))],
        _ => Vec::new(),
    }
}

fn said_by(role: &str, id: &str, content: Vec<Value>) -> Value {
    json!({ "id": format!("msg_{id}"), "type": "message", "status": "completed", "role": role, "content": content })
}

fn call(call: &Value) -> Value {
    let function = call.get("function");
    let of = |key: &str| function.and_then(|function| function.get(key)).cloned().unwrap_or_default();
    let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
    json!({
        "id": format!("fc_{id}"), "type": "function_call", "status": "completed",
        "call_id": id, "name": of("name"), "arguments": of("arguments"),
    })
}

fn parts(content: Option<&Value>, kind: &str) -> Vec<Value> {
    let words = |text: &str| match kind {
        "output_text" => json!({ "type": kind, "text": text, "annotations": [], "logprobs": [] }),
        _ => json!({ "type": kind, "text": text }),
    };
    match content {
        Some(Value::String(text)) => vec![words(text)],
        Some(Value::Array(parts)) => parts.iter().map(|part| media(part, &words)).collect(),
        _ => Vec::new(),
    }
}

fn media(part: &Value, words: &dyn Fn(&str) -> Value) -> Value {
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = text(part, "type");
    if kind == "text" {
        return words(&text(part, "text"));
    }
    let source = part.get("source").cloned().unwrap_or_default();
    let value = text(&source, "value");
    let at = text(&source, "type");
    let address = match at.as_str() {
        "data" => format!("data:{};base64,{value}", text(&source, "mimeType")),
        _ => value.clone(),
    };
    match (kind.as_str(), at.as_str()) {
        ("image", "file") => json!({ "type": "input_image", "file_id": value, "detail": "auto" }),
        ("image", _) => json!({ "type": "input_image", "image_url": address, "detail": "auto" }),
        ("audio", _) => {
            let format = if text(&source, "mimeType") == "audio/wav" { "wav" } else { "mp3" };
            json!({ "type": "input_audio", "input_audio": { "data": value, "format": format } })
        }
        ("video", _) => json!({ "type": "input_video", "video_url": address }),
        (_, "file") => json!({ "type": "input_file", "file_id": value }),
        (_, "url") => json!({ "type": "input_file", "file_url": value }),
        _ => json!({ "type": "input_file", "file_data": address }),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    fn messages() -> [Value; 5] {
        let call = json!({ "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{}" } });
        [
            json!({ "id": "r-i-1", "role": "system", "content": "a" }),
            json!({ "id": "r-i-2", "role": "user", "content": [
                { "type": "text", "text": "b" },
                { "type": "image", "source": { "type": "data", "value": "QUJD", "mimeType": "image/png" } },
                { "type": "document", "source": { "type": "file", "value": "f1" } },
            ] }),
            json!({ "id": "r-i-3", "role": "assistant", "content": "c", "toolCalls": [call] }),
            json!({ "id": "r-i-4", "role": "tool", "toolCallId": "c1", "content": "d" }),
            json!({ "id": "r-i-5", "role": "activity", "activityType": "x", "content": {} }),
        ]
    }

    fn page(limit: usize, after: Option<&str>, ascending: bool) -> Value {
        serde_json::from_str(&input_items(&messages(), ascending, after, limit)).unwrap()
    }

    fn ids(list: &Value) -> Vec<&str> {
        list["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
    }

    #[test]
    fn items_come_in_pages_in_either_order() {
        let all = ["msg_r-i-1", "msg_r-i-2", "msg_r-i-3", "fc_c1", "fco_r-i-4"];
        assert_eq!(ids(&page(20, None, true)), all);
        let newest = page(2, None, false);
        assert_eq!(ids(&newest), ["fco_r-i-4", "fc_c1"]);
        assert_eq!((&newest["last_id"], &newest["has_more"]), (&json!("fc_c1"), &json!(true)));
        let rest = page(20, Some("fc_c1"), false);
        assert_eq!((ids(&rest), &rest["has_more"]), (vec!["msg_r-i-3", "msg_r-i-2", "msg_r-i-1"], &json!(false)));
        assert_eq!(page(20, Some("msg_r-i-1"), false)["first_id"], Value::Null);
    }

    #[test]
    fn items_are_what_a_request_may_hold() {
        let input = page(20, None, true)["data"].clone();
        let body = json!({ "input": input }).to_string();
        let names = crate::wire::Names { run: "s", thread: None };
        let asked = super::super::parse(body.as_bytes(), &names, &Default::default()).unwrap();
        let told = asked.input.echo.messages.iter().map(|message| {
            let mut message = message.clone();
            message["id"] = Value::from(message["id"].as_str().unwrap().replace("s-i", "r-i"));
            message
        });
        assert_eq!(told.collect::<Vec<_>>(), messages()[..4]);
    }
}
