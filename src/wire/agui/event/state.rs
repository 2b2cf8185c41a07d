//! The state that the agent and the application share.

use super::event;
use super::patch::Operation;
use serde_json::Value;

event! {
    /// The state, whole.
    StateSnapshot<'a> = "STATE_SNAPSHOT"
    required {
        /// Any JSON, null too: it is data here.
        snapshot: &'a Value = "snapshot",
    }
    optional {
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A change of the state. What does not apply is left undone with a warning.
    StateDelta<'a> = "STATE_DELTA"
    required {
        /// RFC 6902, in order.
        delta: &'a [Operation<'a>] = "delta",
    }
    optional {
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}
