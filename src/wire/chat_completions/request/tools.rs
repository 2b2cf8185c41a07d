//! The tools that the client runs, in today's form and in the old one.

use crate::Error;
use crate::input::Tool;
use crate::positions::Positions;
use crate::wire::agui::Limits;
use crate::wire::chat_completions::approval;
use crate::wire::field::Field;

/// `tools` and `functions`. The function that approvals are asked by is none of them: the client declares it for its
/// own sake, and the model is not to call it.
pub(super) fn tools(body: &Field<'_, '_>, limits: &Limits) -> Result<Vec<Tool>, Error> {
    let mut names = Positions::default();
    let mut tools = Vec::new();
    let mut take = |function: &Field<'_, '_>| {
        function.object()?;
        let field = function.required("name")?;
        let name = field.name(limits.id)?;
        if names.contains(name) {
            return Err(field.must("not be the name of another tool"));
        }
        names.insert(name, 0);
        let description = match function.optional("description") {
            Some(description) => description.string()?.to_owned(),
            None => String::new(),
        };
        let parameters = function.optional("parameters");
        if let Some(parameters) = &parameters {
            parameters.object()?;
        }
        let parameters = parameters.map(|parameters| parameters.value().clone());
        if name != approval::TOOL {
            tools.push(Tool { name: name.to_owned(), description, parameters });
        }
        Ok(())
    };
    if let Some(list) = body.optional("tools") {
        for tool in list.items(limits.tools)? {
            tool.object()?;
            let kind = tool.required("type")?;
            if kind.string()? != "function" {
                return Err(kind.must("be function: no other kind of tool is supported"));
            }
            take(&tool.required("function")?)?;
        }
    }
    if let Some(list) = body.optional("functions") {
        for function in list.items(limits.tools)? {
            take(&function)?;
        }
    }
    Ok(tools)
}
