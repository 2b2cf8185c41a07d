//! The AI SDK's UI message stream, version 1: the serializer, the parser of what `DefaultChatTransport` posts, and the
//! messages of a chat as `UIMessage`s.
//!
//! What is sent is understood by every client from `ai` 5.0.105 on (older ones refuse `finishReason`); only
//! `tool-approval-request` needs 6. The client takes no unknown type and no delta before its start: it then loses
//! all that follows. What it does by itself, and what follows from that:
//!
//! - A message that goes on (a tool's result, an approval) keeps its id, or it stands twice on the screen. So `start`
//!   names the message that the request ends in, where that is the assistant's, and else an id derived from the run.
//! - Every run opens a step at once. Helpers such as `lastAssistantMessageIsCompleteWithToolCalls` look at the last step
//!   alone: without one, a run that says nothing would be asked for again without end.
//! - Calls of ours are `providerExecuted`, or the client would run them too.
//! - `error` ends the client's reading with an error; what stands in the message stays there. Nothing of an answer is
//!   sent before its run has succeeded, so nothing half is left.
//! - A resumed stream begins anew: the client empties its message at `start`. It is therefore sent the parts of the
//!   message that goes on as well ([`Stream::new`]).
//! - An answer that streamed early and turned out to be none can't be taken back. A part `data-withdrawn` behind it,
//!   which is kept in the message, says so, and [`parse`] leaves that text out.

mod continued;
mod document;
mod input;
mod part;
mod step;
mod stream;
mod terminal;

pub use document::{Waiting, messages};
pub use input::parse;
pub use stream::Stream;

use crate::Error;
use crate::digest;
use crate::sse::Frame;

/// The type of the part that stands behind a text which is no answer.
const WITHDRAWN: &str = "data-withdrawn";

/// The id of the assistant's message that a run begins.
fn message_id(run: &str) -> String {
    format!("{}-ui", digest::tag(run))
}

/// The reader's own failure.
pub fn failure(error: &Error) -> Frame {
    part::error(&format!("{} ({})", error.message(), error.code()))
}
