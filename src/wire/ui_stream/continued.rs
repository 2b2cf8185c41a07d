//! The message that a run goes on with: its id, its calls, and its parts for a client that begins anew.

use super::part::{self, Call, Kind};
use super::step::Step;
use crate::positions::Positions;
use crate::sse::Frame;
use serde_json::{Map, Value};

/// The member of [`crate::input::Echo::request`] that holds it.
const KEY: &str = "ui_message";

/// What the core says where a person did not approve and said nothing.
pub(super) const DENIED: &str = "The person did not approve this call. It was not made.";

/// The assistant's message in which the request ended, as it came.
#[derive(Debug)]
pub(super) struct Continued {
    message: Value,
    calls: Positions,
}

impl Continued {
    /// What a run's request keeps of it.
    pub(super) fn request(message: &Value) -> Value {
        Value::Object(Map::from_iter([(KEY.to_owned(), message.clone())]))
    }

    pub(super) fn of(request: &Value) -> Option<Self> {
        let message = request.get(KEY)?.clone();
        let mut calls = Positions::default();
        for (at, part) in parts(&message).enumerate() {
            if let Some(id) = text(part, "toolCallId") {
                calls.insert(id, at);
            }
        }
        Some(Continued { message, calls })
    }

    pub(super) fn id(&self) -> Option<&str> {
        text(&self.message, "id")
    }

    /// True if the message has that call.
    pub(super) fn holds(&self, call: &str) -> bool {
        self.calls.contains(call)
    }

    /// The message's parts, so that a client which has none of them has them all. What it has been told only once is
    /// not told again.
    pub(super) fn write(&self, step: &mut Step, out: &mut Vec<Frame>) {
        for (at, part) in parts(&self.message).enumerate() {
            let kind = text(part, "type").unwrap_or_default();
            match kind {
                "step-start" => step.start(out),
                "text" => said(Kind::Text, at, part, step, out),
                "reasoning" => said(Kind::Reasoning, at, part, step, out),
                "dynamic-tool" => called(part, text(part, "toolName").unwrap_or_default(), true, step, out),
                "source-url" => same(kind, part, &["sourceId", "url"], out),
                "source-document" => same(kind, part, &["sourceId", "mediaType", "title"], out),
                _ if kind.starts_with("data-") => same(kind, part, &[], out),
                _ => {
                    if let Some(name) = kind.strip_prefix("tool-") {
                        called(part, name, false, step, out);
                    }
                }
            }
        }
    }
}

fn said(kind: Kind, at: usize, part: &Value, step: &mut Step, out: &mut Vec<Frame>) {
    step.enter(None, out);
    step.leave();
    let id = format!("before-{}", at + 1);
    out.push(kind.start(&id));
    kind.deltas(&mut Default::default(), &id, text(part, "text").unwrap_or_default(), out);
    out.push(kind.end(&id));
}

/// A call of the client's that has its result is not said to be whole: on that word the client would run it again.
fn called(part: &Value, name: &str, dynamic: bool, step: &mut Step, out: &mut Vec<Frame>) {
    let (Some(id), Some(state)) = (text(part, "toolCallId"), text(part, "state")) else { return };
    if state == "input-streaming" {
        return;
    }
    step.enter(None, out);
    step.leave();
    let ours = part.get("providerExecuted").and_then(Value::as_bool) == Some(true);
    let call = Call { id, name, ours, dynamic };
    let input = part.get("input").unwrap_or(&Value::Null);
    out.push(call.start());
    match ours || state == "input-available" {
        true => out.push(call.available(input)),
        false => part::arguments(&mut Default::default(), id, &crate::json::text(&input), out),
    }
    let approval = part.get("approval");
    match state {
        "approval-requested" => {
            out.extend(approval.and_then(|approval| text(approval, "id")).map(|id| call.asks(id, None)))
        }
        "output-available" => out.push(call.output(part.get("output").unwrap_or(&Value::Null))),
        "output-error" => out.push(call.failed(text(part, "errorText").unwrap_or_default())),
        "output-denied" => out.push(call.failed(denied(part))),
        _ => {}
    }
}

/// Why a person has not approved.
pub(super) fn denied(part: &Value) -> &str {
    part.get("approval").and_then(|approval| text(approval, "reason")).unwrap_or(DENIED)
}

/// A part that stands in a stream as in a message, if it has those texts. Its other texts and its data go with it.
fn same(kind: &str, part: &Value, demanded: &[&str], out: &mut Vec<Frame>) {
    if demanded.iter().all(|key| text(part, key).is_some()) {
        out.push(part::part(kind, |object| {
            for (name, value) in part.as_object().into_iter().flatten() {
                if name == "data" || (name != "type" && value.is_string()) {
                    object.field(name, value);
                }
            }
        }));
    }
}

pub(super) fn parts(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("parts").and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}
