//! The tools that this host runs: those that a recording holds the results of.

use crate::driver::{no_such_tool, recorded};
use crate::executor::ToolResult;
use crate::input::Call;
use crate::provider::replay::Recording;

/// Runs a tool; `counts` says how often each has run in the turn.
pub fn run(recording: Option<&Recording>, counts: &mut Vec<(String, usize)>, call: &Call) -> ToolResult {
    let Some(recording) = recording else { return no_such_tool() };
    let nth = match counts.iter_mut().find(|(name, _)| *name == call.name) {
        Some((_, count)) => {
            *count += 1;
            *count
        }
        None => {
            counts.push((call.name.clone(), 0));
            0
        }
    };
    recorded(recording, &call.name, nth)
}
