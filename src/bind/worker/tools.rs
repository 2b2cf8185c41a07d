//! The tools that this host runs: those that a recording holds the results of.

use crate::driver::{no_such_tool, recorded};
use crate::executor::ToolResult;
use crate::input::Call;
use crate::provider::replay::Recording;
use std::collections::BTreeMap;

/// Runs a tool; `counts` says how often each has run in the turn.
pub fn run(recording: Option<&Recording>, counts: &mut BTreeMap<String, usize>, call: &Call) -> ToolResult {
    let Some(recording) = recording else { return no_such_tool() };
    let count = counts.entry(call.name.clone()).or_default();
    *count += 1;
    recorded(recording, &call.name, *count - 1)
}
