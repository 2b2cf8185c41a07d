//! Event streams (`text/event-stream`): encoder, decoder, heartbeat.
//!
//! The format is the WHATWG HTML standard's, section "Server-sent events". [`Frame`] is what a wire
//! writes and [`Message`] is what a client reads; a provider's stream comes in through [`Decoder`].
//! Nothing here knows what the payloads mean.

mod decoder;
mod encoder;
mod heartbeat;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use decoder::{Decoder, MAX_EVENT_BYTES, Message, Seen};
pub use encoder::{Frame, PING, encode_comment};
pub use heartbeat::{HEARTBEAT_MS, Heartbeat};

/// The media type of an event stream, without parameters.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// The headers of every response that is an event stream, names in lower case.
///
/// The charset is stated since some clients otherwise read any `text/*` as ISO-8859-1.
/// `no-transform` and `x-accel-buffering` keep proxies from compressing or buffering the stream,
/// which would make it silent.
pub const RESPONSE_HEADERS: [(&str, &str); 3] = [
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache, no-transform"),
    ("x-accel-buffering", "no"),
];
