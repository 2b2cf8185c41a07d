//! The stream of a Responses call: bytes → [`Signal`](crate::signal::Signal).
//!
//! The format is `event: <type>` and `data: {"type":<type>,…}`, and its end is one of `response.completed`,
//! `response.incomplete` and `response.failed`. What is known of the services that speak it, and what becomes of it
//! here (each row has a recording in `quirks/`; [`crate::provider::framed`] has what concerns bytes):
//!
//! | seen | becomes |
//! |---|---|
//! | the type in `type`, or on the `event:` line alone | the same |
//! | item ids that change with every event | nothing: an item is known by its `output_index` |
//! | `output_index` with gaps, or huge | nothing: only its order counts |
//! | `output_index` missing | the item of that id, else the last of its kind |
//! | `output_index` used again behind an item's end, or for an item of another kind | a further item |
//! | items that arrive in another order than their indexes | message items one after the other as they came; one that comes behind a message of a higher index is narration, unless its mark says more |
//! | text of two items by turns | the second waits until the first ends, or the response does |
//! | `phase` | the item's mark; what `output_item.done` says of it is too late |
//! | text in pieces, then repeated in `output_text.done`, `content_part.done`, `output_item.done` and `response.completed` | text, once |
//! | no pieces: text in one of these alone | that text |
//! | several content parts | one text |
//! | a `refusal` part, in pieces or whole | a refusal |
//! | `output_item.added`, `content_part.*` or any `*.done` left out | the same |
//! | anything behind an item's `output_item.done` | nothing |
//! | a message that is not the assistant's | an item of [`Role::Other`](crate::signal::Role::Other) |
//! | `reasoning_summary_text`, `reasoning_text`, `reasoning` | reasoning; of one item either its summary or its own text, whichever came first, a blank line between parts |
//! | reasoning that is encrypted alone | nothing, but it is kept |
//! | `function_call`: arguments in pieces, or whole in any of the `*.done`, or an object | a call |
//! | a call without its `output_item.added` | a call, once its name is known |
//! | a call that `response.completed` alone has | a call |
//! | `custom_tool_call` | a call whose arguments are `{"input":<its text>}` |
//! | `web_search_call`, `mcp_call`, `mcp_list_tools` and every other `*_call` | [`ProviderTool`](crate::signal::Signal::ProviderTool), at its index; behind a message of a higher index, nothing |
//! | `mcp_approval_request` | [`Reported`](crate::signal::Fault::Reported): it waits for an approval that nobody here can give |
//! | `usage` in any `response` object | usage |
//! | `response.incomplete` | [`Length`](crate::signal::Stop::Length), or [`ContentFilter`](crate::signal::Stop::ContentFilter) where that is the reason |
//! | `response.failed`, a status `failed` or `cancelled` in the end's `response` | [`Reported`](crate::signal::Fault::Reported) |
//! | `error`, nested or flat, with and without a `response.failed` | [`Reported`](crate::signal::Fault::Reported) |
//! | `obfuscation`, `logprobs`, annotations, `keepalive`, unknown events and items | nothing |
//! | `[DONE]` behind the end | nothing |
//! | `[DONE]`, or the stream's end, without an end of the response | [`Cut`](crate::signal::Fault::Cut), also behind a whole call |
//! | anything behind the end | nothing |
//! | one JSON body, or a whole response as an event | what is in its `output` |
//! | a body whose `status` is no end (`queued`, `in_progress`) | [`Cut`](crate::signal::Fault::Cut) |
//! | a body that holds an error | [`Reported`](crate::signal::Fault::Reported) |
//! | any other body | [`Malformed`](crate::signal::Fault::Malformed) |
//!
//! A response that calls functions is [`Kept`](crate::signal::Signal::Kept) where text and calls alone would lose
//! something: reasoning that is encrypted, a `phase`, a custom call.
//!
//! Bounds: a response has at most 1024 items, 1024 parts an item and 128 calls; an id or a name is at most 1 KiB;
//! what waits is at most 1 MiB. Past a bound: [`Malformed`](crate::signal::Fault::Malformed). Past 4 MiB nothing is
//! kept.

use super::response::Response;
use crate::provider::framed::Framed;

/// Decodes one response.
pub type Decoder = Framed<Response>;
