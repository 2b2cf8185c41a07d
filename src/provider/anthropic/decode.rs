//! The stream of an Anthropic Messages response: bytes → [`Signal`](crate::signal::Signal).
//!
//! The format is named events whose JSON repeats the name in `type`: `message_start`, then each content block from
//! `content_block_start` to `content_block_stop`, then `message_delta` with the reason for the end, and `message_stop`.
//! What is known of the services that speak it, and what becomes of it here (each row has a recording in `quirks/`):
//!
//! | seen | becomes |
//! |---|---|
//! | several `text` blocks, as an answer with citations has | one item |
//! | `text` in front of a call | the same item; whether it is an answer is decided at the end |
//! | `thinking`, or only its signature | reasoning; nothing |
//! | `redacted_thinking` | nothing |
//! | `tool_use` with `input_json_delta`, `""` among them | a call |
//! | `tool_use` without any, or with its `input` at the start | a call with `{}`, or with that input |
//! | the same, cut by `max_tokens` | a call without arguments, which nobody runs |
//! | `server_tool_use`, `mcp_tool_use` | a tool that the provider ran; it is no call |
//! | `…_tool_result`, `container_upload` | nothing |
//! | `citations_delta`, `signature_delta` | nothing |
//! | `ping`, unknown events | nothing |
//! | blocks of an unknown type, and all their pieces | nothing |
//! | a piece of text or thinking whose block has not begun | a block |
//! | a piece of arguments whose block has not begun | [`Malformed`](crate::signal::Fault::Malformed) |
//! | pieces and blocks without `index` | pieces of the last block |
//! | all blocks with index 0 | blocks of their own |
//! | JSON without `type` | what the event's name says |
//! | only data, no event names | what the JSON's `type` says |
//! | content, or `stop_reason`, in `message_start` | the same as in events |
//! | `message_start` twice | once |
//! | another message in the middle of one, as a proxy sends that tried again | a start: all of the first is void |
//! | the same message begun again | the same |
//! | a message behind a whole one | nothing |
//! | `stop_reason` `max_tokens`, `model_context_window_exceeded` | [`Length`](crate::signal::Stop::Length) |
//! | `pause_turn` | [`Pause`](crate::signal::Stop::Pause) |
//! | `refusal` | a start, if anything had come, for the provider says that it is no answer; then a refusal in the provider's words, or in ours where it has none |
//! | `end_turn`, `stop_sequence`, `tool_use`, an unknown one | [`Complete`](crate::signal::Stop::Complete); the calls count, whatever it says |
//! | `usage` in `message_start`, in `message_delta`, or null in part | tokens so far |
//! | `error`, before or amid a message; as an event's name alone | [`Reported`](crate::signal::Fault::Reported) |
//! | `message_stop` missing behind a `stop_reason` | an end |
//! | `[DONE]` behind a `stop_reason` | an end |
//! | neither, with or without `[DONE]` | [`Cut`](crate::signal::Fault::Cut) |
//! | anything behind `message_stop` | nothing |
//! | one JSON body instead of events | the whole message, or the error in it |
//! | a whole message in one event | the message |
//!
//! and what [`crate::provider::framed`] says of frames.
//!
//! Tokens: `input` is the sum of `input_tokens`, `cache_read_input_tokens` and `cache_creation_input_tokens`, since the
//! format counts them apart; a message that became void has cost its tokens all the same.
//!
//! If the turn goes on (the message calls, or is paused) and holds more than text and calls, its blocks are kept as they
//! came, for the next request: thinking with its signature, and what the provider's own tools did. Text of white space
//! and blocks of an unknown type are left out.
//!
//! Bounds: a message has at most 1024 blocks and 128 calls, an id or a name 1 KiB; past them:
//! [`Malformed`](crate::signal::Fault::Malformed). Of a message of more than 4 MiB nothing is kept: the turn goes on
//! from its text and calls.

use super::response::Response;
use crate::provider::framed::Framed;

/// Decodes one response.
pub type Decoder = Framed<Response>;
