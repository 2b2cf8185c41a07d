//! What makes two requests the same, as the fingerprint takes it.
//!
//! In: what users, tools and the instructions say, the tools, the context, the resume entries and the
//! model. Out: what an assistant, its reasoning or an activity said and the state, since a client that
//! sends a run again sends back what the run gave it; and ids and metadata, which say nothing.

use crate::wire::fingerprint::Canon;
use serde_json::{Map, Value};

/// The canonical value of a request that the parser has accepted.
pub(super) fn subject<'a>(body: &'a Map<String, Value>, model: Option<&'a str>) -> Canon<'a> {
    let mut map = vec![("messages", Canon::List(items(body, "messages").filter_map(message).collect()))];
    let lists = [("tools", &["name", "description", "parameters"][..]), ("context", &["description", "value"])];
    for (key, members) in lists {
        let entries: Vec<_> = items(body, key).map(|item| pick(item, members)).collect();
        if !entries.is_empty() {
            map.push((key, Canon::List(entries)));
        }
    }
    let resume: Vec<_> = items(body, "resume").map(Canon::Json).collect();
    if !resume.is_empty() {
        map.push(("resume", Canon::List(resume)));
    }
    if let Some(model) = model {
        map.push(("model", Canon::Text(model)));
    }
    Canon::Map(map)
}

fn items<'a>(body: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    body.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn message(value: &Value) -> Option<Canon<'_>> {
    if !matches!(value.get("role")?.as_str()?, "user" | "tool" | "system" | "developer") {
        return None;
    }
    let mut picked = members(value, &["role", "name", "toolCallId", "error"]);
    let content = value.get("content")?;
    picked.push(("content", content.as_array().map_or(Canon::Json(content), |parts| parts_of(parts))));
    Some(Canon::Map(picked))
}

fn parts_of(parts: &[Value]) -> Canon<'_> {
    Canon::List(parts.iter().map(part).collect())
}

/// A part without what says nothing. A `binary` part's id is where its bytes are, so that stays.
fn part(value: &Value) -> Canon<'_> {
    let mut picked = members(value, &["type", "text", "mimeType", "data", "url"]);
    if value.get("type").and_then(Value::as_str) == Some("binary") {
        picked.extend(members(value, &["id"]));
    }
    if let Some(source) = value.get("source") {
        picked.push(("source", pick(source, &["type", "value", "mimeType", "provider"])));
    }
    Canon::Map(picked)
}

fn pick<'a>(value: &'a Value, keys: &[&'static str]) -> Canon<'a> {
    Canon::Map(members(value, keys))
}

/// The members that are there; null counts as left out.
fn members<'a>(value: &'a Value, keys: &[&'static str]) -> Vec<(&'a str, Canon<'a>)> {
    let present = |key: &&'static str| Some((*key, Canon::Json(value.get(key).filter(|member| !member.is_null())?)));
    keys.iter().filter_map(present).collect()
}
