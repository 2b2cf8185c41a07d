//! The rules of a Responses stream, checked frame by frame: what is where, in which order, and that what is said at the
//! end is what was said on the way.

use lastword::sse::Frame;
use serde_json::{Map, Value};

/// One item as the stream has told it.
struct Item {
    value: Value,
    /// The open part: its text so far, and whether its end was said.
    part: Option<(String, bool, bool)>,
    arguments: String,
    whole: bool,
    done: bool,
}

/// Checks a whole stream; the final Response.
pub fn check(frames: &[Frame]) -> Result<Value, String> {
    let (last, events) = frames.split_last().ok_or("no frames")?;
    if (last.data.as_str(), &last.event) != ("[DONE]", &None) {
        return Err(format!("it ends with {last:?}"));
    }
    let mut items: Vec<Item> = Vec::new();
    let (mut id, mut end, mut error) = (None, None, None);
    for (seq, frame) in events.iter().enumerate() {
        let value: Value = serde_json::from_str(&frame.data).map_err(|error| error.to_string())?;
        let at = |what: &str| format!("{what}, at {seq}: {}", frame.data);
        if end.is_some() || frame.id.is_some() || frame.data.contains(['\n', '\r']) {
            return Err(at("frame"));
        }
        let kind = value["type"].as_str().unwrap_or_default();
        if frame.event.as_deref() != Some(kind) || value["sequence_number"] != seq {
            return Err(at("name or number"));
        }
        let prologue = match seq {
            0 => kind == "response.created",
            1 => matches!(kind, "response.queued" | "response.in_progress"),
            _ => true,
        };
        if !prologue {
            return Err(at("order"));
        }
        if let Some(response) = value.get("response") {
            response_is_whole(response).map_err(|what| at(&what))?;
            if *id.get_or_insert_with(|| response["id"].clone()) != response["id"] {
                return Err(at("another id"));
            }
        }
        match kind {
            "response.created" | "response.queued" | "response.in_progress" => {
                let statuses: &[&str] = match kind {
                    "response.created" => &["queued", "in_progress"],
                    "response.queued" => &["queued"],
                    _ => &["in_progress"],
                };
                let response = &value["response"];
                let fresh = statuses.iter().any(|status| response["status"] == *status);
                if !fresh || response["output"] != Value::Array(Vec::new()) || !response["usage"].is_null() || seq > 2 {
                    return Err(at("a response that begins"));
                }
            }
            "error" => {
                let told = &value["error"];
                if !told["code"].is_string() || !told["message"].is_string() || !told["type"].is_string() {
                    return Err(at("error"));
                }
                error = Some(told.clone());
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = &value["response"];
                ends(kind, response, error.as_ref(), &items).map_err(|what| at(&what))?;
                end = Some(response.clone());
            }
            _ => of_item(kind, &value, &mut items).map_err(|what| at(&what))?,
        }
    }
    end.ok_or_else(|| "no end".to_owned())
}

/// The keys that Open Responses demands.
const KEYS: [&str; 30] = [
    "id",
    "object",
    "created_at",
    "completed_at",
    "status",
    "incomplete_details",
    "model",
    "previous_response_id",
    "instructions",
    "output",
    "error",
    "tools",
    "tool_choice",
    "truncation",
    "parallel_tool_calls",
    "text",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "top_logprobs",
    "temperature",
    "reasoning",
    "usage",
    "max_output_tokens",
    "max_tool_calls",
    "store",
    "background",
    "service_tier",
    "metadata",
    "safety_identifier",
];

pub fn response_is_whole(response: &Value) -> Result<(), String> {
    let members = response.as_object().ok_or("no object")?;
    let missing = KEYS.iter().chain(&["prompt_cache_key"]).find(|key| !members.contains_key(**key));
    if let Some(missing) = missing {
        return Err(format!("without {missing}"));
    }
    let known = ["completed", "failed", "in_progress", "cancelled", "queued", "incomplete"];
    if !known.iter().any(|status| response["status"] == *status) || response["object"] != "response" {
        return Err("status or object".into());
    }
    let (status, error) = (&response["status"], &response["error"]);
    let dead = status == "failed" || status == "cancelled";
    if dead == error.is_null() || (status == "completed") == response["completed_at"].is_null() {
        return Err("error or time".into());
    }
    if (status == "incomplete") == response["incomplete_details"].is_null() {
        return Err("incomplete".into());
    }
    if let Some(usage) = response["usage"].as_object() {
        let number = |value: &Value| value.is_u64();
        let whole = ["input_tokens", "output_tokens", "total_tokens"].iter().all(|key| number(&usage[*key]));
        let detail = number(&usage["input_tokens_details"]["cached_tokens"])
            && number(&usage["output_tokens_details"]["reasoning_tokens"]);
        if !whole || !detail {
            return Err("usage".into());
        }
    }
    response["output"].as_array().ok_or("output")?.iter().try_for_each(item_is_whole)
}

fn item_is_whole(item: &Value) -> Result<(), String> {
    let strings = |keys: &[&str]| match keys.iter().find(|key| !item[**key].is_string()) {
        Some(key) => Err(format!("an item without {key}")),
        None => Ok(()),
    };
    strings(&["id", "type"])?;
    match item["type"].as_str().unwrap_or_default() {
        "message" => {
            strings(&["status", "role"])?;
            item["content"].as_array().ok_or("content")?.iter().try_for_each(part_is_whole)
        }
        "reasoning" => item["summary"].as_array().ok_or("summary")?.iter().try_for_each(part_is_whole),
        "function_call" => strings(&["status", "call_id", "name", "arguments"]),
        other => Err(format!("an item of type {other}")),
    }
}

fn part_is_whole(part: &Value) -> Result<(), String> {
    let whole = match part["type"].as_str().unwrap_or_default() {
        "output_text" => part["text"].is_string() && part["annotations"].is_array() && part["logprobs"].is_array(),
        "refusal" => part["refusal"].is_string(),
        "summary_text" => part["text"].is_string(),
        _ => false,
    };
    if whole { Ok(()) } else { Err("a part".into()) }
}

fn of_item(kind: &str, value: &Value, items: &mut Vec<Item>) -> Result<(), String> {
    let index = value["output_index"].as_u64().ok_or("no output_index")? as usize;
    if kind == "response.output_item.added" {
        let item = &value["item"];
        item_is_whole(item)?;
        let empty = ["content", "summary"].iter().all(|key| item[*key].as_array().is_none_or(Vec::is_empty));
        let status = item["type"] == "reasoning" || item["status"] == "in_progress";
        if index != items.len() || !empty || !status || !item["arguments"].as_str().unwrap_or_default().is_empty() {
            return Err("an item that begins".into());
        }
        if items.iter().any(|known| known.value["id"] == item["id"]) {
            return Err("an id twice".into());
        }
        let value = item.clone();
        items.push(Item { value, part: None, arguments: String::new(), whole: false, done: false });
        return Ok(());
    }
    let item = items.get_mut(index).filter(|item| !item.done).ok_or("no open item there")?;
    if kind == "response.output_item.done" {
        return item_ends(item, &value["item"]);
    }
    let of = item.value["type"].as_str().unwrap_or_default().to_owned();
    let zero = match of.as_str() {
        "message" => value["content_index"] == 0,
        "reasoning" => value["summary_index"] == 0,
        _ => true,
    };
    if value["item_id"] != item.value["id"] || !zero {
        return Err("place".into());
    }
    let text = |key: &str| value[key].as_str().ok_or_else(|| format!("no {key}"));
    match (of.as_str(), kind) {
        ("message", "response.content_part.added") | ("reasoning", "response.reasoning_summary_part.added") => {
            part_is_whole(&value["part"])?;
            if item.part.is_some() || !said(&value["part"]).is_empty() {
                return Err("a part that begins".into());
            }
            item.part = Some((String::new(), false, false));
        }
        ("message", "response.output_text.delta" | "response.refusal.delta")
        | ("reasoning", "response.reasoning_summary_text.delta") => {
            if kind == "response.output_text.delta" && !value["logprobs"].is_array() {
                return Err("no logprobs".into());
            }
            match &mut item.part {
                Some((so_far, false, false)) => so_far.push_str(text("delta")?),
                _ => return Err("no open part".into()),
            }
            if text("delta")?.is_empty() || value.to_string().len() > lastword::wire::DELTA_FRAME {
                return Err("the size of a delta".into());
            }
        }
        ("message", "response.output_text.done" | "response.refusal.done")
        | ("reasoning", "response.reasoning_summary_text.done") => {
            let key = if kind == "response.refusal.done" { "refusal" } else { "text" };
            match &mut item.part {
                Some((so_far, ended @ false, false)) if so_far == text(key)? => *ended = true,
                _ => return Err("a text that ends".into()),
            }
        }
        ("message", "response.content_part.done") | ("reasoning", "response.reasoning_summary_part.done") => {
            part_is_whole(&value["part"])?;
            match &mut item.part {
                Some((so_far, true, ended @ false)) if so_far == said(&value["part"]) => *ended = true,
                _ => return Err("a part that ends".into()),
            }
        }
        ("function_call", "response.function_call_arguments.delta") => {
            if item.whole || text("delta")?.is_empty() || value.to_string().len() > lastword::wire::DELTA_FRAME {
                return Err("a delta".into());
            }
            item.arguments.push_str(text("delta")?);
        }
        ("function_call", "response.function_call_arguments.done") => {
            if item.whole || item.arguments != text("arguments")? || value["name"] != item.value["name"] {
                return Err("arguments that end".into());
            }
            item.whole = true;
        }
        _ => return Err("an event that this item has not".into()),
    }
    Ok(())
}

fn said(part: &Value) -> &str {
    part["refusal"].as_str().or(part["text"].as_str()).unwrap_or_default()
}

/// What the end of an item says is what was said of it.
fn item_ends(item: &mut Item, value: &Value) -> Result<(), String> {
    item_is_whole(value)?;
    for key in ["id", "type", "call_id", "name", "role"] {
        if value[key] != item.value[key] {
            return Err(format!("another {key}"));
        }
    }
    let parts = value["content"].as_array().or(value["summary"].as_array()).cloned().unwrap_or_default();
    let fits = match value["type"].as_str().unwrap_or_default() {
        "function_call" => item.whole && value["arguments"] == item.arguments.as_str(),
        // Withdrawn: nothing of it stands.
        "message" if parts.is_empty() => value["status"] == "incomplete",
        "message" => value["status"] != "in_progress" && whole(&item.part) == Some(said(&parts[0])) && parts.len() == 1,
        _ => whole(&item.part).unwrap_or_default() == parts.first().map(said).unwrap_or_default(),
    };
    if !fits {
        return Err("an item that ends".into());
    }
    item.value = value.clone();
    item.done = true;
    Ok(())
}

fn whole(part: &Option<(String, bool, bool)>) -> Option<&str> {
    part.as_ref().filter(|(_, text, part)| *text && *part).map(|(text, _, _)| text.as_str())
}

/// The end's word fits its status, its error, and the items as they ended.
fn ends(kind: &str, response: &Value, error: Option<&Value>, items: &[Item]) -> Result<(), String> {
    let statuses: &[&str] = match kind {
        "response.completed" => &["completed"],
        "response.incomplete" => &["incomplete"],
        _ => &["failed", "cancelled"],
    };
    if !statuses.iter().any(|status| response["status"] == *status) {
        return Err("status".into());
    }
    let told = |of: &Value| (of["code"].clone(), of["message"].clone());
    if error.map(told) != Some(&response["error"]).filter(|error| !error.is_null()).map(told) {
        return Err("error".into());
    }
    let output = response["output"].as_array().ok_or("output")?;
    if output.len() != items.len() || items.iter().any(|item| !item.done) {
        return Err("items".into());
    }
    for (item, last) in items.iter().zip(output) {
        let withdrawn = error.is_some() && last["content"].as_array().is_some_and(Vec::is_empty);
        if item.value != *last && !(withdrawn && last["id"] == item.value["id"]) && !left_out(last) {
            return Err(format!("an item that is not as it ended: {last}"));
        }
        if error.is_some() && last["type"] == "message" && !withdrawn {
            return Err("an unpublished message".into());
        }
    }
    Ok(())
}

/// Reasoning past the bound of a Response.
fn left_out(item: &Value) -> bool {
    let none = Map::new();
    let members = item.as_object().unwrap_or(&none);
    members.get("type").is_some_and(|kind| kind == "reasoning") && item["summary"].as_array().is_some_and(Vec::is_empty)
}
