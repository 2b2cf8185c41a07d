//! The stream of a Gemini response: bytes → [`Signal`](crate::signal::Signal).
//!
//! The format is `data: {GenerateContentResponse}`, or one JSON array of them where the address does not ask for
//! events. Each has parts of the first candidate; the last says why it ended, and nothing stands behind it. What is
//! known of the services that speak it, and what becomes of it here (each row has a recording in `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | `text`, in several parts | one item |
//! | `text` with `thought` | reasoning |
//! | `text: ""`, alone or with a signature | nothing |
//! | `functionCall` with `args`, with or without an `id` | a call |
//! | `functionCall` without `args` | a call with `{}` |
//! | `functionCall` with `willContinue`, then `partialArgs`, then an empty one | a call with what the pieces make up |
//! | the same without the empty one at the end, or with an empty one too many | the same |
//! | a call that goes on when another begins, or when the response ends | whole |
//! | the same, cut by `MAX_TOKENS` | a call without arguments, which nobody runs |
//! | pieces of one that have its `id` and name again | one call |
//! | `functionCall` without a name that goes on with nothing; a way to no place | [`Malformed`](crate::signal::Fault::Malformed) |
//! | text in front of a call | the same item; whether it is an answer is decided at the end |
//! | `executableCode`, `toolCall` | a tool that the provider ran; it is no call |
//! | `codeExecutionResult`, `toolResponse`, `inlineData`, `groundingMetadata`, `citationMetadata` | nothing: what was searched for is told beside the text that it is in, not in front of it |
//! | candidates other than 0 | nothing |
//! | `candidates` empty, absent, or without `content` | nothing, but for `usageMetadata` |
//! | `usageMetadata` growing, or with other things in it | tokens so far |
//! | `finishReason` `STOP`, also beside calls | [`Complete`](crate::signal::Stop::Complete) |
//! | `MAX_TOKENS` | [`Length`](crate::signal::Stop::Length) |
//! | `SAFETY`, `RECITATION`, `BLOCKLIST`, `PROHIBITED_CONTENT`, `SPII`, `LANGUAGE`, the like of images | [`ContentFilter`](crate::signal::Stop::ContentFilter) |
//! | `MALFORMED_FUNCTION_CALL`, `UNEXPECTED_TOOL_CALL`, `TOO_MANY_TOOL_CALLS`, `OTHER`, any unknown one | [`Reported`](crate::signal::Fault::Reported): the model came to nothing, and may do better when it is asked again |
//! | a second `finishReason` | the graver of the two: a filter, then a length, then the rest |
//! | parts behind a `finishReason` | the same as in front of it |
//! | `promptFeedback` with a `blockReason` | [`ContentFilter`](crate::signal::Stop::ContentFilter) |
//! | `{"error":…}`, first, amid a response, or in the array | [`Reported`](crate::signal::Fault::Reported) |
//! | the stream is over behind a `finishReason`, with or without `[DONE]` | an end |
//! | it is over without one | [`Cut`](crate::signal::Fault::Cut) |
//! | an array of nothing, or of anything else | [`Malformed`](crate::signal::Fault::Malformed) |
//! | a JSON array, or one JSON body, instead of events | the same as events |
//!
//! and what [`crate::provider::framed`] says of frames.
//!
//! Tokens: `input` is `promptTokenCount` and `toolUsePromptTokenCount`, `output` is `candidatesTokenCount` and
//! `thoughtsTokenCount`, since the format counts them apart.
//!
//! If the response calls, and holds more than text and calls, its parts are kept for the next request: signatures, and
//! what the provider's own tools did. Thoughts and images are kept only if they are signed.
//!
//! Bounds: a response has at most 128 calls, an id or a name 1 KiB, arguments in pieces 1 MiB, lists in them 65537
//! entries and 64 levels; past them: [`Malformed`](crate::signal::Fault::Malformed). Of a response of more than 4 MiB nothing is kept: the
//! turn goes on from its text and calls.

use super::response::Response;
use crate::provider::framed::Framed;

/// Decodes one response.
pub type Decoder = Framed<Response>;
