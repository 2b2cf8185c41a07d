//! The tools that a recording holds the results of.

use crate::executor::ToolResult;
use crate::provider::replay::Recording;

/// What the tool gave back at its `nth` call in the turn, from 0; an error result where the
/// recording holds none, as for any tool that is not there.
pub fn recorded(recording: &Recording, name: &str, nth: usize) -> ToolResult {
    match recording.tool(name, nth) {
        Some((ok, content)) => ToolResult { ok, content: content.to_owned() },
        None => no_such_tool(),
    }
}

/// What the model is told of a tool that nobody here can run.
pub fn no_such_tool() -> ToolResult {
    ToolResult { ok: false, content: "There is no such tool.".to_owned() }
}
