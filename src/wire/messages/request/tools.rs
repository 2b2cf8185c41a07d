//! The tools that the client runs.

use crate::Error;
use crate::input::Tool;
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::approval;
use crate::wire::field::Field;

/// The tools, each of another name. One that the service itself would run is refused: nobody runs it here. What answers
/// approvals is no tool of the model's.
pub(super) fn tools(field: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Tool>, Error> {
    let mut names = Positions::default();
    let mut tools = Vec::new();
    for tool in field.items(limits.tools)? {
        tool.object()?;
        if let Some(kind) = tool.optional("type")
            && kind.string()? != "custom"
        {
            return Err(kind.must("be custom: tools of the service's own are not supported"));
        }
        let field = tool.required("name")?;
        let name = field.name(limits.id)?;
        if names.contains(name) {
            return Err(field.must("not be the name of another tool"));
        }
        names.insert(name, tools.len());
        let schema = tool.required("input_schema")?;
        schema.object()?;
        let description = tool.optional("description").map_or(Ok(""), |text| text.string())?;
        if name != approval::TOOL {
            let parameters = Some(schema.value().clone());
            tools.push(Tool { name: name.to_owned(), description: description.to_owned(), parameters });
        }
    }
    Ok(tools)
}
