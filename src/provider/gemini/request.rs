//! What Gemini is asked: a run's input and what the run did since → one JSON body.

use super::media::{self, part};
use crate::Error;
use crate::input::{Call, Settings, TextForm, Tool, ToolChoice};
use crate::json::{self, Object, Raw};
use crate::provider::Ask;
use crate::provider::conversation::{Said, Turns, in_order, instructions};
use serde_json::{Map, Number, Value};

/// Stands for the signature of a call that has none, since the model did not make it, or it was not kept. The models
/// that ask for signatures take this word for one (Google's documentation on thought signatures).
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The body of `POST …/models/{model}:streamGenerateContent` for the run's next response. The address has the model.
///
/// Context and system messages are the `systemInstruction`; `model` and `user` take turns, with the results of calls
/// first in the turn behind them. What the provider wanted back with a response
/// ([`crate::signal::Signal::Kept`]) stands in the place of its text and calls. Where nothing was kept of a message with
/// calls, the first of them has a word in the place of its signature, which models from Gemini 3 on ask for. A
/// result that is a JSON object is sent as it is, any other text as its `output`.
///
/// Calls and results have ids only where the model gave ids; else they belong together by name and order.
///
/// Left out is what the format can't say: that only one call may be made at a time, and a schema's name. An effort is a
/// `thinkingLevel`, or a budget for Gemini 2.5, and asks for the thoughts too; for other models it is left out.
///
/// # Errors
/// [`crate::ErrorKind::UnsupportedPart`] for a tool's result that is not text alone, with its place.
pub fn request(ask: &Ask<'_>) -> Result<String, Error> {
    let mut turns = Turns::default();
    let mut ids = Vec::new();
    for said in in_order(ask) {
        match said {
            Said::User(_, content) => turns.push(false, media::content(content)),
            Said::Model { text, calls, kept } => turns.push(true, model(ask.model, text, calls, kept, &mut ids)),
            Said::Result { place, call, name, content } => {
                let text = media::text_only(content, place)?;
                let id = ids.contains(&call).then_some(call);
                turns.push(false, vec![result(id, name.unwrap_or(call), &text)]);
            }
        }
    }
    let contents: Vec<Raw> = { turns.0.into_iter() }
        .map(|(is_model, parts)| {
            let role = if is_model { "model" } else { "user" };
            Raw(json::object(|content| {
                content.fields(&[("role", &role), ("parts", &parts)]);
            }))
        })
        .collect();
    let settings = &ask.input.settings;
    let system: Vec<Raw> = instructions(ask).iter().filter_map(|text| media::text(text)).collect();
    Ok(json::object(|body| {
        body.field("contents", &contents);
        if !system.is_empty() {
            body.field("systemInstruction", &part("parts", &system));
        }
        let tools: Vec<Raw> = ask.input.tools.iter().map(tool).collect();
        if !tools.is_empty() {
            body.field("tools", &vec![part("functionDeclarations", &tools)]);
            tool_choice(settings, body);
        }
        let generation = json::object(|config| generation(ask.model, settings, config));
        if generation != "{}" {
            body.field("generationConfig", &Raw(generation));
        }
    }))
}

/// What the model said, as it is sent back. `ids` are those of the calls whose results need them.
fn model<'a>(model: &str, text: &str, calls: &'a [Call], kept: Option<&Value>, ids: &mut Vec<&'a str>) -> Vec<Raw> {
    if let Some(parts) = kept.and_then(|kept| kept.get("gemini")).and_then(Value::as_array) {
        return as_kept(parts, calls, ids);
    }
    let said = calls.iter().enumerate().map(|(at, call)| {
        let arguments: Option<Value> = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        let arguments = arguments.unwrap_or_else(|| Value::Object(Map::new()));
        Raw(json::object(|part| {
            part.object("functionCall", |function| {
                function.field("name", &call.name).field("args", &arguments);
            });
            if at == 0 && wants_signatures(model) {
                part.field("thoughtSignature", &UNSIGNED);
            }
        }))
    });
    media::text(text).into_iter().chain(said).collect()
}

/// Kept parts. The calls among them that have ids have those that the thread knows them by.
fn as_kept<'a>(parts: &[Value], calls: &'a [Call], ids: &mut Vec<&'a str>) -> Vec<Raw> {
    let mut calls = calls.iter();
    let kept = parts.iter().map(|part| {
        let mut part = part.clone();
        if let Some(function) = part.get_mut("functionCall").and_then(Value::as_object_mut)
            && let (Some(call), Some(id)) = (calls.next(), function.get_mut("id"))
        {
            *id = Value::from(&*call.id);
            ids.push(&call.id);
        }
        Raw(json::text(&part))
    });
    kept.collect()
}

fn result(id: Option<&str>, name: &str, text: &str) -> Raw {
    let object = serde_json::from_str(text).ok().filter(Value::is_object);
    let response = object.unwrap_or_else(|| Map::from_iter([("output".to_owned(), Value::from(text))]).into());
    let result = Raw(json::object(|result| {
        if let Some(id) = id {
            result.field("id", &id);
        }
        result.field("name", &name).field("response", &response);
    }));
    part("functionResponse", &result)
}

/// A tool without a schema takes no arguments.
fn tool(tool: &Tool) -> Raw {
    Raw(json::object(|object| {
        object.field("name", &tool.name);
        if !tool.description.is_empty() {
            object.field("description", &tool.description);
        }
        if let Some(parameters) = &tool.parameters {
            object.field("parametersJsonSchema", parameters);
        }
    }))
}

fn tool_choice(settings: &Settings, body: &mut Object<'_>) {
    let (mode, name) = match &settings.tool_choice {
        None => return,
        Some(ToolChoice::Auto) => ("AUTO", None),
        Some(ToolChoice::None) => ("NONE", None),
        Some(ToolChoice::Required) => ("ANY", None),
        Some(ToolChoice::Function(name)) => ("ANY", Some(name)),
    };
    body.object("toolConfig", |config| {
        config.object("functionCallingConfig", |calling| {
            calling.field("mode", &mode);
            if let Some(name) = name {
                calling.field("allowedFunctionNames", &vec![name.as_str()]);
            }
        });
    });
}

fn generation(model: &str, settings: &Settings, config: &mut Object<'_>) {
    let number = |value: &Option<Number>| value.clone().map(Value::Number);
    config.field("temperature", &number(&settings.temperature)).field("topP", &number(&settings.top_p));
    config.field("maxOutputTokens", &settings.max_output).list("stopSequences", &settings.stop);
    config.field("seed", &settings.seed.map(Value::from));
    config.field("presencePenalty", &number(&settings.presence_penalty));
    config.field("frequencyPenalty", &number(&settings.frequency_penalty));
    if let Some(form) = &settings.form {
        config.field("responseMimeType", &"application/json");
        if let TextForm::Schema { schema, .. } = form {
            config.field("responseJsonSchema", schema);
        }
    }
    thinking(model, settings, config);
}

/// How hard it is to think, as the model's generation has it.
fn thinking(model: &str, settings: &Settings, config: &mut Object<'_>) {
    let Some(effort) = settings.effort.as_deref() else { return };
    let budget: Option<u64> = match effort {
        "none" => Some(0),
        "minimal" | "low" => Some(1024),
        "medium" => Some(8192),
        _ => Some(24_576),
    };
    let level = match effort {
        "none" | "minimal" => "minimal",
        "xhigh" | "max" => "high",
        other => other,
    };
    let generation = generation_of(model);
    if !(generation.starts_with("2.5") || wants_signatures(model)) {
        return;
    }
    config.object("thinkingConfig", |thinking| {
        thinking.flag("includeThoughts", effort != "none");
        match generation.starts_with("2.5") {
            true => thinking.field("thinkingBudget", &budget),
            false => thinking.field("thinkingLevel", &level),
        };
    });
}

/// What stands behind `gemini-` in a model's name; empty for others.
fn generation_of(model: &str) -> &str {
    model.rsplit('/').next().and_then(|name| name.strip_prefix("gemini-")).unwrap_or_default()
}

/// True for Gemini from the third generation on, also where the name does not say which one it is.
fn wants_signatures(model: &str) -> bool {
    let generation = generation_of(model);
    !generation.is_empty() && !generation.starts_with(['1', '2'])
}
