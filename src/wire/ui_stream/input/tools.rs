//! The client's tools, which it sends only if its app says so: an object by name, or an array.

use crate::Error;
use crate::input::Tool;
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::field::Field;
use serde_json::Value;

/// `tools`: `{name: {description, inputSchema}}`, or an array of such with a `name`. `parameters` is `inputSchema` of
/// older clients.
pub(super) fn tools(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Tool>, Error> {
    let mut tools = Vec::new();
    if field.value().is_array() {
        let mut names = Positions::default();
        for item in field.items(limits.tools)? {
            item.object()?;
            let given = item.required("name")?;
            let name = given.name(limits.id)?;
            if names.contains(name) {
                return Err(given.must("not be the name of another tool"));
            }
            names.insert(name, tools.len());
            tools.push(tool(name, &item)?);
        }
        return Ok(tools);
    }
    let by_name = field.value().as_object().ok_or_else(|| field.must("be an object or an array"))?;
    if by_name.len() > limits.tools {
        return Err(field.must(format_args!("hold at most {} members", limits.tools)));
    }
    for (name, value) in by_name {
        if name.is_empty() || name.len() > limits.id || !value.is_object() {
            return Err(field.must("hold an object under each tool's name"));
        }
        tools.push(tool(name, &Field::body(value))?);
    }
    Ok(tools)
}

fn tool(name: &str, field: &Field<'_, '_>) -> Result<Tool, Error> {
    let description = field.optional("description").map(|text| text.string()).transpose()?.unwrap_or_default();
    let schema = field.optional("inputSchema").or_else(|| field.optional("parameters"));
    let parameters = schema.map(|schema| schema.object().map(|_| bare(schema.value()))).transpose()?;
    Ok(Tool { name: name.to_owned(), description: description.to_owned(), parameters })
}

/// What the SDK's `jsonSchema()` makes holds the schema as a member.
fn bare(schema: &Value) -> Value {
    match schema.get("jsonSchema") {
        Some(inner @ Value::Object(_)) => inner.clone(),
        _ => schema.clone(),
    }
}
