//! What version 5 of the AI SDK's client takes, written down once more: types with their members, and their order.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Types with the members that must be there; `?` marks those that may be. `approval` is all that version 5 lacks.
const TYPES: &[(&str, &[&str])] = &[
    ("start", &["messageId:s", "?messageMetadata:o"]),
    ("start-step", &[]),
    ("finish-step", &[]),
    ("text-start", &["id:s"]),
    ("text-delta", &["id:s", "delta:s"]),
    ("text-end", &["id:s"]),
    ("reasoning-start", &["id:s"]),
    ("reasoning-delta", &["id:s", "delta:s"]),
    ("reasoning-end", &["id:s"]),
    ("tool-input-start", &["toolCallId:s", "toolName:s", "?providerExecuted:b", "?dynamic:b"]),
    ("tool-input-delta", &["toolCallId:s", "inputTextDelta:s"]),
    ("tool-input-available", &["toolCallId:s", "toolName:s", "input:a", "?providerExecuted:b", "?dynamic:b"]),
    ("tool-input-error", &["toolCallId:s", "toolName:s", "input:a", "errorText:s"]),
    ("tool-output-available", &["toolCallId:s", "output:a", "?providerExecuted:b", "?dynamic:b"]),
    ("tool-output-error", &["toolCallId:s", "errorText:s", "?providerExecuted:b", "?dynamic:b"]),
    ("tool-approval-request", &["approvalId:s", "toolCallId:s", "?reason:s"]),
    ("source-url", &["sourceId:s", "url:s", "?title:s"]),
    ("message-metadata", &["messageMetadata:o"]),
    ("finish", &["finishReason:s", "messageMetadata:o"]),
    ("abort", &[]),
    ("error", &["errorText:s"]),
];

/// The part, if it is one that every client knows and holds nothing else.
pub fn typed(line: &str) -> Result<Option<Value>, String> {
    if line == "[DONE]" {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    if !line.starts_with(&format!("{{\"type\":\"{kind}\"")) {
        return Err(format!("the type does not come first: {line}"));
    }
    let members: &[&str] = match TYPES.iter().find(|(name, _)| *name == kind) {
        Some((_, members)) => members,
        None if kind.starts_with("data-") => &["data:a", "?id:s", "?transient:b"],
        None => return Err(format!("no type that a client knows: {line}")),
    };
    let mut left: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    left.remove("type");
    for member in members {
        let (name, form) = member.trim_start_matches('?').split_once(':').unwrap();
        left.remove(name);
        let is = match (value.get(name), form) {
            (None, _) => member.starts_with('?'),
            (Some(value), "s") => value.is_string(),
            (Some(value), "b") => value == &Value::Bool(true),
            (Some(value), "o") => value.is_object(),
            _ => true,
        };
        if !is {
            return Err(format!("{name} is not what it must be: {line}"));
        }
    }
    match left.is_empty() {
        true => Ok(Some(value)),
        false => Err(format!("{left:?} is unknown to strict clients: {line}")),
    }
}

/// A client that reads along.
#[derive(Default)]
pub struct Checker {
    started: bool,
    step: bool,
    open: BTreeSet<(String, String)>,
    closed: BTreeSet<(String, String)>,
    calls: BTreeMap<String, &'static str>,
    ended: bool,
    done: bool,
    texts: Vec<(String, String)>,
}

impl Checker {
    /// A client that has that message already, unless it is told it anew.
    pub fn of(request: Option<&Value>, whole: bool) -> Self {
        let mut checker = Checker::default();
        let parts = request.filter(|_| !whole).and_then(|request| request["ui_message"]["parts"].as_array());
        for part in parts.into_iter().flatten() {
            if let Some(id) = part["toolCallId"].as_str() {
                checker.calls.insert(id.to_owned(), "whole");
            }
        }
        checker
    }

    /// What texts of such ids have said.
    pub fn text(&self, wanted: impl Fn(&str) -> bool) -> String {
        self.texts.iter().filter(|(id, _)| wanted(id)).map(|(_, text)| text.as_str()).collect()
    }

    pub fn take(&mut self, line: &str) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{what}: {line}"));
        if self.done {
            return wrong("behind the end");
        }
        let Some(part) = typed(line)? else {
            self.done = true;
            return if self.ended { Ok(()) } else { wrong("[DONE] before the end") };
        };
        let text = |key: &str| part[key].as_str().unwrap_or_default().to_owned();
        let kind = text("type");
        if self.ended {
            return wrong("behind the terminal");
        }
        if (kind == "start") == self.started {
            return wrong("start comes first and once");
        }
        let (family, act) = kind.rsplit_once('-').unwrap_or((&kind, ""));
        let scope = (family.to_owned(), text("id"));
        match kind.as_str() {
            "start" => self.started = true,
            "start-step" if self.step || !self.open.is_empty() => return wrong("a step in a step"),
            "start-step" => self.step = true,
            "finish-step" if !self.step || !self.open.is_empty() => return wrong("no step, or something open in it"),
            "finish-step" => self.step = false,
            "finish" | "abort" | "error" => {
                if self.step || !self.open.is_empty() || self.calls.values().any(|state| *state == "open") {
                    return wrong("the end inside a step");
                }
                let reasons = ["stop", "length", "content-filter", "tool-calls", "error", "other"];
                if kind == "finish" && !reasons.contains(&text("finishReason").as_str()) {
                    return wrong("an unknown reason");
                }
                self.ended = true;
            }
            "message-metadata" => {}
            _ if kind.starts_with("data-") && part["transient"] == true => {}
            _ if !self.step => return wrong("outside a step"),
            _ if kind.starts_with("data-") || kind.starts_with("source-") => {}
            _ if kind.starts_with("tool-") => return self.call(&kind, &text("toolCallId"), line),
            _ => match act {
                "start" if self.closed.contains(&scope) || !self.open.insert(scope.clone()) => return wrong("twice"),
                "start" => {}
                "delta" if !self.open.contains(&scope) => return wrong("not open"),
                "delta" if text("delta").is_empty() => return wrong("empty"),
                "delta" if family == "text" => self.texts.push((scope.1, text("delta"))),
                "delta" => {}
                _ if !self.open.remove(&scope) => return wrong("not open"),
                _ => drop(self.closed.insert(scope)),
            },
        }
        Ok(())
    }

    fn call(&mut self, kind: &str, call: &str, line: &str) -> Result<(), String> {
        let state = self.calls.get(call).copied();
        let next = match (kind, state) {
            ("tool-input-start", None) => "open",
            ("tool-input-delta", Some("open")) => "open",
            ("tool-input-available" | "tool-input-error", Some("open")) => "whole",
            ("tool-output-available" | "tool-output-error", Some("open" | "whole" | "asked")) => "done",
            ("tool-approval-request", Some(_)) => "asked",
            _ => return Err(format!("no call that this fits: {line}")),
        };
        self.calls.insert(call.to_owned(), next);
        Ok(())
    }

    pub fn end(&self) -> Result<(), String> {
        if self.done { Ok(()) } else { Err("no end".to_owned()) }
    }
}
