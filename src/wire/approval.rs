//! An approval as a function call, for wires that have no word for one, and its answer as that call's result.

use crate::event::Interrupt;
use crate::json;

/// The function that such a call names. A client that answers it may declare it among its tools; the model is never told
/// of it.
pub(crate) const TOOL: &str = "lastword_approval";

/// In front of an interrupt's id, it is the call's.
const PREFIX: &str = "approval_";

/// The id of the call that asks for it.
pub(crate) fn call(interrupt: &Interrupt) -> String {
    format!("{PREFIX}{}", interrupt.id)
}

/// The interrupt that a call of this id asks about; none for any other call.
pub(crate) fn interrupt(call: &str) -> Option<&str> {
    call.strip_prefix(PREFIX).filter(|id| !id.is_empty())
}

/// The call's arguments, JSON text.
pub(crate) fn arguments(interrupt: &Interrupt) -> String {
    json::object(|arguments| {
        arguments.fields(&[
            ("message", &interrupt.message),
            ("tool_call_id", &interrupt.call),
            ("reason", &interrupt.reason),
        ]);
    })
}
