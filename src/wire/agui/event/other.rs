//! What the protocol has no name for.

use super::event;
use serde_json::Value;

event! {
    /// An event of another system.
    Raw<'a> = "RAW"
    required {
        /// Any JSON, null too.
        event: &'a Value = "event",
    }
    optional {
        /// The system's name.
        source: &'a str = "source",
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// An event of the application's own.
    Custom<'a> = "CUSTOM"
    required {
        /// Its name.
        name: &'a str = "name",
        /// Any JSON, null too. A client of 1.0 fails on one without it.
        value: &'a Value = "value",
    }
    optional {
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}
