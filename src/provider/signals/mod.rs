//! Signals themselves: for an agent that already knows what its messages are.
//!
//! An event stream whose every `data:` line is one [`Signal`](crate::signal::Signal) as JSON. It says
//! what Chat Completions cannot: phases, pauses, tools that the provider runs, a message object's own
//! text, state. The request is the body of Chat Completions.
//!
//! | `type` | fields | |
//! |---|---|---|
//! | `response_start` | `model` | may be left out |
//! | `item_start` | `role` (`assistant` unless said), `phase` (`commentary`, `final_answer`) | a message item begins |
//! | `text`, `reasoning`, `refusal` | `delta` | a piece |
//! | `was_reasoning` | | the open item's text so far (behind a refusal or a provider's tool in it) was reasoning after all |
//! | `item_end` | `text` | the item's whole text, used only if no piece of it came |
//! | `call_start` | `index`, `id`, `name` | a function call begins; indices count from 0 |
//! | `call_name` | `index`, `name` | its name, where it comes later |
//! | `call_args` | `index`, `delta` | a piece of its arguments |
//! | `call_end` | `index` | its arguments are whole |
//! | `provider_tool` | `name` | the provider ran a tool of its own |
//! | `usage` | `input`, `output`, `total`, `reasoning`, `cached_input`, `cache_write` | tokens so far |
//! | `state` | `snapshot` | the host's state, whole; any JSON |
//! | `kept` | `snapshot` | what is to be sent back unchanged with this response, if the turn goes on |
//! | `response_end` | `stop` (`complete` unless said, `length`, `content_filter`, `pause`) | the end mark |
//! | `error` | `fault` (`reported` unless said, `cut`, `malformed`) | the response died |
//!
//! A call's `index` may be left out: `call_start` begins the next one, and the others speak of the
//! last. Null stands for an absent field, fields that are not listed say nothing, and so do comments,
//! empty data and `[DONE]`. Nothing behind the end is read. Anything else that is not of the format,
//! an unknown type too, is [`Malformed`](crate::signal::Fault::Malformed), since what it says would
//! be lost; a stream without `response_end` is [`Cut`](crate::signal::Fault::Cut).
//!
//! Half a surrogate pair (`"\ud83d"`) is put to its other half, if the next piece of that text begins
//! with it; else it is U+FFFD.
//!
//! Bounds: one event is at most [`MAX_EVENT`] bytes, a response has at most 128 calls, an id or a
//! name 1 KiB. Past a bound: `Malformed`.

mod decode;
mod encode;
mod fields;
mod single;
#[cfg(all(test, not(target_arch = "wasm32")))]
pub(crate) mod tests;

pub use decode::{Decoder, MAX_EVENT};
pub use encode::{encode, object};
pub use single::Reader;
