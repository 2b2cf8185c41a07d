//! Anthropic Messages: the stream of a message, the whole message, and the request.
//!
//! The format is Anthropic's; where its clients are stricter they are followed: named events, no ids, blocks numbered
//! from 0 without a gap and one open at a time, `usage` in `message_start` and in `message_delta`, no event of another
//! type. The answer is a `text` block, and so is a refusal, with the stop reason `refusal`; calls for the client are
//! `tool_use` blocks; narration and thinking, where they are public, are `thinking` blocks with an empty signature.
//! Tools of ours, states and steps are not said. An answer without text is an empty text block: without one the
//! clients' helpers raise.
//!
//! A run that fails ends with the event `error`, at which every client raises. An answer that streamed early and turned
//! out to be none can't be taken back, so the stream ends there with the error `stream_interrupted`; what the run came
//! to can be had whole, by asking again without a stream under the same `Idempotency-Key`.

mod block;
mod document;
mod error;
mod request;
mod stream;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod usage;

pub use document::document;
pub use error::failure;
pub use request::parse;
pub use stream::Stream;

use super::Context;
use crate::json::Object;

/// What stands in front of a message's content: its id is the run's.
fn write_head(cx: &Context<'_>, message: &mut Object<'_>) {
    let id = format!("msg_{}", cx.run);
    message.fields(&[("id", &id), ("type", &"message"), ("role", &"assistant"), ("model", &cx.profile.model)]);
}

/// Why a message ended, in the format's words. Calls come first: the client is to run them.
fn stop_reason(calls: bool, refusal: bool, truncated: bool) -> &'static str {
    match (calls, refusal, truncated) {
        (true, _, _) => "tool_use",
        (_, true, _) => "refusal",
        (_, _, true) => "max_tokens",
        _ => "end_turn",
    }
}
