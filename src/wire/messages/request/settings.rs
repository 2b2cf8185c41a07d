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
    if let Some(metadata) = body.optional("metadata") {
        metadata.object()?;
    }
    body.number("top_k")?;
    let (tool_choice, parallel_calls) = choice(body, limits)?;
    let stops = body.optional("stop_sequences");
    let output = body.optional("output_config");
    let form = match &output {
        Some(output) => {
            output.object()?;
            output.optional("format")
        }
        None => None,
    };
    // The name of before.
    let form = form.or_else(|| body.optional("output_format"));
    let effort = output.as_ref().and_then(|output| output.optional("effort"));
    let effort = effort.map(|effort| effort.name(limits.id)).transpose()?;
    let thought = thinking(body)?;
    Ok(Settings {
        temperature: body.number("temperature")?,
        top_p: body.number("top_p")?,
        max_output: body.optional("max_tokens").map(|most| most.count()).transpose()?,
        stop: stops.map_or(Ok(Vec::new()), |stops| stops.list(STOPS, |stop| stop.string().map(str::to_owned)))?,
        tool_choice,
        parallel_calls,
        form: form.map(|form| text_form(&form)).transpose()?,
        effort: effort.or(thought).map(str::to_owned),
        ..Settings::default()
    })
}

/// Refuses what the client would miss in the answer.
pub(super) fn refuse(body: &Field<'_, '_>) -> Result<(), Error> {
    let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    match (body.optional("container"), body.optional("mcp_servers")) {
        (Some(container), _) => Err(container.must("be left out: there are no containers here")),
        (_, Some(servers)) if !empty(servers.value()) => {
            Err(servers.must("be empty: the model can call none of them from here"))
        }
        _ => Ok(()),
    }
}

/// Whether it may call tools, and several at once.
fn choice(body: &Field<'_, '_>, limits: &Limits) -> Result<(Option<ToolChoice>, Option<bool>), Error> {
    let Some(field) = body.optional("tool_choice") else { return Ok((None, None)) };
    field.object()?;
    let kind = field.required("type")?;
    let choice = match kind.string()? {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Function(field.required("name")?.name(limits.id)?.to_owned()),
        _ => return Err(kind.must("be one of auto, any, tool, none")),
    };
    let parallel = field.flag("disable_parallel_tool_use")?;
    Ok((Some(choice), parallel.map(|single| !single)))
}

/// A budget of tokens for thinking, as an effort: below 4,096 it is low, below 16,384 medium, else high. Where none is
/// asked for, or as much as the model likes, the provider decides.
fn thinking(body: &Field<'_, '_>) -> Result<Option<&'static str>, Error> {
    let Some(field) = body.optional("thinking") else { return Ok(None) };
    field.object()?;
    if field.required("type")?.string()? != "enabled" {
        return Ok(None);
    }
    Ok(Some(match field.required("budget_tokens")?.count()? {
        ..4_096 => "low",
        4_096..16_384 => "medium",
        _ => "high",
    }))
}

/// The format gives the schema no name.
fn text_form(field: &Field<'_, '_>) -> Result<TextForm, Error> {
    field.object()?;
    let kind = field.required("type")?;
    if kind.string()? != "json_schema" {
        return Err(kind.must("be json_schema"));
    }
    let schema = field.required("schema")?;
    schema.object()?;
    Ok(TextForm::Schema { name: "answer".to_owned(), schema: schema.value().clone(), strict: Some(true) })
}
