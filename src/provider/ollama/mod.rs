//! Ollama's `/api/chat` and `/api/generate`: bytes → [`Signal`](crate::signal::Signal).
//!
//! The stream is one JSON object after the other, each on a line of its own (NDJSON); the last has `"done":true`.
//! What is known of it, and what becomes of it here (each row has a recording in `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | `message.content`, or `response` (`/api/generate`) | text |
//! | `message.thinking`, or `thinking` beside `response` | reasoning |
//! | `message.tool_calls`, arguments an object, on one line or on several, without ids or with the same one | a call each, whole |
//! | arguments as text | the same |
//! | `done_reason` `stop` beside calls | the calls count, whatever it says |
//! | `done_reason` `length` | [`Length`](crate::signal::Stop::Length) |
//! | `done_reason` `load`, `unload` or absent | [`Complete`](crate::signal::Stop::Complete) |
//! | `prompt_eval_count`, `eval_count` | usage |
//! | `{"error":"…"}` after HTTP 200 | [`Reported`](crate::signal::Fault::Reported) |
//! | the stream is over without `done:true` | [`Cut`](crate::signal::Fault::Cut) |
//! | anything behind `done:true` | nothing |
//! | one object that is the whole answer (`stream:false`) | the answer; over several lines too |
//! | no line end behind the last object; empty lines; CR, CRLF; a byte order mark | the same as without |
//! | half a surrogate pair, `"\ud83d"` | the character, if the next piece of that text begins with the other half; else U+FFFD |
//! | bytes that are no UTF-8 | U+FFFD |
//! | anything else than objects: a page, an event stream, an array | [`Malformed`](crate::signal::Fault::Malformed), with the first byte of it |
//!
//! Bounds: an object is at most [`MAX_LINE`] bytes; calls, ids and names are bounded as of
//! [`chat_completions`](super::chat_completions). Past a bound: `Malformed`.

mod decode;
mod lines;
mod request;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use decode::Decoder;
pub use lines::MAX_LINE;
pub use request::request;
