//! The tools that the client runs.

use crate::Error;
use crate::input::Tool;
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::approval;
use crate::wire::field::Field;

/// `tools`. The function that approvals are asked by is none of them: the client declares it for its own sake, and the
/// model is not to call it.
pub(super) fn tools(body: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Tool>, Error> {
    let mut names = Positions::default();
    let mut tools = Vec::new();
    let Some(list) = body.optional("tools") else { return Ok(tools) };
    for item in list.items(limits.tools)? {
        item.object()?;
        let kind = item.required("type")?;
        if kind.string()? != "function" {
            return Err(kind.must("be function: no other kind of tool is supported"));
        }
        let function = item.required("function")?;
        let tool = tool(&function, limits)?;
        if names.contains(&tool.name) {
            return Err(function.required("name")?.must("not be the name of another tool"));
        }
        names.insert(&tool.name, 0);
        if tool.name != approval::TOOL {
            tools.push(tool);
        }
    }
    Ok(tools)
}

fn tool(function: &Field<'_, '_>, limits: &Limits) -> Result<Tool, Error> {
    function.object()?;
    let name = function.required("name")?.name(limits.id)?.to_owned();
    let description = function.optional("description").map_or(Ok(""), |description| description.string())?.to_owned();
    let parameters = function.optional("parameters");
    if let Some(parameters) = &parameters {
        parameters.object()?;
    }
    Ok(Tool { name, description, parameters: parameters.map(|parameters| parameters.value().clone()) })
}
