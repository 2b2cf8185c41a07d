//! What the agent is doing, as a message of the transcript that is never sent back.

use super::patch::Operation;
use super::{Metadata, event};

event! {
    /// An activity, whole. Its id and those of texts are one namespace.
    ActivitySnapshot<'a> = "ACTIVITY_SNAPSHOT"
    required {
        /// The activity's id.
        message_id: &'a str = "messageId",
        /// Its kind, the application's own name.
        activity_type: &'a str = "activityType",
        /// Its content.
        content: Metadata<'a> = "content",
    }
    optional {
        /// False leaves what is there already. Absent means true.
        replace: bool = "replace",
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A change of an activity's content. For an unknown id it changes nothing.
    ActivityDelta<'a> = "ACTIVITY_DELTA"
    required {
        /// The activity's id.
        message_id: &'a str = "messageId",
        /// Its kind.
        activity_type: &'a str = "activityType",
        /// RFC 6902, in order.
        patch: &'a [Operation<'a>] = "patch",
    }
    optional {
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}
