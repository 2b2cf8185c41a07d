//! The shape of AG-UI 1.0 events, as the official client enforces it: required and optional fields,
//! no null in an optional one, nothing that it would strip with a warning.

use serde_json::Value;

/// Required and optional fields, besides `type` and `timestamp`.
fn fields(kind: &str) -> Option<(&'static [&'static str], &'static [&'static str])> {
    Some(match kind {
        "RUN_STARTED" => (&["threadId", "runId"], &["protocolVersion"]),
        "RUN_FINISHED" => (&["threadId", "runId"], &["outcome", "usage"]),
        "RUN_ERROR" => (&["message"], &["code", "usage"]),
        "TEXT_MESSAGE_START" => (&["messageId"], &["role"]),
        "REASONING_MESSAGE_START" => (&["messageId", "role"], &[]),
        "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" => (&["messageId", "delta"], &[]),
        "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END" => (&["messageId"], &[]),
        "TOOL_CALL_START" => (&["toolCallId", "toolCallName"], &["parentMessageId"]),
        "TOOL_CALL_ARGS" => (&["toolCallId", "delta"], &[]),
        "TOOL_CALL_END" => (&["toolCallId"], &[]),
        "TOOL_CALL_RESULT" => (&["messageId", "toolCallId", "content", "role"], &[]),
        "ACTIVITY_SNAPSHOT" => (&["messageId", "activityType", "content"], &[]),
        "CUSTOM" => (&["name", "value"], &[]),
        "STATE_SNAPSHOT" => (&["snapshot"], &[]),
        "MESSAGES_SNAPSHOT" => (&["messages"], &["metadata"]),
        _ => return None,
    })
}

/// Says what the official client would fail on or warn about.
pub fn check(event: &Value) -> Result<(), String> {
    let map = event.as_object().ok_or("not an object")?;
    let kind = event["type"].as_str().ok_or("no type")?;
    let (required, optional) = fields(kind).ok_or_else(|| format!("unknown type {kind}"))?;
    for key in required {
        map.get(*key).ok_or_else(|| format!("{kind} without {key}"))?;
    }
    for (key, value) in map {
        let known = required.contains(&key.as_str()) || optional.contains(&key.as_str());
        match key.as_str() {
            "type" => {}
            "timestamp" if value.as_u64().is_some_and(|number| number < 1 << 53) => {}
            "snapshot" | "value" if known => {}
            "metadata" if known && value["@ag-ui/client"]["authoritativeActivityTypes"].is_array() => {}
            "content" if known && kind == "ACTIVITY_SNAPSHOT" && value.is_object() => {}
            "messages" if known => messages(value)?,
            "outcome" if known => outcome(value)?,
            "usage" if known => usage(value)?,
            _ if known && value.is_string() => {}
            _ => return Err(format!("{kind}.{key}: {value}")),
        }
    }
    if kind == "REASONING_MESSAGE_START" && event["role"] != "reasoning" {
        return Err("role is not reasoning".into());
    }
    Ok(())
}

fn messages(value: &Value) -> Result<(), String> {
    for message in value.as_array().ok_or("messages is no array")? {
        let text = |key: &str| message[key].is_string();
        let good = match message["role"].as_str() {
            Some("reasoning" | "system" | "developer") => text("id") && text("content"),
            Some("tool") => text("id") && text("content") && text("toolCallId"),
            Some("activity") => text("id") && text("activityType") && message["content"].is_object(),
            Some("user") => text("id") && (text("content") || message["content"].is_array()),
            Some("assistant") => text("id") && (text("content") || message.get("content").is_none()) && calls(message),
            _ => false,
        };
        let nulls = message.as_object().is_some_and(|map| map.values().any(Value::is_null));
        if !good || nulls {
            return Err(format!("message {message}"));
        }
    }
    Ok(())
}

fn calls(message: &Value) -> bool {
    let Some(calls) = message.get("toolCalls") else { return true };
    calls.as_array().is_some_and(|calls| {
        calls.iter().all(|call| {
            let function = &call["function"];
            call["type"] == "function"
                && call["id"].is_string()
                && function["name"].is_string()
                && function["arguments"].is_string()
        })
    })
}

fn outcome(value: &Value) -> Result<(), String> {
    let keys: Vec<&str> = value.as_object().ok_or("outcome is no object")?.keys().map(String::as_str).collect();
    let good = match value["type"].as_str() {
        Some("success") => match value.get("pendingToolCallIds") {
            Some(ids) => keys.len() == 2 && ids.as_array().is_some_and(|ids| ids.iter().all(Value::is_string)),
            None => keys.len() == 1,
        },
        Some("cancelled") => keys.len() == 1,
        Some("interrupt") => keys.len() == 2 && interrupts(&value["interrupts"]),
        _ => false,
    };
    if good { Ok(()) } else { Err(format!("outcome {value}")) }
}

fn interrupts(value: &Value) -> bool {
    let known = |key: &str, value: &Value| match key {
        "id" | "reason" | "message" | "toolCallId" | "expiresAt" => value.is_string(),
        "responseSchema" | "metadata" => value.is_object(),
        _ => false,
    };
    let good = |interrupt: &Value| {
        let map = interrupt.as_object().unwrap();
        map.contains_key("id") && map.contains_key("reason") && map.iter().all(|(key, value)| known(key, value))
    };
    value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(good))
}

fn usage(value: &Value) -> Result<(), String> {
    const COUNTS: [&str; 6] =
        ["inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"];
    for entry in value.as_array().ok_or("usage is no array")? {
        for (key, value) in entry.as_object().ok_or("usage entry is no object")? {
            let count = COUNTS.contains(&key.as_str()) && value.as_u64().is_some_and(|number| number < 1 << 53);
            let model = key == "model" && value.is_string();
            if !count && !model {
                return Err(format!("usage.{key}: {value}"));
            }
        }
    }
    Ok(())
}
