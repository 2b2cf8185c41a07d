//! The client's own tools, and whether the model may call them.

use super::fields::{flag, kept, string};
use crate::Error;
use crate::input::{Tool, ToolChoice};
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::field::Field;
use serde_json::{Map, Value, json};

/// `tools` and `tool_choice`. Of tools that the choice does not allow the model is told nothing.
pub(super) fn read(
    body: &Field<'_, '_>,
    limits: &Limits,
    echo: &mut Map<String, Value>,
) -> Result<(Vec<Tool>, Option<ToolChoice>), Error> {
    let mut tools = Vec::new();
    let mut names = Positions::default();
    if let Some(list) = body.optional("tools") {
        let mut told = Vec::new();
        for item in list.items(limits.tools)? {
            let (tool, value) = function(&item, limits)?;
            if names.contains(&tool.name) {
                return Err(item.required("name")?.must("not be the name of another tool"));
            }
            names.insert(&tool.name, tools.len());
            tools.push(tool);
            told.push(value);
        }
        kept(echo, "tools", Some(told));
    }
    let Some(field) = body.optional("tool_choice") else { return Ok((tools, None)) };
    kept(echo, "tool_choice", Some(field.value().clone()));
    let choice = match field.value() {
        Value::String(_) => mode(&field)?,
        Value::Object(_) => {
            let kind = field.required("type")?;
            match kind.string()? {
                "function" => {
                    let name = field.required("name")?;
                    ToolChoice::Function(known(&name, &names, limits)?.to_owned())
                }
                "allowed_tools" => {
                    let mut allowed = Positions::default();
                    for item in field.required("tools")?.items(limits.tools)? {
                        is_function(&item)?;
                        allowed.insert(known(&item.required("name")?, &names, limits)?, 0);
                    }
                    tools.retain(|tool| allowed.contains(&tool.name));
                    mode(&field.required("mode")?)?
                }
                _ => return Err(kind.must("be function or allowed_tools")),
            }
        }
        _ => return Err(field.must("be a string or an object")),
    };
    Ok((tools, Some(choice)))
}

fn mode(field: &Field<'_, '_>) -> Result<ToolChoice, Error> {
    Ok(match field.string()? {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "required" => ToolChoice::Required,
        _ => return Err(field.must("be one of auto, none, required")),
    })
}

/// The name of one of the request's tools.
fn known<'v>(field: &Field<'_, 'v>, names: &Positions, limits: &Limits) -> Result<&'v str, Error> {
    let name = field.name(limits.id)?;
    if names.contains(name) { Ok(name) } else { Err(field.must("be the name of one of the tools")) }
}

fn is_function(field: &Field<'_, '_>) -> Result<(), Error> {
    field.object()?;
    let kind = field.required("type")?;
    match kind.string()? {
        "function" => Ok(()),
        _ => Err(kind.must("be function: other tools are not available")),
    }
}

/// A tool, and what a Response says of it.
fn function(field: &Field<'_, '_>, limits: &Limits) -> Result<(Tool, Value), Error> {
    is_function(field)?;
    let name = field.required("name")?.name(limits.id)?;
    let description = string(field, "description")?;
    let parameters = field.optional("parameters");
    let parameters = parameters.map(|field| field.object().map(|_| field.value().clone())).transpose()?;
    let strict = flag(field, "strict")?;
    let told = json!({
        "type": "function", "name": name, "description": description, "parameters": parameters, "strict": strict,
    });
    let description = description.unwrap_or_default().to_owned();
    Ok((Tool { name: name.to_owned(), description, parameters }, told))
}
