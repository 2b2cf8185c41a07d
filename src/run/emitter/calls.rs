//! The client's calls as events.

use crate::event::{PIECE, Sealed, pieces};
use crate::input::Call;

/// A call's start, its arguments, and its end.
pub(super) fn events(call: &Call, parent: &str) -> Vec<Sealed> {
    let id = || call.id.clone();
    let start = Sealed::CallStart { call: id(), name: call.name.clone(), parent: parent.to_owned() };
    let args = pieces(&call.arguments, PIECE).map(|delta| Sealed::CallArgs { call: id(), delta: delta.to_owned() });
    std::iter::once(start).chain(args).chain(std::iter::once(Sealed::CallEnd { call: id() })).collect()
}
