//! The stream of a Chat Completions response: bytes → [`Signal`](crate::signal::Signal).
//!
//! The format is `data: {chat.completion.chunk}` and, last, `data: [DONE]`. No two services send
//! quite the same. What is known of them, and what becomes of it here (each row has a recording in
//! `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | `content` null, `""`, a string, an array of typed parts, one typed part | text; a part of type `thinking` is reasoning, `refusal` a refusal |
//! | `reasoning_content`, `reasoning`, `reasoning_details`, or several of them | reasoning, of the first that has any |
//! | thinking tags and harmony marks inside text | text, unchanged; [`crate::provider::tags`] reads the tags where it is asked to |
//! | harmony marks behind a tool's name | cut off |
//! | `refusal` | a refusal |
//! | `tool_calls` without `index`, or all with index 0 | told apart by id, by name and by whether the arguments are whole |
//! | `id` null, or repeated, or changing in mid-call; `name` later, repeated, or in pieces | one call |
//! | `arguments` null, or an object | nothing; its JSON text |
//! | entries of `tool_calls` that are all null | nothing |
//! | the old `function_call` | a call; beside `tool_calls`, nothing |
//! | `choices` empty or absent | nothing, but for `usage` |
//! | choices other than 0 | nothing |
//! | a whole `message` where `delta` should be | read, if nothing was streamed |
//! | `usage` on its own, on the finish chunk, in the choice, in `x_groq` | usage |
//! | `finish_reason` beside content, or at top level | the stop reason, once the end comes |
//! | `finish_reason` null or `""` | no end |
//! | `finish_reason` `error` and its kin | [`Reported`](crate::signal::Fault::Reported) |
//! | an unknown `finish_reason` | [`crate::signal::Stop::Complete`] |
//! | any `finish_reason` beside calls | the calls count, whatever it says |
//! | `{"error":…}` after HTTP 200, `"object":"error"`, an event named `error` | [`Reported`](crate::signal::Fault::Reported) |
//! | comments, empty data, `""`, `null` | nothing |
//! | no space after `data:` | the same as with one |
//! | `[DONE]` missing after a `finish_reason` | an end |
//! | `[DONE]` without a `finish_reason` | an end |
//! | neither | [`Cut`](crate::signal::Fault::Cut) |
//! | content or calls behind a `finish_reason` | the same as in front of it |
//! | a second `finish_reason` | the graver of the two: a filter, then a length, then the rest |
//! | anything behind `[DONE]` | nothing |
//! | half a surrogate pair, `"\ud83d"` | the character, if the next piece of that text begins with the other half; else U+FFFD |
//! | bytes that are no UTF-8 | U+FFFD |
//! | data that is no JSON object | [`Malformed`](crate::signal::Fault::Malformed) |
//! | one JSON body instead of events | the error or the whole answer in it |
//! | a page, a JSON array, compressed bytes | [`Malformed`](crate::signal::Fault::Malformed), with the first of them |
//!
//! The end is told at `[DONE]` or when the stream is over, so that usage behind the
//! `finish_reason` is not lost. Whether there are calls is never asked of `finish_reason`.
//!
//! Bounds: one event is at most [`MAX_EVENT`] bytes, a body [`MAX_BODY`], a response has at most
//! 128 calls, an id or a name 1 KiB. Past a bound: [`Malformed`](crate::signal::Fault::Malformed).

use super::response::Response;
use crate::provider::framed::Framed;
pub use crate::provider::framed::{MAX_BODY, MAX_EVENT};

/// Decodes one response.
pub type Decoder = Framed<Response>;
