//! What a turn that has stopped waits for.

use crate::Millis;
use crate::stored::stored;
use serde_json::Value;

/// Something that a person must answer before the turn goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interrupt {
    /// Unique in the thread.
    pub id: String,
    /// Why: `tool_call`, `input_required`, `confirmation`, or `framework:name`.
    pub reason: String,
    /// For the person. Redacted.
    pub message: Option<String>,
    /// The call that waits, if one does.
    pub call: Option<String>,
    /// JSON Schema of the answer: an object.
    pub response_schema: Option<Value>,
    /// Until when it may be answered otherwise than by giving it up, in milliseconds since the Unix epoch.
    pub expires_at: Option<Millis>,
    /// Whatever else a client is told: an object.
    pub metadata: Option<Value>,
}

impl Interrupt {
    /// The reason of one that asks whether a call may be made.
    pub const TOOL_CALL: &'static str = "tool_call";
}

stored!(Interrupt { id, reason, message, call, response_schema, expires_at, metadata });
