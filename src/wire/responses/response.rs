//! The Response object, with every key that Open Responses demands.

use super::RESPONSE;
use super::end::End;
use super::item::{Items, Written};
use crate::Millis;
use crate::event::ModelUsage;
use crate::json::{self, Json, NULL, Object, Raw};
use crate::signal::Usage;
use crate::wire::{Context, cost};
use serde_json::Value;

/// What of the request stands in a Response, and what stands there if the request did not say.
const ECHOED: [(&str, &str); 20] = [
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("presence_penalty", "0"),
    ("frequency_penalty", "0"),
    ("previous_response_id", "null"),
    ("prompt_cache_key", "null"),
    ("reasoning", r#"{"effort":null,"summary":null}"#),
    ("safety_identifier", "null"),
    ("service_tier", r#""default""#),
    ("store", "true"),
    ("temperature", "1"),
    ("text", r#"{"format":{"type":"text"}}"#),
    ("tool_choice", r#""auto""#),
    ("tools", "[]"),
    ("top_logprobs", "0"),
    ("top_p", "1"),
    ("truncation", r#""disabled""#),
];

/// A Response as it stands.
pub(super) struct Response<'a> {
    pub(super) cx: &'a Context<'a>,
    pub(super) request: Option<&'a Value>,
    pub(super) items: &'a Items,
    pub(super) status: &'a str,
    /// How it ended, and when.
    pub(super) end: Option<(&'a End<'a>, Millis)>,
}

impl Json for Response<'_> {
    fn write(&self, out: &mut String) {
        let Response { cx, request, items, status, end } = self;
        let mut object = Object::begin(out);
        let said = |key: &str| request.and_then(|request| request.get(key));
        let model = match cx.profile.model.as_str() {
            "" => said("model").and_then(Value::as_str).unwrap_or_default(),
            model => model,
        };
        object.fields(&[("id", &format!("{RESPONSE}{}", cx.run)), ("object", &"response")]);
        object.fields(&[("created_at", &(cx.profile.created_at / 1000)), ("status", status)]);
        object.field("background", &said("background").is_some_and(|value| value == true));
        match end {
            Some((_, at)) if *status == "completed" => object.field("completed_at", &(at / 1000)),
            _ => object.field("completed_at", &NULL),
        };
        match end.and_then(|(end, _)| end.told.as_ref()) {
            Some(told) => object.object("error", |error| {
                error.fields(&[("code", &told.code), ("message", &told.message)]);
            }),
            None => object.field("error", &NULL),
        };
        match *status {
            "incomplete" => object.field("incomplete_details", &Raw(r#"{"reason":"max_output_tokens"}"#.to_owned())),
            _ => object.field("incomplete_details", &NULL),
        };
        let items: Vec<_> = items.list.iter().enumerate().map(|(at, item)| Written { run: cx.run, at, item }).collect();
        object.fields(&[("model", &model), ("output", &items)]);
        for (key, default) in ECHOED {
            match said(key) {
                Some(value) => object.field(key, value),
                None => object.field(key, &Raw(default.to_owned())),
            };
        }
        object.field("user", &said("user")).field("conversation", &said("conversation"));
        match end.and_then(|(end, _)| usage(end.usage)) {
            Some(usage) => object.field("usage", &usage),
            None => object.field("usage", &NULL),
        };
        object.field("timing", &end.and_then(|(end, _)| end.timing.copied()));
        object.end();
    }
}

/// The tokens of all models together; none if nobody counted.
pub(super) fn usage(costs: &[ModelUsage]) -> Option<Raw> {
    let tokens = cost::sum(costs);
    let (input, output) = (tokens.input.unwrap_or_default(), tokens.output.unwrap_or_default());
    let (cached, reasoning) = (tokens.cached_input.unwrap_or_default(), tokens.reasoning.unwrap_or_default());
    (tokens != Usage::default()).then(|| {
        Raw(json::object(|usage| {
            usage.field("input_tokens", &input).object("input_tokens_details", |details| {
                details.field("cached_tokens", &cached);
            });
            usage.field("output_tokens", &output).object("output_tokens_details", |details| {
                details.field("reasoning_tokens", &reasoning);
            });
            usage.field("total_tokens", &cost::total(costs).unwrap_or_default());
        }))
    })
}
