//! OpenAI Responses: the stream, the Response object, and the parser of a request.
//!
//! The rules are those of OpenAI's clients and of the Open Responses specification, where one is stricter than the
//! other the stricter one: every key of a Response object is there, every event has its `sequence_number`, from 0 and
//! dense, and no event is of a type that the clients' unions don't know. A frame has an `event:` and no `id:`: PyPI's
//! client dies of a blank line behind an id.
//!
//! What the wire has no word for:
//! - Narration and thinking that are public are `reasoning` items with a summary. As `message` items, whatever their
//!   phase, every client would join them to the answer.
//! - A failed or cancelled run is a nested `error` and then `response.failed`. No other pair is an error in all clients.
//! - An early answer that was withdrawn is closed as `incomplete` and stays in the output, empty, so that the indexes
//!   of what comes after it are still its places. Whoever asked for early answers has read it.
//! - A failed run's output has no message that was not published.

pub mod compact;
mod document;
mod end;
mod event;
mod item;
mod listed;
mod reference;
mod request;
mod response;
mod stream;
mod summary;

pub use document::{deleted, document};
pub use listed::input_items;
pub use reference::{references, resolved};
pub use request::parse;
pub use stream::Stream;

use crate::Error;
use crate::json;
use crate::sse::Frame;

/// Before a run's id it makes the id of its Response.
const RESPONSE: &str = "resp_";

/// The run behind a Response's id; none if it is no such id.
pub fn run_of(id: &str) -> Option<&str> {
    id.strip_prefix(RESPONSE).filter(|run| !run.is_empty())
}

/// The reader's own failure. It is no event of the Response, so it has no number.
pub fn failure(error: &Error) -> Frame {
    let data = json::object(|frame| {
        frame.field("type", &"error").object("error", |told| end::write_told(&error.into(), told));
    });
    Frame { event: Some("error".to_owned()), ..Frame::new(data) }
}
