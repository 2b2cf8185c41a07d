//! What a Messages service is asked: a run's input and what the run did since → one JSON body.

use super::parts::{self, block};
use crate::Error;
use crate::input::{Call, Settings, TextForm, Tool, ToolChoice};
use crate::json::{self, Object, Raw};
use crate::provider::Ask;
use crate::provider::conversation::{Said, Turns, in_order, instructions};
use serde_json::{Number, Value};

/// The most tokens of a response where the client says nothing, which the format does not allow.
pub const MAX_TOKENS: u64 = 8192;

/// The body of `POST …/v1/messages` for the run's next response, streamed.
///
/// Context and system messages are the `system`; model and user take turns, with the results of calls first in the
/// message behind them. What the provider wanted back with a response
/// ([`crate::signal::Signal::Kept`]) stands in the place of its text and calls, with the thread's ids in its calls.
///
/// Left out is what the format can't say: a form without a schema, the seed, the penalties, a stop text of white space.
/// A temperature above 1, the highest it has, is sent as 1; `top_p` only where there is no temperature, since newer
/// models refuse both; an effort of `minimal` as `low`, and `none` not at all. Thinking is not switched on: whether a
/// model takes that, and beside what, differs from one to the next.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] for a part that the format cannot express, with its place.
pub fn request(ask: &Ask<'_>) -> Result<String, Error> {
    let mut turns = Turns::default();
    for said in in_order(ask) {
        match said {
            Said::User(place, content) => turns.push(false, parts::content(content, place)?),
            Said::Model { text, calls, kept } => turns.push(true, model(text, calls, kept)),
            Said::Result { place, call, content, .. } => {
                let content = parts::content(content, place)?;
                let result = Raw(json::object(|result| {
                    result.fields(&[("type", &"tool_result"), ("tool_use_id", &call)]).list("content", &content);
                }));
                turns.push(false, vec![result]);
            }
        }
    }
    let messages: Vec<Raw> = { turns.0.into_iter() }
        .map(|(is_model, content)| {
            let role = if is_model { "assistant" } else { "user" };
            Raw(json::object(|message| {
                message.fields(&[("role", &role), ("content", &content)]);
            }))
        })
        .collect();
    let settings = &ask.input.settings;
    let system = instructions(ask).join("\n\n");
    Ok(json::object(|body| {
        body.field("model", &ask.model).field("max_tokens", &settings.max_output.unwrap_or(MAX_TOKENS));
        if !system.is_empty() {
            body.field("system", &system);
        }
        body.field("messages", &messages).field("stream", &true);
        sampling(settings, body);
        output(settings, body);
        let tools: Vec<Raw> = ask.input.tools.iter().map(tool).collect();
        body.list("tools", &tools);
        if !tools.is_empty() {
            tool_choice(settings, body);
        }
    }))
}

/// What the model said, as it is sent back.
fn model(text: &str, calls: &[Call], kept: Option<&Value>) -> Vec<Raw> {
    if let Some(blocks) = kept.and_then(|kept| kept.get("anthropic")).and_then(Value::as_array) {
        return as_kept(blocks, calls);
    }
    let calls = calls.iter().map(|call| {
        let input: Option<Value> = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        let input = input.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        block("tool_use", &[("id", &call.id), ("name", &call.name), ("input", &input)])
    });
    parts::text(text).into_iter().chain(calls).collect()
}

/// Kept blocks. The calls among them have the ids that the thread knows them by.
fn as_kept(blocks: &[Value], calls: &[Call]) -> Vec<Raw> {
    let mut calls = calls.iter();
    let kept = blocks.iter().map(|block| {
        let is_call = block.get("type").and_then(Value::as_str) == Some("tool_use");
        let mut block = block.clone();
        if let (true, Some(call), Some(block)) =
            (is_call, if is_call { calls.next() } else { None }, block.as_object_mut())
        {
            block.insert("id".to_owned(), Value::from(&*call.id));
        }
        Raw(json::text(&block))
    });
    kept.collect()
}

fn sampling(settings: &Settings, body: &mut Object<'_>) {
    match (&settings.temperature, &settings.top_p) {
        (Some(temperature), _) => {
            let highest = Number::from(1);
            let is_higher = temperature.as_f64().is_some_and(|temperature| temperature > 1.0);
            body.field("temperature", &Value::Number(if is_higher { highest } else { temperature.clone() }));
        }
        (None, Some(top_p)) => _ = body.field("top_p", &Value::Number(top_p.clone())),
        (None, None) => {}
    }
    let stop: Vec<&str> = settings.stop.iter().map(|text| &**text).filter(|text| !text.trim().is_empty()).collect();
    body.list("stop_sequences", &stop);
}

fn output(settings: &Settings, body: &mut Object<'_>) {
    let effort = match settings.effort.as_deref() {
        Some("none") => None,
        Some("minimal") => Some("low"),
        other => other,
    };
    let schema = match &settings.form {
        Some(TextForm::Schema { schema, .. }) => Some(block("json_schema", &[("schema", schema)])),
        Some(TextForm::Json) | None => None,
    };
    if effort.is_none() && schema.is_none() {
        return;
    }
    body.object("output_config", |output| {
        if let Some(effort) = effort {
            output.field("effort", &effort);
        }
        output.field("format", &schema);
    });
}

/// A tool without a schema takes no arguments.
fn tool(tool: &Tool) -> Raw {
    Raw(json::object(|object| {
        object.field("name", &tool.name);
        if !tool.description.is_empty() {
            object.field("description", &tool.description);
        }
        match &tool.parameters {
            Some(parameters) => object.field("input_schema", parameters),
            None => object.field("input_schema", &Raw(r#"{"type":"object","properties":{}}"#.to_owned())),
        };
    }))
}

/// That only one call may be made at a time is said with the choice.
fn tool_choice(settings: &Settings, body: &mut Object<'_>) {
    let one = settings.parallel_calls == Some(false);
    let (kind, name) = match &settings.tool_choice {
        None if !one => return,
        None | Some(ToolChoice::Auto) => ("auto", None),
        Some(ToolChoice::None) => ("none", None),
        Some(ToolChoice::Required) => ("any", None),
        Some(ToolChoice::Function(name)) => ("tool", Some(name)),
    };
    body.object("tool_choice", |choice| {
        choice.field("type", &kind);
        if let Some(name) = name {
            choice.field("name", name);
        }
        choice.flag("disable_parallel_tool_use", one && kind != "none");
    });
}
