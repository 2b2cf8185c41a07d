//! How the model is to answer, and what can't be had.

use crate::Error;
use crate::input::{Settings, TextForm, ToolChoice};
use crate::wire::agui::Limits;
use crate::wire::field::Field;
use serde_json::Value;

/// The most texts at which a response stops.
const STOPS: usize = 16;

/// The settings, each left to the provider where the client leaves it out.
pub(super) fn settings(body: &Field<'_, '_>, limits: &Limits) -> Result<Settings, Error> {
    let effort = body.optional("reasoning_effort").map(|effort| effort.name(limits.id)).transpose()?;
    let most = body.optional("max_completion_tokens").or_else(|| body.optional("max_tokens"));
    let seed = match body.optional("seed") {
        Some(seed) => Some(seed.value().as_i64().ok_or_else(|| seed.must("be an integer"))?),
        None => None,
    };
    Ok(Settings {
        temperature: body.number("temperature")?,
        top_p: body.number("top_p")?,
        max_output: most.map(|most| most.count()).transpose()?,
        stop: body.optional("stop").map_or(Ok(Vec::new()), |stop| stops(&stop))?,
        tool_choice: choice(body, limits)?,
        parallel_calls: body.flag("parallel_tool_calls")?,
        form: body.optional("response_format").map_or(Ok(None), |form| text_form(&form, limits))?,
        effort: effort.map(str::to_owned),
        seed,
        presence_penalty: body.number("presence_penalty")?,
        frequency_penalty: body.number("frequency_penalty")?,
    })
}

/// Refuses what the client would miss in the answer.
pub(super) fn refuse(body: &Field<'_, '_>) -> Result<(), Error> {
    let not = |key, fine: fn(&Value) -> bool, demand: &str| match body.optional(key) {
        Some(field) if !fine(field.value()) => Err(field.must(demand)),
        _ => Ok(()),
    };
    let none = |value: &Value| value.as_object().is_some_and(|members| members.is_empty());
    let text = |value: &Value| value.as_array().is_some_and(|kinds| kinds.iter().all(|kind| kind == "text"));
    not("n", |n| n.as_f64() == Some(1.0), "be 1: there is one answer")?;
    not("logprobs", |asked| asked == false, "be false: log probabilities are not supported")?;
    not("top_logprobs", |count| count == 0, "be 0: log probabilities are not supported")?;
    not("logit_bias", none, "be empty: it is not supported")?;
    not("modalities", text, "be [\"text\"]: nothing else is supported")?;
    not("audio", |_| false, "be left out: sound is not supported")?;
    not("web_search_options", |_| false, "be left out: searching is the provider's own affair")?;
    not("functions", |_| false, "be left out: tools have taken their place")?;
    not("function_call", |_| false, "be left out: tool_choice has taken its place")?;
    not("verbosity", |asked| asked == "medium", "be medium: no other is supported")
}

fn stops(field: &Field<'_, '_>) -> Result<Vec<String>, Error> {
    match field.value() {
        Value::String(stop) => Ok(vec![stop.clone()]),
        Value::Array(_) => field.list(STOPS, |stop| stop.string().map(str::to_owned)),
        _ => Err(field.must("be a string or an array of strings")),
    }
}

fn choice(body: &Field<'_, '_>, limits: &Limits) -> Result<Option<ToolChoice>, Error> {
    let Some(field) = body.optional("tool_choice") else { return Ok(None) };
    if let Some(word) = field.value().as_str() {
        return match word {
            "auto" => Ok(Some(ToolChoice::Auto)),
            "none" => Ok(Some(ToolChoice::None)),
            "required" => Ok(Some(ToolChoice::Required)),
            _ => Err(field.must("be one of auto, none, required, or name a function")),
        };
    }
    field.object()?;
    let kind = field.required("type")?;
    if kind.string()? != "function" {
        return Err(kind.must("be function"));
    }
    let function = field.required("function")?;
    function.object()?;
    Ok(Some(ToolChoice::Function(function.required("name")?.name(limits.id)?.to_owned())))
}

fn text_form(field: &Field<'_, '_>, limits: &Limits) -> Result<Option<TextForm>, Error> {
    field.object()?;
    let kind = field.required("type")?;
    match kind.string()? {
        "text" => Ok(None),
        "json_object" => Ok(Some(TextForm::Json)),
        "json_schema" => {
            let form = field.required("json_schema")?;
            form.object()?;
            let name = form.required("name")?.name(limits.id)?.to_owned();
            let schema = form.required("schema")?;
            schema.object()?;
            let strict = form.flag("strict")?;
            Ok(Some(TextForm::Schema { name, schema: schema.value().clone(), strict }))
        }
        _ => Err(kind.must("be one of text, json_object, json_schema")),
    }
}
