//! OpenAI Chat Completions: the stream of chunks, the whole completion, the request and the list of models.
//!
//! The format is OpenAI's; what its official clients, the AI SDK and LangChain take is stricter, and is followed:
//! one chunk an event of the stream, no event names, no ids. The answer is `delta.content`, a refusal
//! `delta.refusal`, calls for the client `delta.tool_calls`; narration and thinking, where they are public,
//! `delta.reasoning_content`, which no client takes for the answer. Tools of ours, states and steps are not said.
//!
//! A run that fails is one chunk `{"error":{…}}`, at which every client raises, and nothing behind it: no
//! `finish_reason` and no `[DONE]`, so that who overlooks it sees a stream that broke off. An answer that streamed
//! early and turned out to be none can't be taken back: the stream ends there with the error `stream_interrupted`,
//! and the run's answer can be had by asking again with the same `Idempotency-Key`.

mod chunk;
mod document;
mod error;
mod models;
mod request;
mod stream;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod usage;

pub use document::document;
pub use error::failure;
pub use models::models;
pub use request::parse;
pub use stream::Stream;

/// Why a completion ended, in the format's words.
fn finish_reason(calls: bool, truncated: bool) -> &'static str {
    match (calls, truncated) {
        (true, _) => "tool_calls",
        (false, true) => "length",
        (false, false) => "stop",
    }
}
