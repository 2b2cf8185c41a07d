//! An AG-UI agent as upstream: bytes → [`Signal`](crate::signal::Signal).
//!
//! The format is an event stream, each event one AG-UI event of 1.0 or older. What is known of the agents that speak it,
//! and what becomes of it here (each row has a recording in `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | `TEXT_MESSAGE_START`, `_CONTENT`, `_END`, or `TEXT_MESSAGE_CHUNK` with and without an id | an item a message |
//! | content of a message that was not started | an item |
//! | a message whose `role` is not `assistant`, or that has a `subagentRunId` | an item that can't be the answer |
//! | two messages by turns | one after the other, the second once the first has ended |
//! | a message that never ends | the same as one that does |
//! | `REASONING_MESSAGE_*`, the old `THINKING_TEXT_MESSAGE_*` | reasoning |
//! | `TOOL_CALL_*` with a `TOOL_CALL_RESULT` | a tool that the agent ran; it is no call |
//! | `TOOL_CALL_*` without a result when the run finishes | a call for the client, unless it is a subagent's |
//! | `TOOL_CALL_CHUNK` with and without an id | the call |
//! | arguments or an end of a call that was not started | nothing |
//! | `STATE_SNAPSHOT` | the state |
//! | `STATE_DELTA` | the state with the patch applied; a patch that does not fit it changes nothing |
//! | `MESSAGES_SNAPSHOT` | its last message and that one's unanswered calls, if nothing was streamed; its last message, if nothing was behind the tools that the agent ran |
//! | `RUN_FINISHED`, without an outcome or with `success` | the end mark |
//! | `RUN_FINISHED` with `cancelled` or `interrupt` | [`Reported`](crate::signal::Fault::Reported): nobody here can answer the agent's question |
//! | `usage` in it, one entry a model | their sum, under no name |
//! | `RUN_ERROR` | [`Reported`](crate::signal::Fault::Reported) |
//! | `RUN_STARTED`, `STEP_*`, `ACTIVITY_*`, `SUBAGENT_*`, `CUSTOM`, `RAW`, ids, types that nobody knows | nothing |
//! | the stream is over without `RUN_FINISHED` or `RUN_ERROR`, though the official client takes that for success | [`Cut`](crate::signal::Fault::Cut) |
//! | an event without a type, one JSON body | [`Malformed`](crate::signal::Fault::Malformed), or the error in it |
//!
//! and what [`crate::provider::framed`] says of frames.
//!
//! Bounds: a response has at most 128 calls and 1,024 messages at once, an id or a name 1 KiB, all arguments 1 MiB, texts
//! that wait 1 MiB, a state 4 MiB, a patch 1,024 operations. Past a bound:
//! [`Malformed`](crate::signal::Fault::Malformed).

mod calls;
mod fields;
mod messages;
mod patch;
mod request;
mod response;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use request::request;
pub use response::Response;

/// Decodes one response.
pub type Decoder = super::framed::Framed<Response>;
