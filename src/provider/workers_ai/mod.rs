//! Workers AI, over its API and through the binding `AI`: bytes → [`Signal`](crate::signal::Signal).
//!
//! A stream is `data: {…}` and, last, `data: [DONE]`. Which of two shapes an event has depends on the model: the
//! platform's own, `{"response":"…"}`, or a Chat Completions chunk. Each event is read as what it is. What is known
//! of them, and what becomes of it here (each row has a recording in `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | `response` a string | text |
//! | `response` a number, a truth value, an object (JSON mode) | its JSON text |
//! | `response` null, `""` or absent | nothing |
//! | `reasoning_content` or `reasoning` beside it | reasoning |
//! | `tool_calls` as `{name, arguments}`, arguments an object or text | a call each, whole |
//! | `tool_calls` as Chat Completions has them, in pieces | the calls |
//! | entries of `tool_calls` that are all null ("finalisation") | nothing |
//! | a call that the model wrote into its text (gpt-oss where a call is forced) | text, unchanged |
//! | `choices` | as [`chat_completions`](super::chat_completions) reads them |
//! | both shapes in one stream | both, in order |
//! | `finish_reason` in the choice, or at top level | the stop reason, once the end comes |
//! | `usage` on each event, or on a last one without text | usage |
//! | `p` and other fields | nothing |
//! | `[DONE]` without a `finish_reason` | an end |
//! | a `finish_reason` without `[DONE]` | an end |
//! | neither, whatever came before | [`Cut`](crate::signal::Fault::Cut) |
//! | `{"errors":[…],"success":false}`, `{"internalCode":…}`, `{"error":…}` | [`Reported`](crate::signal::Fault::Reported) |
//! | one JSON body, `{"result":{…},"success":true}` around it (the API) or not (the binding) | the whole answer in it |
//!
//! All else, bounds too, is as of [`framed`](super::framed) and [`chat_completions`](super::chat_completions).

mod request;
mod response;

pub use request::request;
pub use response::Response;

/// Decodes one response.
pub type Decoder = super::framed::Framed<Response>;

#[cfg(all(test, not(target_arch = "wasm32")))]
pub(in crate::provider) mod tests;
